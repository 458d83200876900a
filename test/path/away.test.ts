/** A person who changes branches all the while: the home waits when they are away, and nothing of ours stands in their way. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Home, makeHome, runbook, until } from './home.ts'

const run = promisify(execFile)
const TASKS = 10
const NAMES = Array.from({ length: TASKS }, (_, index) => `t${index}`)
const TURNS = Number(process.env['NEO_TURNS'] ?? 9)
const SEED = Number(process.env['NEO_SEED'] ?? 1)

/** The same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Git as a person types it, again for a second when something of ours is just on its way. */
async function checkout(home: Home, ...args: readonly string[]): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return void (await run('git', ['checkout', '-q', ...args], { cwd: home.dir }))
    } catch (error) {
      if (tries > 60) throw error
      await pause(15)
    }
  }
}

/** The tasks that are not completed, with what they say; '' for none. */
function notDone(home: Home): string {
  const open = NAMES.filter((name) => home.status(name) !== 'completed')
  return open.map((name) => `${name}: ${home.status(name)} ${home.neo(name, 'error') ?? ''}`).join('\n')
}

test.each([
  ['that has none of the tasks', 'begin'],
  ['that has the tasks as they were', 'adopted'],
])('watch leaves a branch %s alone, and goes on after each way back', async (_, from) => {
  const config = 'daemon: { branch: main, settle: 10ms, rescan: 1s, concurrency: 3 }\n'
  const home = makeHome({ 'neo.yaml': config })
  home.git('tag', 'begin')
  const random = seeded(SEED)
  const daemon = home.watch()
  await daemon.ready()
  for (const name of NAMES) home.task(name, runbook([`echo ${name} > ${name}.txt`, 'sleep 0.05', 'true']))
  const committed = () => home.git('ls-tree', '-r', '--name-only', 'HEAD', 'rooms/shop/tasks').split('\n')
  await until(() => committed().length === TASKS)
  home.git('tag', 'adopted', 'HEAD')
  const side = home.git('rev-parse', from)
  for (let turn = 0; turn < TURNS; turn++) {
    await checkout(home, '-B', 'side', from)
    await pause(random() * 120)
    expect(home.git('rev-parse', 'side')).toBe(side)
    if (turn % 8 === 0) await until(() => home.git('status', '--porcelain') || true, 8_000)
    await checkout(home, 'main')
    await pause(random() * 120)
  }
  await until(() => notDone(home) || true, 90_000)
  await until(() => NAMES.every((name) => home.read(`workspace/files/${name}.txt`) === `${name}\n`))
  await until(() => home.git('status', '--porcelain') === '')
  const { events } = await daemon.stop()
  expect(home.git('log', '--format=%s', 'main')).not.toMatch(/delete |merge edit|restore |adopt copy/)
  expect(NAMES.map((name) => home.neo(name, 'attempt'))).toEqual(NAMES.map(() => '1'))
  expect(events.filter(({ kind }) => kind === 'trouble' || kind === 'fail')).toEqual([])
})
