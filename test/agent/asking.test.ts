/** What a session asks for: answers, leave, subagents, stops while it waits, and going on after a kill. */
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { FINISH, flawsOf, results, type Says, type Script, stage, type Stage, textIn } from './stage.ts'
import { MOMENT_MS } from '../wait.ts'

const ASK: Says = { calls: [['ask_human', { question: 'Which colour?' }]] }
const SPAWN: Says = { calls: [['spawn_subagent', { prompt: 'Count the lines.' }]] }
const script =
  (...says: readonly (Says | 'stay')[]): Script =>
  (n) =>
    says[n] ?? FINISH

function keyOf({ wants }: Stage): string {
  return wants()[0]?.key ?? ''
}

test('a question is put once, and its answer is the result of the call', async () => {
  const at = stage(script(ASK))
  const ended = at.run()
  await until(() => at.wants().length === 1)
  at.deliver({ key: keyOf(at), kind: 'answer', from: 'human', text: 'Blue.' })
  expect((await ended) as object).toMatchObject({ kind: 'done' })
  expect(results(at.requests[1])).toEqual(['ask_human: Blue.'])
})

test.each([
  ['a subagent that ended', { key: 'subagent-t-1', from: 'task:t-1' }],
  ['another session', { key: 'm-1', from: 'session:s-other0' }],
  ['an edit of the task', { key: 'edit-1', from: 'human' }],
])('the words of %s answer no question, and are told after it', async (_, { key, from }) => {
  const at = stage(script(ASK))
  const ended = at.run()
  await until(() => at.wants().length === 1)
  at.deliver({ key, kind: 'message', from, text: 'Yes, delete everything.' })
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(at.requests).toHaveLength(1)
  at.deliver({ key: keyOf(at), kind: 'answer', from: 'human', text: 'Blue.' })
  await ended
  expect(results(at.requests[1])).toEqual(['ask_human: Blue.'])
  expect(textIn(at.requests[1]).match(/Yes, delete everything/g)).toHaveLength(1)
})

test('a person’s message answers a question, and is told once, also after a kill in between', async () => {
  const at = stage(script(ASK, 'stay', { text: 'Hm.' }))
  const abort = new AbortController()
  const first = at.run(abort.signal)
  await until(() => at.wants().length === 1)
  at.deliver({ key: 'm-1', kind: 'message', from: 'human', text: 'Take blue.' })
  await until(() => at.requests.length === 2)
  abort.abort('leave')
  expect(await first).toBe('left')
  expect((await at.run()) as object).toMatchObject({ kind: 'done' })
  expect(textIn(at.requests.at(-1)).match(/Take blue/g)).toHaveLength(1)
  expect(at.requests.flatMap(({ messages }) => flawsOf(messages))).toEqual([])
})

test('leave is asked before a command where the room says so; no is told with its reason, and nothing runs', async () => {
  const at = stage(script({ calls: [['shell', { command: 'echo x > ran' }]] }), {
    brief: { permissions: { shell: 'ask', network: 'deny', write: [] } },
  })
  const ended = at.run()
  await until(() => at.wants().length === 1)
  expect(at.wants()[0]).toMatchObject({
    kind: 'approval',
    tool: 'shell',
    arguments: { command: 'echo x > ran' },
  })
  at.deliver({ key: 'm-1', kind: 'message', from: 'human', text: 'yes' })
  at.deliver({ key: keyOf(at), kind: 'answer', from: 'Person', text: '', verdict: 'no' })
  expect((await ended) as object).toMatchObject({ kind: 'done', changed: 'no' })
  expect(results(at.requests[1])[0]).toContain('denied by Person')
})

test('a command that holds a secret is not shown to anybody, and does not run', async () => {
  const token = `ghp_${'a1B2c3D4'.repeat(5)}`
  const at = stage(script({ calls: [['shell', { command: `echo ${token} > ran` }]] }), {
    brief: { permissions: { shell: 'ask', network: 'deny', write: [] } },
  })
  expect((await at.run()) as object).toMatchObject({ kind: 'done', changed: 'no' })
  expect(results(at.requests[1])[0]).toContain('looks like a secret')
  expect(at.kept()).not.toContain(token)
})

test('an approved command is run once, though the program dies between the yes and the run', async () => {
  const at = stage(script({ calls: [['shell', { command: 'echo ran >> ran' }]] }), {
    brief: { permissions: { shell: 'ask', network: 'deny', write: [] } },
  })
  const abort = new AbortController()
  const first = at.run(abort.signal)
  await until(() => at.wants().length === 1)
  const key = keyOf(at)
  abort.abort('leave')
  expect(await first).toBe('left')
  at.deliver({ key, kind: 'answer', from: 'Person', text: '', verdict: 'yes' })
  expect((await at.run()) as object).toMatchObject({ kind: 'done' })
  expect((await at.run()) as object).toMatchObject({ kind: 'done' })
  expect(at.bench.onBranch('shop/ran')).toBe('ran\n')
})

test('a worker with nothing else to do waits for its subagent, whose result comes as a message', async () => {
  const at = stage(script(SPAWN, { text: 'I wait.' }))
  const ended = at.run()
  await until(() => at.wants().length === 1 && at.requests.length === 2)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(at.requests).toHaveLength(2)
  const [want] = at.wants()
  at.deliver({
    key: 'subagent-t-1',
    kind: 'message',
    from: 'task:t-1',
    text: 'Subagent is completed: 12 lines',
  })
  at.deliver({
    key: want?.key ?? '',
    kind: 'answer',
    from: 'task:t-1',
    text: 'Subagent is completed: 12 lines',
  })
  expect((await ended) as object).toMatchObject({ kind: 'done' })
  expect(textIn(at.requests[2]).match(/12 lines/g)).toHaveLength(1)
  expect(textIn(at.requests[2])).not.toContain('You called no tool')
})

test('a worker that finishes before its subagent ends is done', async () => {
  const at = stage(script(SPAWN))
  expect((await at.run()) as object).toMatchObject({ kind: 'done' })
})

test('a subagent of a subagent starts none', async () => {
  const at = stage(script(SPAWN), { brief: { depth: 2 } })
  await at.run()
  expect(results(at.requests[1])[0]).toContain('unknown tool spawn_subagent')
  expect(at.wants()).toEqual([])
})

test.each([
  ['a call of the model', 'stay', (at: Stage) => at.requests.length === 1],
  [
    'a command',
    { calls: [['shell', { command: 'sleep 600 & sleep 600' }]] },
    (at: Stage) => at.requests.length === 1,
  ],
  ['a question', ASK, (at: Stage) => at.wants().length === 1],
  ['a wait for a subagent', SPAWN, (at: Stage) => at.requests.length === 2],
] as const)('a stop during %s ends the session within five seconds', async (_, says, begun) => {
  const at = stage(script(says as Says | 'stay', { text: 'I wait.' }))
  const abort = new AbortController()
  const ended = at.run(abort.signal)
  await until(() => begun(at))
  await new Promise((resolve) => setTimeout(resolve, 150))
  const began = Date.now()
  abort.abort('a person said so')
  expect((await ended) as object).toMatchObject({ kind: 'stopped', why: 'a person said so' })
  expect(Date.now() - began).toBeLessThan(MOMENT_MS)
})
