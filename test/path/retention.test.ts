/** What ended attempts leave: bounded by settings, cleared by a success, and no commit is ever lost. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { neo } from '../cli/program.ts'
import { type Home, makeHome, runbook } from './home.ts'

const CONFIG = (retention: string) =>
  `daemon: { settle: 0s, rescan: 1s }\nretention: { every: 365d, ${retention} }\n`

function worktrees(home: Home): string[] {
  return home.has('.neo/worktrees') ? readdirSync(join(home.dir, '.neo/worktrees')) : []
}

/** Fails so often, and leaves a file of each attempt. */
async function fail(home: Home, name: string, times: number): Promise<void> {
  for (let attempt = 1; attempt <= times; attempt++) {
    home.task(
      name,
      attempt === 1
        ? runbook([`date +%N > ${name}.txt; test -e ${JSON.stringify(join(home.dir, '.git/pass'))}`])
        : home.text(name).replace('status: failed', 'status: pending'),
    )
    await home.run()
    expect(home.status(name)).toBe('failed')
  }
}

test('failed attempts are kept by number, and their commits longer', async () => {
  const home = makeHome({ 'neo.yaml': CONFIG('attempts: 1') })
  await fail(home, 'a', 3)
  const tips = home.git('for-each-ref', '--format=%(objectname)', 'refs/heads/neo').split('\n')
  expect([worktrees(home).length, tips.length]).toEqual([3, 3])
  const plan = await neo(['clean', '--dry-run', '--home', home.dir])
  expect(plan.out).toContain('would remove')
  expect(worktrees(home)).toHaveLength(3)
  const done = await neo(['clean', '--home', home.dir])
  expect(done.out.match(/^removed s-\w+ .*more than 1 attempt of this task/gm)).toHaveLength(2)
  expect(worktrees(home)).toHaveLength(1)
  expect(home.git('branch', '--list', 'neo/*').split('\n')).toHaveLength(1)
  for (const tip of tips) expect(home.git('for-each-ref', '--contains', tip)).not.toBe('')
  writeFileSync(join(home.dir, '.git/pass'), '')
  home.task('a', home.text('a').replace('status: failed', 'status: pending'))
  await home.run()
  expect([home.status('a'), worktrees(home), home.git('branch', '--list', 'neo/*')]).toEqual([
    'completed',
    [],
    '',
  ])
  for (const tip of tips) expect(home.git('for-each-ref', '--contains', tip)).not.toBe('')
})

test.each(['merged into the home', 'changed nothing', 'failed'])(
  'a transcript whose work was %s is in the room, and nowhere else',
  async (how) => {
    const home = makeHome({})
    const commands = { 'merged into the home': 'echo x > x.txt', 'changed nothing': 'true', failed: 'false' }
    home.task('a', runbook([commands[how as keyof typeof commands]]))
    await home.run()
    const name = `${home.neo('a', 'session')}.jsonl`
    expect(home.read(`rooms/shop/transcripts/${name}`)).toContain('"type":"end"')
    expect(home.has(`.git/neo/transcripts/${name}`)).toBe(false)
  },
)

test('age and size clear attempts, and commits go when refs says so', async () => {
  const home = makeHome({ 'neo.yaml': CONFIG('size: 0B') })
  await fail(home, 'a', 1)
  expect((await neo(['clean', '--home', home.dir])).out).toContain('over retention.size')
  expect([worktrees(home), home.git('for-each-ref', 'refs/neo/attempts').split('\n').length]).toEqual([[], 1])
  home.write('neo.yaml', CONFIG('refs: 0ms'))
  await neo(['clean', '--home', home.dir])
  expect(home.git('for-each-ref', 'refs/neo/attempts')).toBe('')
})

test('doctor --fix removes the worktree of a deleted branch, and its commit stays reachable', async () => {
  const home = makeHome({ 'neo.yaml': CONFIG('attempts: 3') })
  home.task('a', runbook(['echo own > own.txt; git add own.txt; git commit -qm own; false']))
  await home.run()
  const tip = home.git('for-each-ref', '--format=%(objectname)', 'refs/heads/neo')
  for (const ref of home.git('for-each-ref', '--format=%(refname)', 'refs/heads/neo', 'refs/neo').split('\n'))
    home.git('update-ref', '-d', ref)
  const fixed = await neo(['doctor', '--fix', '--home', home.dir])
  expect(fixed.out).toContain('was deleted and is not merged')
  expect(worktrees(home)).toEqual([])
  expect(home.git('for-each-ref', '--contains', tip)).toContain('refs/neo/attempts/')
})

/** A repository with a submodule whose remote is a folder beside it. */
function withSubmodule(): string {
  const root = mkdtempSync(join(tmpdir(), 'neo-sub-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const git = (dir: string, ...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'user.name=P', '-c', 'user.email=p@localhost', '-c', 'protocol.file.allow=always', ...args],
      { cwd: dir, stdio: 'pipe' },
    )
  for (const name of ['lib', 'shop']) {
    git(root, 'init', '-q', '-b', 'main', name)
    writeFileSync(join(root, name, 'a.txt'), name)
    git(join(root, name), 'add', '-A')
    git(join(root, name), 'commit', '-q', '-m', 'first')
  }
  git(join(root, 'shop'), 'submodule', '--quiet', 'add', join(root, 'lib'), 'lib')
  git(join(root, 'shop'), 'commit', '-q', '-m', 'lib')
  return join(root, 'shop')
}

const INIT = 'git -c protocol.file.allow=always submodule --quiet update --init'

test.each([
  ['nothing of its own', 'true', 'removed'],
  ['a change', 'echo x >> lib/a.txt', 'kept'],
  [
    'a commit that its remote lacks',
    'cd lib; echo x >> a.txt; git -c user.name=P -c user.email=p@localhost commit -qam x',
    'kept',
  ],
])('a worktree whose submodule has %s is handled', async (_, command, fate) => {
  const shop = withSubmodule()
  const home = makeHome({
    'neo.yaml': CONFIG('attempts: 0'),
    'rooms/shop/ROOM.md': `---\nname: Shop\nworker: shell\nworkspace: ${shop}\n---\n`,
  })
  home.task('a', runbook([INIT, command, 'echo done > done.txt; false']))
  await home.run()
  expect([home.status('a'), worktrees(home).length]).toEqual(['failed', 1])
  const { out } = await neo(['clean', '--home', home.dir])
  expect(out).toMatch(new RegExp(`^${fate} s-`))
  expect(worktrees(home)).toHaveLength(fate === 'removed' ? 0 : 1)
})
