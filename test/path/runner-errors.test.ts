/** Errors of disk and git in the runner of a session: it is run again from its start, and fails only after many. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { NeoError } from '../../src/domain/home/error.ts'
import type { World } from '../../src/ports/world.ts'
import { type Home, makeHome, runbook } from './home.ts'

const TASK = runbook(['echo ran >>"$NEO_HOME/.git/ran"; echo x >x'])

type Broken = 'addWorktree' | 'commitWorktree' | 'step' | 'outcome.json'

/** The first `times` calls of one kind fail. Waits are short. */
async function worldWith(home: Home, broken: Broken, times: number): Promise<World> {
  const world = await composeWorld(home.dir)
  let left = times
  const failing = (): void => {
    if (left-- > 0)
      throw new NeoError(broken === 'outcome.json' ? 'disk' : 'git', `${broken} is out of order`)
  }
  const on = <A extends unknown[], R>(name: Broken, call: (...args: A) => R) =>
    name !== broken
      ? call
      : (...args: A): R => {
          failing()
          return call(...args)
        }
  const { git, files, processes, clock } = world
  return {
    ...world,
    git: {
      ...git,
      addWorktree: on('addWorktree', async (request) => git.addWorktree(request)),
      commitWorktree: on('commitWorktree', async (request) => git.commitWorktree(request)),
    },
    processes: { ...processes, step: on('step', async (request, signal) => processes.step(request, signal)) },
    files: {
      ...files,
      read: (path, most) => files.read(path, most),
      save: (path, bytes, expect) => files.save(path, bytes, expect),
      writeJson(path, value) {
        if (broken === 'outcome.json' && path.endsWith(broken)) failing()
        files.writeJson(path, value)
      },
    },
    clock: { now: () => clock.now(), after: (ms, call) => clock.after(Math.min(ms, 20), call) },
  }
}

describe('a session whose runner meets an error of disk or git', () => {
  test.each(['addWorktree', 'commitWorktree', 'step', 'outcome.json'] as const)(
    'is completed when %s works again, and runs its step once',
    async (broken) => {
      const home = makeHome()
      home.task('one', TASK)
      const { exitCode, events } = await home.run({ world: await worldWith(home, broken, 4) })
      expect(home.status('one')).toBe('completed')
      expect(exitCode).toBe(0)
      expect(home.read('.git/ran')).toBe('ran\n')
      expect(home.neo('one', 'attempt')).toBe('1')
      const said = events.filter(({ text }) => text.includes(`${broken} is out of order; retrying`))
      expect(said).toHaveLength(4)
    },
  )

  test('fails with its cause after the fifth error in a row', async () => {
    const home = makeHome()
    home.task('one', TASK)
    await home.run({ world: await worldWith(home, 'addWorktree', 5) })
    expect(home.status('one')).toBe('failed')
    expect(home.text('one')).toContain('addWorktree is out of order')
  })

  test('is in trouble for neo status until it gets on', async () => {
    const home = makeHome()
    home.task('one', TASK)
    const world = await worldWith(home, 'addWorktree', 2)
    const troubles: string[] = []
    const looking: World = {
      ...world,
      files: {
        ...world.files,
        writeJson(path, value) {
          world.files.writeJson(path, value)
          if (path.endsWith('daemon.json'))
            troubles.push(readFileSync(join(home.dir, '.neo/daemon.json'), 'utf8'))
        },
      },
    }
    await home.run({ world: looking })
    expect(troubles.some((text) => text.includes('session one'))).toBe(true)
    expect(troubles.at(-1)).not.toContain('session one')
  })
})
