/** Commits of a person while Neo commits: none of theirs fails, none of ours is lost. `NEO_COMMITS` of each kind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { lookOnce } from '../../src/engine/look-once.ts'
import { MOMENT_MS } from '../wait.ts'
import { type Home, makeHome, runbook, until } from './home.ts'

const TURNS = Number(process.env['NEO_COMMITS'] ?? 2)
/** Milliseconds: a turn is five commands of git beside a whole task. */
const LIMIT = MOMENT_MS + TURNS * 10_000
const SETTINGS = { 'neo.yaml': 'daemon: { settle: 20ms, rescan: 1s, concurrency: 2 }\n', 'notes/a.md': 'a\n' }
/** Says that it is open, and waits until it may write. */
const EDITOR = `sh -c 'touch .git/editor-open; while ! test -e .git/editor-go; do sleep 0.02; done; case "$1" in *MSG) sed -i "1s/^/words/" "$1";; esac' -`

interface Said {
  readonly code: number | null
  readonly err: string
}

function git(home: Home, args: readonly string[], input = ''): { child: ChildProcess; ended: Promise<Said> } {
  const child = spawn('git', args, { cwd: home.dir, env: { ...process.env, GIT_EDITOR: EDITOR } })
  const err: string[] = []
  for (const stream of [child.stderr, child.stdout]) stream.on('data', (piece) => err.push(String(piece)))
  // Who reads nothing may be gone by now.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const ended = new Promise<Said>((resolve) =>
    child.on('close', (code) => resolve({ code, err: err.join('') })),
  )
  return { child, ended }
}

function gate(home: Home, name: string): string {
  return join(home.dir, '.git', `go-${name}`)
}

/** A task that ends when its gate is opened. */
async function startTask(home: Home, name: string): Promise<void> {
  const wait = `while ! test -e ${JSON.stringify(gate(home, name))}; do sleep 0.02; done`
  home.task(name, runbook([wait, `echo ${name} > ${name}.txt`]))
  await until(() => home.status(name) === 'in_progress' && home.git('status', '--porcelain') === '')
}

function outcomes(home: Home): number {
  const root = join(home.dir, '.git/neo/sessions')
  return readdirSync(root).filter((id) => existsSync(join(root, id, 'outcome.json'))).length
}

/** What a person types with an editor, and what is put in order before it. */
const EDITED: readonly (readonly [name: string, args: readonly string[], input: string])[] = [
  ['commit', ['commit'], ''],
  ['commit -a', ['commit', '-a'], ''],
  ['commit --amend', ['commit', '--amend'], ''],
  ['commit -p', ['-c', 'alias.ci=commit -p', 'ci'], 'y\n'],
  ['rebase -i', ['rebase', '-i', 'HEAD~1'], ''],
]

test.each(EDITED)('a person who edits the message of git %s is waited for', async (_, args, input) => {
  const home = makeHome(SETTINGS)
  home.write('notes/b.md', 'b\n')
  home.git('add', 'notes/b.md')
  home.git('commit', '-q', '-m', 'second')
  const daemon = home.watch()
  await daemon.ready()
  await startTask(home, 'one')
  if (!args.includes('rebase')) home.write('notes/a.md', 'changed\n')
  if (!args.includes('ci') && !args.includes('rebase')) home.git('add', 'notes/a.md')
  const head = home.git('rev-parse', 'HEAD')
  const { ended } = git(home, args, input)
  await until(() => home.has('.git/editor-open'))
  writeFileSync(gate(home, 'one'), '')
  home.task('two', '---\nworker: human\n---\n')
  await until(() => outcomes(home) === 1)
  const { snapshot } = await lookOnce(await composeWorld(home.dir), home.dir)
  const says = snapshot.git.kind === 'home' ? snapshot.git.held : snapshot.git.why
  expect(says).toMatch(/waiting for your git (commit|rebase) in progress \(process \d+, since 2/)
  if (!args.includes('rebase')) expect(home.git('rev-parse', 'HEAD')).toBe(head)
  writeFileSync(join(home.dir, '.git/editor-go'), '')
  const said = await ended
  expect([said.code, said.err.includes('fatal')]).toEqual([0, false])
  await until(() => home.status('one') === 'completed' && home.status('two') === 'in_progress')
  await until(() => home.git('status', '--porcelain') === '')
  await daemon.stop()
  expect(home.read('workspace/files/one.txt')).toBe('one\n')
})

/** A remote that somebody else pushes to before each pull. */
function shareHome(home: Home): (index: number) => void {
  const [remote, other] = [join(home.dir, '.git/remote.git'), join(home.dir, '.git/other')]
  home.git('clone', '-q', '--bare', '.', remote)
  home.git('remote', 'add', 'origin', remote)
  home.git('clone', '-q', remote, other)
  home.git('fetch', '-q', 'origin')
  home.git('branch', '-q', '--set-upstream-to=origin/main')
  return (index) => {
    home.write(`.git/other/theirs-${index}.md`, `${index}\n`)
    home.git('-C', other, 'add', '-A')
    home.git(
      '-C',
      other,
      '-c',
      'user.name=O',
      '-c',
      'user.email=o@localhost',
      'commit',
      '-q',
      '-m',
      `other ${index}`,
    )
    home.git('-C', other, 'push', '-q', 'origin', 'main')
  }
}

test('quick commits, amends and pulls of a person succeed while tasks end', async () => {
  const home = makeHome(SETTINGS)
  const publish = shareHome(home)
  const daemon = home.watch()
  await daemon.ready()
  await startTask(home, 'long')
  const failed: string[] = []
  const run = async (...args: string[]) => {
    const { code, err } = await git(home, args).ended
    if (code !== 0) failed.push(`${args.join(' ')}: ${err}`)
  }
  for (let index = 0; index < TURNS; index++) {
    home.task(`t${index}`, runbook([`echo ${index} > ${index}.txt`]))
    home.write(`notes/n${index}.md`, '1\n')
    await run('add', `notes/n${index}.md`)
    await run('commit', '-q', '-m', `note ${index}`)
    home.write(`notes/n${index}.md`, '2\n')
    await run('commit', '-q', '-m', `again ${index}`, '--', `notes/n${index}.md`)
    home.write(`notes/n${index}.md`, '3\n')
    await run('add', `notes/n${index}.md`)
    await run('commit', '-q', '--amend', '--no-edit')
    publish(index)
    await run('pull', '-q', '--rebase', '--autostash')
  }
  writeFileSync(gate(home, 'long'), '')
  const names = ['long', ...Array.from({ length: TURNS }, (_, index) => `t${index}`)]
  await until(() => names.every((name) => home.status(name) === 'completed'), LIMIT)
  await until(() => home.git('status', '--porcelain') === '')
  await daemon.stop()
  expect(failed).toEqual([])
  const log = home.git('log', '--format=%s').split('\n')
  for (const name of names)
    expect(
      log.filter((line) => line.endsWith(`: complete ${name}`) || line.includes(`: complete ${name} `)),
    ).toHaveLength(1)
  expect(log.filter((line) => /^(again|other) /.test(line))).toHaveLength(2 * TURNS)
  expect(home.git('fsck', '--strict', '--no-dangling')).toBe('')
})

test('an old index.lock is left alone while its git lives, and taken away when nobody owns it', async () => {
  const home = makeHome(SETTINGS)
  const daemon = home.watch()
  await daemon.ready()
  home.write('notes/a.md', 'changed\n')
  const { ended } = git(home, ['commit', '-a'])
  await until(() => home.has('.git/editor-open') && home.has('.git/index.lock'))
  const old = new Date(Date.now() - 3_600_000)
  utimesSync(join(home.dir, '.git/index.lock'), old, old)
  home.task('one', '---\nworker: human\n---\n')
  await until(() => home.has('rooms/shop/tasks/one.md'))
  writeFileSync(join(home.dir, '.git/editor-go'), '')
  expect(await ended).toMatchObject({ code: 0 })
  await until(() => home.status('one') === 'in_progress')
  writeFileSync(join(home.dir, '.git/index.lock'), '')
  utimesSync(join(home.dir, '.git/index.lock'), old, old)
  home.task('two', '---\nworker: human\n---\n')
  await until(() => home.git('log', '--format=%s').includes('assign two to human'))
  await until(() => !home.has('.git/index.lock') && home.git('status', '--porcelain') === '')
  await daemon.stop()
})
