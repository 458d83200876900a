/**
 * Without bubblewrap: what a yes to run commands unconfined is for, whichever way it comes. One home holds a room for each
 * case, so that all of them wait and are decided side by side.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { World } from '../../src/ports/world.ts'
import { type Home, until } from '../path/home.ts'
import {
  type At,
  approve,
  atOf,
  evilBeside,
  homeOf,
  LONG_MS,
  put,
  requestsIn,
  statusOf,
} from './asked-rooms.ts'
import { bareWorld } from './unconfined.ts'

interface Case {
  /** Lines of the room's header beside those of all rooms. */
  readonly room?: readonly string[]
  readonly writes?: Readonly<Record<string, string>>
  /** What happens between the request and the yes, or to the request with the yes in it. */
  readonly change: (at: At) => void
  /** `again`: it is asked again about what is there now; `no`: the yes counts for nothing. */
  readonly wanted: 'again' | 'no'
  /** The file that says yes, if it is not the request's own. */
  readonly yes?: (at: At) => string
}
const edited = (from: RegExp, to: string) => ({
  wanted: 'no' as const,
  change: ({ home, path }: At) => {
    const text = home.read(path)
    expect(text).toMatch(from)
    home.write(path, text.replaceAll(new RegExp(from, 'g'), to))
  },
})
const link = (at: At, name: string) => {
  rmSync(name, { recursive: true, force: true })
  mkdirSync(dirname(name), { recursive: true })
  symlinkSync(at.evil, name)
}

const CASES: Readonly<Record<string, Case>> = {
  script: { wanted: 'again', change: ({ files, evil }) => put(join(files, 'check.sh'), `sh ${evil}\n`) },
  outward: { wanted: 'again', change: (at) => link(at, join(at.files, 'check.sh')) },
  ignored: { wanted: 'again', change: (at) => link(at, join(at.files, 'build/run.sh')) },
  copied: {
    wanted: 'again',
    room: ['env_files: [.env.local]'],
    change: (at) => link(at, join(at.files, '.env.local')),
  },
  above: {
    wanted: 'again',
    change: ({ worktree, evil }) => put(join(worktree, 'tools/all.sh'), `sh ${evil}\n`),
  },
  head: { wanted: 'no', change: ({ worktree }) => void git(worktree, 'checkout', '-q', '--detach', 'HEAD') },
  branch: {
    wanted: 'again',
    change: ({ home, worktree }) => {
      const branch = git(worktree, 'symbolic-ref', 'HEAD')
      git(home.dir, 'update-ref', branch, git(home.dir, 'rev-parse', 'main'))
    },
  },
  // Quotes stay as they are: whether YAML needs some depends on the hash.
  commit: edited(/(?<=commit"?: "?)[0-9a-f]{40}/, 'f'.repeat(40)),
  command: edited(/sh \.\/check\.sh/, 'true'),
  folder: edited(/\.neo\/worktrees\/s-\w+/, '.neo/worktrees/s-aaaaaa'),
  list: edited(/workspace\/files\/build\/run\.sh/, 'workspace/files/build/other.sh'),
  session: edited(/session: s-\w+/, 'session: s-aaaaaa'),
  id: {
    wanted: 'no',
    change: ({ home, path }) =>
      home.write(`${dirname(path)}/a-copy.md`, home.read(path).replaceAll('sh ./check.sh', 'true')),
    yes: ({ path }) => `${dirname(path)}/a-copy.md`,
  },
  moved: {
    wanted: 'no',
    change: ({ home, path }) => {
      mkdirSync(join(home.dir, 'rooms/lobby/asks'), { recursive: true })
      renameSync(join(home.dir, path), join(home.dir, elsewhere(path)))
    },
    yes: ({ path }) => elsewhere(path),
  },
}

const elsewhere = (path: string) => path.replace(/rooms\/[^/]+/, 'rooms/lobby')
function git(dir: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: dir, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}

test('a yes is for what was shown: whatever changes before it, or in it, runs nothing', async () => {
  const home = await homeOf(CASES)
  const marker = evilBeside(home)
  const watching = home.watch({ world: await bareWorld({ home }) })
  const names = Object.keys(CASES)
  for (const name of names) await until(() => requestsIn(home, name).length === 1, LONG_MS)
  for (const [name, { change, yes }] of Object.entries(CASES)) {
    const at = atOf(home, name)
    change(at)
    approve(home, yes?.(at) ?? at.path)
  }
  const now = () =>
    names.map((name) => [
      name,
      statusOf(home, name) === 'in_progress' && requestsIn(home, name).length === 2
        ? 'again'
        : /checks did not run/.test(home.read(`rooms/${name}/tasks/t.md`))
          ? 'no'
          : name === 'id' || name === 'moved'
            ? onlyOpen(home, name)
            : statusOf(home, name),
    ])
  const wanted = names.map((name) => [name, CASES[name]?.wanted])
  await until(() => JSON.stringify(now()) === JSON.stringify(wanted) || JSON.stringify(now()), LONG_MS)
  await watching.stop()
  expect(existsSync(marker)).toBe(false)
})

/** A copy and a moved request are put away, and the request itself waits at its place: `no`. */
function onlyOpen(home: Home, room: string): string {
  const [path = ''] = requestsIn(home, room)
  const stray = room === 'id' ? `${dirname(path)}/a-copy.md` : elsewhere(path)
  const isOpen = /decision: pending/.test(home.read(path)) && !/^handled_at/m.test(home.read(path))
  return isOpen && /^handled_at/m.test(home.read(stray)) ? 'no' : 'waits'
}

test('what changes after the yes, while the daemon is away, is asked about again', async () => {
  const home = await homeOf({ late: {} })
  const marker = evilBeside(home)
  const first = home.watch({ world: neverStarting(await bareWorld({ home }), 'verify-') })
  await until(() => requestsIn(home, 'late').length === 1)
  const { path, files, evil } = atOf(home, 'late')
  approve(home, path)
  await until(() => /^handled_at/m.test(home.read(path)))
  await until(() => reached(home).length > 0)
  await first.stop()
  put(join(files, 'build/run.sh'), `sh ${evil}\n`)
  const second = home.watch({ world: await bareWorld({ home }) })
  await until(() => requestsIn(home, 'late').length === 2)
  await second.stop()
  expect(existsSync(marker)).toBe(false)
})

const reached = ({ dir }: Home) => {
  const sessions = join(dir, '.git/neo/sessions')
  return readdirSync(sessions).flatMap((id) => {
    const steps = join(sessions, id, 'steps')
    return existsSync(steps) ? readdirSync(steps).filter((key) => key.startsWith('verify-')) : []
  })
}

/** As if the daemon ended right before a step was claimed. */
function neverStarting(world: World, key: string): World {
  return {
    ...world,
    processes: {
      ...world.processes,
      step: async (request, signal) => {
        if (!request.dir.includes(`/${key}`)) return world.processes.step(request, signal)
        mkdirSync(request.dir, { recursive: true })
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return { kind: 'unknown' }
      },
    },
  }
}

test('setup on a branch of a model is looked at again after the yes', async () => {
  const home = await homeOf({ setup: { room: ['setup: ["sh ./check.sh"]'] } })
  const marker = evilBeside(home)
  const branch = 'neo/setup/t-1'
  home.git('checkout', '-q', '-b', branch)
  home.write('workspace/files/check.sh', 'sh ./build/run.sh || true\n')
  home.git('add', 'workspace')
  home.git('commit', '-q', '-m', 'neo(setup): do t\n\nNeo-Session: s-a\nNeo-Work: model')
  home.git('checkout', '-q', 'main')
  const neoBlock = `neo:\n  id: t-abcdef\n  attempt: 1\n  branch: ${branch}\n`
  home.write('rooms/setup/tasks/t.md', `---\n${neoBlock}---\n# T\n\nThis is setup.\n`)
  const watching = home.watch({ world: await bareWorld({ home }) })
  await until(() => requestsIn(home, 'setup').length === 1)
  const { path, files, evil } = atOf(home, 'setup')
  put(join(files, 'build/run.sh'), `sh ${evil}\n`)
  approve(home, path)
  await until(() => requestsIn(home, 'setup').length === 2)
  expect(existsSync(marker)).toBe(false)
  const second = requestsIn(home, 'setup').find((other) => other !== path) ?? ''
  expect(home.read(second)).toContain('workspace/files/build/run.sh')
  approve(home, second)
  await until(() => existsSync(marker))
  await watching.stop()
})
