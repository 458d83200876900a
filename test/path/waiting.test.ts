/** Sessions that wait for a person: what they leave to others meanwhile, and how they go on. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lookOnce } from '../../src/engine/look-once.ts'
import { composeWorld } from '../../src/compose.ts'
import { type Home, makeHome, runbook, until } from './home.ts'
import { type Asked, startModel } from './model.ts'

const FINISH = { calls: [{ name: 'finish_task', input: { result: 'done' } }] }
const FIRST: Readonly<Record<string, { name: string; input: Record<string, unknown> }>> = {
  'Ask me': { name: 'ask_human', input: { question: 'Which colour?' } },
  'Use the shell': { name: 'shell', input: { command: 'true' } },
  'Give it away': { name: 'spawn_subagent', input: { prompt: 'Ask me.' } },
}

async function home(limits: { all: number; room: number }, more: Record<string, string>): Promise<Home> {
  const model = await startModel(({ turn, last, text }: Asked) => {
    const first = Object.entries(FIRST).find(([say]) => (turn === 0 ? last : '').includes(say))
    if (first !== undefined) return { calls: [first[1]] }
    const isParent = text.includes('Give it away') && !text.includes('Message from task:')
    return isParent && turn < 2 ? 'It works on it.' : FINISH
  })
  return makeHome({
    'neo.yaml': model.config.replace('rescan: 1s', `rescan: 1s, concurrency: ${limits.all}`),
    'rooms/shop/ROOM.md': `---\nworker: agent\nreview: none\nconcurrency: ${limits.room}\npermissions: { shell: ask }\n---\n`,
    ...more,
  })
}

function openRequests(of: Home): string[] {
  const folder = join(of.dir, 'rooms/shop/asks')
  return readdirSync(folder)
    .map((name) => `rooms/shop/asks/${name}`)
    .filter((path) => !/^handled_at: /m.test(of.read(path)))
}

function decide(of: Home, path: string): void {
  const text = of.read(path)
  of.write(
    path,
    /^kind: question/m.test(text)
      ? text.replace(/## Answer\n[\s\S]*$/, '## Answer\n\nBlue\n')
      : text.replace('decision: pending', 'decision: approved'),
  )
}

const HOUR_MS = 3_600_000
const quick = runbook(['true'], ['worker: shell'])

/** Bounds a look in vain. */
const MOST_LOOKS = 300

/** What the plan says as soon as so many tasks wait: a look may come in the middle of a round of the daemon. */
async function waitingIn(of: Home, least: number) {
  for (let tries = 0; ; tries++) {
    const { waiting } = await planOf(of)
    if (waiting.length >= least || tries === MOST_LOOKS) return waiting
  }
}

async function planOf({ dir }: Home) {
  const world = await composeWorld(dir)
  try {
    return (await lookOnce(world, dir)).plan
  } finally {
    await world.git.close()
  }
}

test.each([
  ['a question', 'Ask me.\n'],
  ['a request to use the shell', 'Use the shell.\n'],
  ['a subagent that asks', 'Give it away.\n'],
])('a session that waits with %s takes no slot of home or room', async (_, text) => {
  const of = await home({ all: 1, room: 1 }, { 'rooms/shop/tasks/a.md': text })
  const watching = of.watch()
  await until(() => openRequests(of).length === 1)
  of.task('b', quick)
  await until(() => of.status('b') === 'completed')
  expect(of.status('a')).toBe('in_progress')
  expect(await waitingIn(of, 1)).toContainEqual({
    path: expect.any(String),
    on: expect.stringMatching(/^you: neo ask show a-/),
  })
  for (const path of openRequests(of)) decide(of, path)
  await until(() => of.status('a') === 'completed')
  await watching.stop()
})

test('what was answered goes on when a slot is free, before what has not begun', async () => {
  const of = await home({ all: 1, room: 5 }, { 'rooms/shop/tasks/a.md': 'Ask me.\n' })
  const watching = of.watch()
  await until(() => openRequests(of).length === 1)
  of.task('b', runbook(['until test -e ../../../../../go; do sleep 0.05; done'], ['worker: shell']))
  await until(() => of.status('b') === 'in_progress')
  of.task('c', runbook(['true'], ['worker: shell', 'priority: urgent']))
  for (const path of openRequests(of)) decide(of, path)
  await until(() => of.neo('c', 'id') !== undefined)
  expect(await waitingIn(of, 2)).toEqual([
    { path: 'rooms/shop/tasks/a.md', on: 'a free slot, to continue with your answer' },
    { path: 'rooms/shop/tasks/c.md', on: 'a free slot' },
  ])
  of.write('go', '')
  await until(() => of.status('a') === 'completed' && of.status('c') === 'completed')
  const at = (name: string, key: string) => Date.parse(of.neo(name, key) ?? '')
  expect(at('c', 'started_at')).toBeGreaterThanOrEqual(at('a', 'completed_at'))
  await watching.stop()
})

test('the time that a person takes to answer does not count against the limit of the task', async () => {
  const of = await home({ all: 1, room: 1 }, { 'rooms/shop/tasks/a.md': '---\ntimeout: 1h\n---\nAsk me.\n' })
  await of.run()
  for (const path of openRequests(of)) decide(of, path)
  const world = await composeWorld(of.dir)
  const clock = { ...world.clock, now: () => world.clock.now() + 2 * HOUR_MS }
  await of.run({ world: { ...world, clock } })
  expect([of.status('a'), of.neo('a', 'error')]).toEqual(['completed', undefined])
})
