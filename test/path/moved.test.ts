/** A home that is moved, or whose worktree git forgets, while a session is in flight: it goes on and ends. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { neo } from '../cli/program.ts'
import { engine, ended } from './engine.ts'
import { makeHome, openHome, runbook, until } from './home.ts'

/** A task that waits for a gate outside of the home. */
function gated(gate: string): string {
  return runbook([`while ! test -e '${gate}'; do sleep 0.02; done; echo done > done.txt`])
}

test('a home that was moved while a step ran goes on at the new path, after a kill', async () => {
  const home = makeHome()
  const gate = `${home.dir}-gate`
  const moved = `${home.dir}-moved`
  onTestFinished(() => {
    for (const path of [gate, moved]) rmSync(path, { recursive: true, force: true })
  })
  home.task('a', gated(gate))
  const first = engine(home.dir)
  await until(
    () =>
      existsSync(join(home.dir, '.neo/worktrees')) &&
      sessionsOf(home.dir).some((dir) => existsSync(join(dir, 'steps/step-0/began'))),
  )
  first.child.kill('SIGKILL')
  await ended(first)
  renameSync(home.dir, moved)
  writeFileSync(gate, '')
  const there = openHome(moved)
  await there.run()
  expect(existsSync(home.dir)).toBe(false)
  // The step wrote its exit code at the old path: nobody can know it, so a person is asked; nothing stands still.
  expect(['completed', 'blocked']).toContain(there.status('a'))
  expect(there.git('worktree', 'list', '--porcelain')).not.toContain('prunable')
  there.task('b', runbook(['echo b > b.txt']))
  await there.run()
  expect(there.status('b')).toBe('completed')
})

function sessionsOf(dir: string): string[] {
  const root = join(dir, '.git/neo/sessions')
  return existsSync(root) ? readdirSync(root).map((id) => join(root, id)) : []
}

test('a daemon whose home is moved away ends, and leaves nothing at the old path', async () => {
  const home = makeHome()
  const moved = `${home.dir}-moved`
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }))
  const daemon = home.watch()
  await daemon.ready()
  renameSync(home.dir, moved)
  await until(() => daemon.events.some(({ text }) => text.includes('was moved or deleted')))
  const { exitCode } = await daemon.stop()
  expect([exitCode, existsSync(home.dir)]).toEqual([1, false])
})

test.each([
  ['the registration', []],
  ['the registration and the branch', ['branch']],
])('a session whose worktree lost %s keeps its work and ends', async (_, also) => {
  const home = makeHome()
  const gate = join(home.dir, '.git/gate')
  home.task('a', gated(gate))
  const running = home.run()
  await until(() => sessionsOf(home.dir).some((dir) => existsSync(join(dir, 'steps/step-0/began'))))
  rmSync(join(home.dir, '.git/worktrees'), { recursive: true })
  if (also.length > 0)
    home.git('branch', '-q', '-D', home.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/neo'))
  writeFileSync(gate, '')
  await running
  expect(home.status('a')).toBe('completed')
  expect(home.read('workspace/files/done.txt')).toBe('done\n')
})

test.each([
  ['lost its registration', (dir: string) => rmSync(join(dir, '.git/worktrees'), { recursive: true })],
  ['was moved with its home', (dir: string) => renameSync(dir, `${dir}-moved`)],
])('doctor --fix makes git know the worktree of a session again that %s', async (_, harm) => {
  const home = makeHome()
  const gate = `${home.dir}-gate`
  const moved = `${home.dir}-moved`
  onTestFinished(() => [gate, moved].forEach((path) => void rmSync(path, { recursive: true, force: true })))
  home.task('a', gated(gate))
  const first = engine(home.dir)
  await until(() => sessionsOf(home.dir).some((dir) => existsSync(join(dir, 'steps/step-0/began'))))
  first.child.kill('SIGKILL')
  await ended(first)
  harm(home.dir)
  const there = openHome(existsSync(moved) ? moved : home.dir)
  const doctor = async (...args: string[]) => (await neo(['doctor', ...args, '--home', there.dir])).out
  const harmed = /is used by shop\/a, but git/
  expect(await doctor()).toMatch(harmed)
  await doctor('--fix')
  expect(await doctor()).not.toMatch(harmed)
  expect(there.git('worktree', 'list', '--porcelain')).not.toContain('prunable')
  writeFileSync(gate, '')
  await there.run()
  expect(['completed', 'blocked']).toContain(there.status('a'))
})

test('a start sweeps temp files that a kill left, and none of a person or a living process', async () => {
  const home = makeHome()
  await home.run()
  const gone = (await deadPid()).toString(36)
  const ours = [
    'rooms/shop/tasks',
    'rooms/shop/transcripts',
    'rooms/shop/inbox/archive',
    '.neo',
    '.git/neo',
  ].map((folder) => `${folder}/.x.md.neo-${gone}-1a.tmp`)
  const kept = [
    'rooms/shop/tasks/.notes.tmp',
    'workspace/files/x.tmp',
    `rooms/shop/tasks/.y.md.neo-${LIVING}-1a.tmp`,
  ]
  for (const path of [...ours, ...kept]) home.write(path, 'half')
  const daemon = home.watch()
  await daemon.ready()
  await until(() => !ours.some((path) => home.has(path)))
  await daemon.stop()
  expect(kept.filter((path) => !home.has(path))).toEqual([])
})

/** Of a process that stays while the test runs, and is not the engine's. */
const LIVING = process.ppid.toString(36)

/** The number of a process that has ended. */
function deadPid(): Promise<number> {
  const child = spawn('true')
  return new Promise((resolve) => child.once('exit', () => resolve(child.pid ?? 0)))
}
