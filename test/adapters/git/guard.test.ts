/** The guard on real git: no program that a repository's own configuration names is run (12-cases, C21). */
import { appendFileSync, chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  type Bench,
  commitSession,
  gitCode,
  openBench,
  openSession,
  placeIn,
  put,
  saying,
  words,
} from './repo.ts'

let bench: Bench
let canary: string
/** A program that leaves the canary, and passes its input on as a filter does. */
let trap: string
beforeEach(async () => {
  bench = await openBench({ '.gitignore': '.neo/\n', 'a.md': 'a\nb\nc\n', 'b.md': 'b\n' })
  canary = join(bench.root, 'canary')
  trap = join(bench.root, 'trap.sh')
  writeFileSync(trap, `#!/bin/sh\ntouch "${canary}"\ncat\n`)
  chmodSync(trap, 0o755)
})
afterEach(() => bench.close())

const HOOKS = [
  'post-checkout',
  'pre-commit',
  'commit-msg',
  'post-commit',
  'post-merge',
  'reference-transaction',
]

/** Every setting by which git runs a program, as lines of a configuration file. */
function traps(): string {
  const hooks = join(bench.root, 'hooks')
  mkdirSync(hooks, { recursive: true })
  for (const name of [...HOOKS, 'post-index-change', 'prepare-commit-msg', 'fsmonitor-watchman']) {
    writeFileSync(join(hooks, name), `#!/bin/sh\ntouch "${canary}"\n`)
    chmodSync(join(hooks, name), 0o755)
  }
  return [
    `[core]\n\tfsmonitor = ${trap}\n\thooksPath = ${hooks}\n\tsshCommand = ${trap}\n\teditor = ${trap}\n\tpager = ${trap}`,
    `[filter "f.x"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\trequired = true`,
    `[filter "p"]\n\tprocess = ${trap}\n\trequired = true`,
    `[merge "m"]\n\tdriver = ${trap} %A`,
    `[diff]\n\texternal = ${trap}`,
    `[diff "t"]\n\ttextconv = ${trap}\n\tcommand = ${trap}\n\tcachetextconv = false`,
    `[gpg]\n\tprogram = ${trap}\n[commit]\n\tgpgSign = true\n`,
  ].join('\n')
}

const ATTRIBUTES = '*.md merge=m diff=t\n*.txt merge=m diff=t\n'
const FILTERED = '*.md filter=f.x\n*.txt filter=p\n'

/** Everything that Neo does with a session's branch, with a change on both sides of the merge. */
async function everyCall(branch: string, subject: string): Promise<string> {
  const place = placeIn(bench)
  const dir = await openSession(bench, place, branch)
  put(dir, 'a.md', 'ours\nb\nc\n')
  put(dir, 'new.txt', 'x\n')
  const done = await commitSession(bench, { dir, place, branch, subject })
  expect(done.kind).toBe('ok')
  await bench.git.commit('main', saying(subject, { 'a.md': 'a\nb\ntheirs\n', 'c.txt': 'c\n' }))
  put(bench.home, 'a.md', 'a\nb\ntheirs\n')
  put(bench.home, 'c.txt', 'c\n')
  await bench.git.refresh()
  await bench.git.diff(place, branch)
  await bench.git.changedPaths(place, branch)
  await bench.git.branchState(place, branch)
  const merged = await bench.git.merge(place, branch, { ...words, subject })
  await bench.git.branchState(place, branch)
  await bench.git.detachWorktree(place, dir)
  await bench.git.removeWorktree(place, dir)
  await bench.git.deleteBranch(place, branch)
  await bench.git.log({ limit: 5 })
  return merged.kind
}

function configure(where: string, text: string, attributes = ATTRIBUTES): void {
  appendFileSync(where, text)
  put(bench.home, '.git/info/attributes', attributes)
}

it('the traps of this file do go off for a git that is not guarded', () => {
  configure(join(bench.home, '.git', 'config'), traps(), FILTERED)
  gitCode(bench.home, 'status')
  expect(existsSync(canary)).toBe(true)
  rmSync(canary)
  put(bench.home, 'a.md', 'changed\n')
  gitCode(bench.home, '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', 'add', 'a.md')
  expect(existsSync(canary)).toBe(true)
})

it("no call runs a program of the repository's own configuration", async () => {
  configure(join(bench.home, '.git', 'config'), traps())
  await everyCall('neo/one', 'subject')
  expect(existsSync(canary)).toBe(false)
})

it('no call runs a program that is configured after the repository was opened and used', async () => {
  await everyCall('neo/one', 'subject')
  configure(join(bench.home, '.git', 'config'), traps())
  await everyCall('neo/two', 'subject')
  expect(existsSync(canary)).toBe(false)
})

it('no call runs a program of an included file that changes after its first reading', async () => {
  const included = join(bench.root, 'included')
  writeFileSync(included, '')
  configure(join(bench.home, '.git', 'config'), `[include]\n\tpath = ${included}\n`)
  await everyCall('neo/one', 'subject')
  writeFileSync(included, traps())
  await everyCall('neo/two', 'subject')
  expect(existsSync(canary)).toBe(false)
})

it("no call runs a program of a worktree's own configuration", async () => {
  bench.person('config', 'extensions.worktreeConfig', 'true')
  const place = placeIn(bench)
  const dir = await openSession(bench, place)
  put(dir, 'a.md', 'ours\n')
  expect((await commitSession(bench, { dir, place })).kind).toBe('ok')
  configure(join(bench.home, '.git', 'worktrees', 'neo-one', 'config.worktree'), traps())
  put(dir, 'a.md', 'ours again\n')
  expect((await commitSession(bench, { dir, place })).kind).toBe('ok')
  await bench.git.detachWorktree(place, dir)
  await bench.git.removeWorktree(place, dir)
  expect(existsSync(canary)).toBe(false)
})

it('a merge over a path with a driver of the repository is a conflict for a person', async () => {
  configure(join(bench.home, '.git', 'config'), traps())
  expect(await everyCall('neo/one', 'subject')).toBe('conflict')
  expect(existsSync(canary)).toBe(false)
})

it.each(['f.x', 'p'])(
  'a path with the filter %s of the repository is neither run nor committed',
  async (name) => {
    configure(join(bench.home, '.git', 'config'), traps())
    put(bench.home, '.git/info/attributes', FILTERED)
    const place = placeIn(bench)
    const dir = await openSession(bench, place)
    put(dir, name === 'p' ? 'new.txt' : 'new.md', 'secret\n')
    const done = await commitSession(bench, { dir, place })
    expect(done).toMatchObject({ kind: 'refused' })
    expect(done.kind === 'refused' && done.why).toContain(`neo filter allow ${name} `)
    expect(bench.person('rev-list', '--count', 'main..neo/one').trim()).toBe('0')
    expect(existsSync(canary)).toBe(false)
  },
)

it('a filter that the person set up globally stays in force', async () => {
  appendFileSync(process.env.GIT_CONFIG_GLOBAL ?? '', '[filter "up"]\n\tclean = tr a-z A-Z\n')
  put(bench.home, '.git/info/attributes', '*.md filter=up\n')
  await bench.git.commit('main', saying('filtered', { 'n.md': 'text\n' }))
  expect(bench.person('cat-file', 'blob', 'main:n.md')).toBe('TEXT\n')
})

it('no shell reads a subject or the name of a branch', async () => {
  const command = `$(touch\${IFS}${canary})`
  expect(await everyCall(`neo/${command}`, `${command} \`touch ${canary}\`; touch ${canary}`)).toBe('merged')
  expect(existsSync(canary)).toBe(false)
  expect(bench.person('log', '--format=%s', '-1')).toContain(command)
})
