/** The loop of an agent: order and ids of calls, cut answers, repeats, nudges, rounds of checks, folds and pauses. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tokensOfMessages } from '../../src/domain/agent/compact.ts'
import { ModelError } from '../../src/domain/agent/model-retry.ts'
import type { ModelRequest } from '../../src/ports/model-port.ts'
import { FINISH, flawsOf, results, type Says, type Script, stage, textIn, transcriptOf } from './stage.ts'

const script =
  (...says: readonly Says[]): Script =>
  (n) =>
    says[n] ?? FINISH
const write = (path: string, content: string) => ['write_file', { path, content }] as const
const shell = (command: string) => ['shell', { command }] as const

test('calls of one answer run in its order: what is read after a write is what was written', async () => {
  const at = stage(
    script({
      calls: [
        write('a', 'one\n'),
        ['read_file', { path: 'a' }],
        write('a', 'two\n'),
        ['read_file', { path: 'a' }],
      ],
    }),
  )
  expect((await at.run()) as object).toMatchObject({ kind: 'done', result: 'it is done' })
  const told = results(at.requests[1])
  expect(told.map((text) => /one|two/.exec(text)?.[0])).toEqual([undefined, 'one', undefined, 'two'])
})

for (const [name, more, most] of [
  ['before it is sent, if the window is known', { window: 8000 }, Number.POSITIVE_INFINITY],
  ['after the model said that its window is full', {}, 12_000],
] as const)
  test(`a result too large for the window is cut with a note ${name}`, async () => {
    const full = (request: ModelRequest) => results(request).join('').length > most
    let asked = 0
    const says = script({ calls: [shell('seq 1 4900'), ['read_file', { path: 'none' }]] })
    const at = stage((_, request) => {
      if (full(request)) throw new ModelError('overflow', 'prompt is too long')
      return says(asked++, request)
    }, more)
    expect((await at.run()) as object).toMatchObject({ kind: 'done', result: 'it is done' })
    const [large = '', small = ''] = results(at.requests.at(-1))
    expect(large).toMatch(
      /^[^\n]*1\n2\n[\s\S]*characters left out: too large for the context window[\s\S]*\n4900\n?$/,
    )
    expect(large.length).toBeLessThan(12_000)
    expect(small).not.toContain('left out')
  })

test('two calls with one id are two calls, each with its own result', async () => {
  const same = 'toolu_1'
  const at = stage(
    script(
      {
        calls: [
          ['shell', { command: 'echo one' }, same],
          ['shell', { command: 'echo two' }, same],
        ],
        raw: 'yes',
      },
      { calls: [['shell', { command: 'echo three' }, same]] },
    ),
  )
  await at.run()
  expect(results(at.requests[1])).toEqual(['shell: one', 'shell: two'])
  expect(results(at.requests[2])).toEqual(['shell: three'])
  expect(at.requests.flatMap(({ messages }) => flawsOf(messages))).toEqual([])
})

test('ids that are alike as names of files, and an empty one, do not meet', async () => {
  const long = 'x'.repeat(90)
  const ids = ['a.b', 'a_b', 'a/b', `${long}1`, `${long}2`, '', '']
  const at = stage(script({ calls: ids.map((id, n) => ['shell', { command: `echo ${n}` }, id] as const) }))
  await at.run()
  expect(results(at.requests[1])).toEqual(ids.map((_, n) => `shell: ${n}`))
  expect(flawsOf(at.requests[1]?.messages ?? [])).toEqual([])
})

test('arguments that do not fit and tools that there are not are answered, and the others of the answer run', async () => {
  const at = stage(script({ calls: [['write_file', { path: 7 }], ['fly', {}], write('a', 'x\n')] }))
  await at.run()
  const told = results(at.requests[1])
  expect(told[0]).toContain('expected a string')
  expect(told[1]).toContain('unknown tool fly')
  expect(at.bench.onBranch('shop/a')).toBe('x\n')
})

test('the last call of an answer that was cut is not run, nor after a kill, and the ones before it are', async () => {
  const cut: Says = { calls: [shell('echo whole >> "$PWD/w"'), shell('rm -rf hal')], stop: 'length' }
  const at = stage(script(cut))
  await at.run()
  expect(results(at.requests[1])[1]).toContain('cut off')
  expect(at.bench.onBranch('shop/w')).toBe('whole\n')
  const parts = readFileSync(transcriptOf(at.bench), 'utf8')
    .split('\n')
    .find((line) => line.includes('"assistant"'))
  expect(parts).toContain('"flaw":"cut off')
})

test.each([
  ['a tool that there is not', (n: number): Says => ({ calls: [[`fly_${n}`, {}]] })],
  ['the same command', (): Says => ({ calls: [shell('exit 3')] })],
  [
    'the same command with other blanks and comments',
    (n: number): Says => ({ calls: [shell(`exit${' '.repeat(n + 1)}3 # try ${n}`)] }),
  ],
  [
    'an edit that is refused for the same reason',
    (n: number): Says => ({ calls: [['update_file', { path: 'none', search: `a${n}`, replace: 'b' }]] }),
  ],
  [
    'the same call beside one that reads well',
    (): Says => ({ calls: [shell('exit 3'), ['read_file', { path: 'readme' }]] }),
  ],
])('%s, three times, is the end', async (_, says) => {
  const at = stage(says)
  const outcome = await at.run()
  expect(outcome).toMatchObject({ kind: 'failed', error: expect.stringMatching(/failed 3 times/) })
  expect(at.requests).toHaveLength(3)
})

test('a check that fails again and again between changes is work, and not the end', async () => {
  const at = stage((n) => (n < 6 ? { calls: [write('n', `${n}\n`), shell('test "$(cat n)" = 5')] } : FINISH))
  expect((await at.run()) as object).toMatchObject({ kind: 'done' })
})

test('an agent that calls nothing is told so twice, then it has failed', async () => {
  const at = stage(() => ({ text: 'I think it is fine.' }))
  expect((await at.run()) as object).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('without calling finish_task'),
  })
  expect(at.requests).toHaveLength(3)
  expect(textIn(at.requests[2]).match(/You called no tool/g)).toHaveLength(2)
})

test('checks that stay red go back three times, then the task has failed', async () => {
  const at = stage(() => FINISH, { record: { verify: ['echo red; exit 1'] } })
  expect((await at.run()) as object).toMatchObject({ kind: 'failed', why: 'verify' })
  expect(at.requests).toHaveLength(4)
  expect(textIn(at.requests[3]).match(/checks do not pass yet/g)).toHaveLength(3)
  expect(at.requests.flatMap(({ messages }) => flawsOf(messages))).toEqual([])
})

test('what comes after finish_task in an answer is not done', async () => {
  const at = stage(
    script({
      calls: [['finish_task', { result: 'done' }], write('late', 'x\n'), ['read_file', { path: 'readme' }]],
    }),
  )
  expect((await at.run()) as object).toMatchObject({ kind: 'done', result: 'done', changed: 'no' })
  expect(at.requests).toHaveLength(1)
  expect(existsSync(join(at.bench.deps.dirs.worktree, 'shop/late'))).toBe(false)
})

test('an answer that paused is asked for its rest, without a word between', async () => {
  const at = stage(
    script({ text: 'First', stop: 'pause' }, { text: ' and then.', calls: [write('a', 'x\n')] }),
  )
  expect((await at.run()) as object).toMatchObject({ kind: 'done' })
  expect(at.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(textIn(at.requests[2])).not.toContain('You called no tool')
})

test('a long conversation is folded: a summary, the last messages whole, no raw blocks, and every call answered', async () => {
  const big = 'y'.repeat(2_000)
  const at = stage(
    (n, { tools }) => {
      if (tools.length === 0) return { text: 'What was done so far.' }
      return n > 16 ? FINISH : { calls: [shell(`echo ${n} ${big}`)], raw: 'yes' }
    },
    { window: 8_000 },
  )
  expect((await at.run()) as object).toMatchObject({ kind: 'done' })
  const work = at.requests.filter(({ tools }) => tools.length > 0)
  expect(work.flatMap(({ messages }) => flawsOf(messages))).toEqual([])
  const folded = work.filter((request) => textIn(request).includes('Summary of the work so far'))
  expect(folded.length).toBeGreaterThan(2)
  expect(folded[0]?.messages.some((message) => 'raw' in message)).toBe(false)
  expect(textIn(folded.at(-1))).toContain('# Task: Build')
  expect(Math.max(...work.map((request) => textIn(request).length))).toBeLessThan(8_000 * 4)
})

test.each([
  ['a summary of its own', { text: `What was done so far. ${'z'.repeat(1_500)}` }],
  ['a summary that is larger than the window', { text: '長い要約'.repeat(10_000) }],
  ['no summary', { calls: [shell('echo no')] }],
])(
  'however often a conversation is folded, it stays in its window: the model gives %s',
  async (_, summary) => {
    const at = stage(
      (n, { tools }) => {
        if (tools.length === 0) return summary
        return n > 50 ? FINISH : { calls: [shell(`echo ${n} ${'y'.repeat(2_000)}`)] }
      },
      { window: 8_000, brief: { turns: 100 } },
    )
    expect((await at.run()) as object).toMatchObject({ kind: 'done' })
    expect(at.requests.filter(({ tools }) => tools.length === 0).length).toBeGreaterThan(5)
    expect(Math.max(...at.requests.map(({ messages }) => tokensOfMessages(messages)))).toBeLessThan(8_000)
    const last = textIn(at.requests.at(-1))
    expect(last.split('Summary of the work so far').length).toBe(2)
    expect(last).toContain('# Task: Build')
  },
)

test('no more calls of the model are made than the brief allows', async () => {
  const at = stage((n) => ({ calls: [write('n', `${n}\n`)] }), { brief: { turns: 4 } })
  expect((await at.run()) as object).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('all 4 turns'),
  })
  expect(at.requests).toHaveLength(4)
})

test('an agent over its budget makes no further call', async () => {
  let left = 2
  const budget = () => (left-- > 0 ? null : { error: 'spent' })
  const at = stage((n) => ({ calls: [write('n', `${n}\n`)] }), { agent: { budget } })
  expect((await at.run()) as object).toMatchObject({ kind: 'parked', by: 'budget', error: 'spent' })
  expect(at.requests).toHaveLength(2)
})

test('what looks like a secret in the output of a tool is in nothing that is kept', async () => {
  const token = `ghp_${'a1B2c3D4'.repeat(5)}`
  const says: readonly Says[] = [
    {
      calls: [
        ['read_file', { path: 'key.txt' }],
        shell('cat key.txt; seq 1 20000 | sed "s/^/$(cat key.txt) /"'),
      ],
    },
    {
      calls: [
        ['remember', { text: `The token is ${token}`, tag: [token] }],
        ['report_progress', { text: token }],
      ],
    },
    {
      calls: [
        ['spawn_subagent', { prompt: `Use ${token}` }],
        ['finish_task', { result: token, details: token }],
      ],
    },
  ]
  const at = stage((n, request) => {
    if (n === 0) return { calls: [write('key.txt', `${token}\n`)] }
    return script({}, ...says)(n, request)
  })
  const outcome = await at.run()
  expect(outcome).toMatchObject({ kind: 'done', result: '***' })
  expect(JSON.stringify(outcome)).not.toContain(token)
  const kept = at.kept()
  expect(kept.length).toBeGreaterThan(10_000)
  // Nor half of it, where a long output was cut.
  expect([kept.includes(token), kept.includes(token.slice(0, 12))]).toEqual([false, false])
})
