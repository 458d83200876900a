/** The loop that every conversation with tools shares: its order, its limits, and what becomes of ids and cut calls. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Answered, idName, type Led, leadConversation } from '../../../src/agent/runtime/agent-loop.ts'
import {
  type AssistantMessage,
  type CallPart,
  callsOf,
  type Message,
  NO_USAGE,
  type Reply,
  type StopReason,
} from '../../../src/domain/agent/model-message.ts'

type End = { readonly end: string }

interface Said {
  readonly text?: string
  readonly ids?: readonly string[]
  readonly stop?: StopReason
  readonly raw?: boolean
}

function replyOf({ text = '', ids = [], stop, raw = false }: Said): Reply {
  const parts: AssistantMessage['parts'] = [
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...ids.map((id) => ({ kind: 'call' as const, id, name: 'find', input: {} })),
  ]
  const own = raw ? { raw: { api: 'anthropic', model: 'fake/one', content: [] } } : {}
  return {
    message: { role: 'assistant', parts, ...own },
    stop: stop ?? (ids.length > 0 ? 'calls' : 'end'),
    note: '',
    usage: NO_USAGE,
  }
}

interface Bench extends Led<End> {
  readonly steps: string[]
  readonly kept: AssistantMessage[]
}

/** A conversation whose answers are given; a quiet answer ends it. */
function bench(answers: readonly (Said | 'overflow')[], own: Partial<Led<End>> = {}): Bench {
  const steps: string[] = []
  const kept: AssistantMessage[] = []
  const messages: Message[] = [{ role: 'user', parts: [{ kind: 'text', text: 'Begin.' }] }]
  let asked = 0
  return {
    steps,
    kept,
    messages: () => messages,
    prefix: () => String(kept.length + 1),
    limit: () => null,
    shorten: async (why) => {
      steps.push(`shorten ${why}`)
      return false
    },
    ask: async (): Promise<Answered<End>> => {
      const said = answers[asked++]
      steps.push('ask')
      if (said === undefined) return { kind: 'none', end: { end: 'no more answers' } }
      return said === 'overflow' ? { kind: 'overflow' } : { kind: 'reply', reply: replyOf(said) }
    },
    keep: (message) => {
      steps.push('keep')
      kept.push(message)
      messages.push(message)
      return null
    },
    run: async (calls: readonly CallPart[]) => {
      steps.push(`run ${calls.map(({ id }) => id).join(',')}`)
      const parts = calls.map(({ id, name }) => ({
        kind: 'result' as const,
        call: id,
        name,
        text: '',
        isError: false,
      }))
      messages.push({ role: 'user', parts })
      return null
    },
    quiet: async () => {
      steps.push('quiet')
      return { end: 'quiet' }
    },
    full: () => ({ end: 'full' }),
    ...own,
  }
}

test('an answer is kept before its calls run, and asked for again after them', async () => {
  const at = bench([{ ids: ['a', 'b'] }, { text: 'Done.' }])
  expect(await leadConversation(at)).toEqual({ end: 'quiet' })
  expect(at.steps).toEqual(['shorten due', 'ask', 'keep', 'run a,b', 'shorten due', 'ask', 'keep', 'quiet'])
})

test('a limit is checked before each answer, and no answer is asked for once it is reached', async () => {
  let left = 2
  const at = bench([{ ids: ['a'] }, { ids: ['b'] }, { ids: ['c'] }], {
    limit: () => (left-- > 0 ? null : { end: 'limit' }),
  })
  expect(await leadConversation(at)).toEqual({ end: 'limit' })
  expect(at.steps.filter((step) => step === 'ask')).toHaveLength(2)
})

test('an end of keep is the end: no call of that answer runs', async () => {
  const at = bench([{ ids: ['a'], stop: 'refusal' }], { keep: () => ({ end: 'refused' }) })
  expect(await leadConversation(at)).toEqual({ end: 'refused' })
  expect(at.steps).toEqual(['shorten due', 'ask'])
})

test('an end of a run is the end', async () => {
  const at = bench([{ ids: ['a'] }, { text: 'more' }], { run: async () => ({ end: 'finished' }) })
  expect(await leadConversation(at)).toEqual({ end: 'finished' })
  expect(at.kept).toHaveLength(1)
})

test('after a pause the rest of the answer is asked for; it is not taken for a quiet one', async () => {
  const at = bench([{ text: 'Half', stop: 'pause' }, { text: 'Whole' }])
  expect(await leadConversation(at)).toEqual({ end: 'quiet' })
  expect(at.steps).toEqual(['shorten due', 'ask', 'keep', 'shorten due', 'ask', 'keep', 'quiet'])
})

test('calls of an answer that paused run all the same', async () => {
  const at = bench([{ ids: ['a'], stop: 'pause' }, { text: 'Done.' }])
  await leadConversation(at)
  expect(at.steps).toContain('run a')
})

test.each([
  [true, ['shorten due', 'ask', 'shorten overflow', 'shorten due', 'ask', 'keep', 'quiet'], 'quiet'],
  [false, ['shorten due', 'ask', 'shorten overflow'], 'full'],
])(
  'a conversation that does not fit is shortened (%s), and asked again or ended',
  async (works, steps, end) => {
    const at: Bench = bench(['overflow', { text: 'Fits.' }], {
      shorten: async (why) => {
        at.steps.push(`shorten ${why}`)
        return why === 'overflow' && works
      },
    })
    expect(await leadConversation(at)).toEqual({ end })
    expect(at.steps).toEqual(steps)
  },
)

test('no answer ends it as the caller says', async () => {
  expect(await leadConversation(bench([]))).toEqual({ end: 'no more answers' })
})

test('only the last call of an answer that was cut at its length is not run', async () => {
  const at = bench([{ ids: ['a', 'b'], stop: 'length' }, { text: 'Done.' }])
  await leadConversation(at)
  const [first] = at.kept
  expect(callsOf(first as AssistantMessage).map(({ flaw }) => flaw ?? 'runs')).toEqual([
    'runs',
    expect.stringContaining('cut off'),
  ])
})

test.each([
  ['every id is new', ['a', 'b'], true],
  ['an id comes twice', ['a', 'a'], false],
  ['an id is empty', ['a', ''], false],
  ['two ids name the same file', ['x/y', 'x.y'], false],
  ['two ids differ in capitals alone', ['call', 'CALL'], false],
])('the provider’s own blocks are kept if no call was changed: %s', async (_, ids, isKept) => {
  const at = bench([{ ids, raw: true }, { text: 'Done.' }])
  await leadConversation(at)
  expect(at.kept[0]?.raw !== undefined).toBe(isKept)
})

test('whatever ids a server sends, no two calls of a conversation name the same file', async () => {
  const id = fc.oneof(
    fc.constantFrom('', 'a', 'A', 'a.b', 'a/b', 'call_2_0', 'é'),
    fc.string({ maxLength: 100 }),
  )
  const answers = fc.array(fc.array(id, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(answers, async (all) => {
      const at = bench([...all.map((ids) => ({ ids })), { text: 'Done.' }])
      await leadConversation(at)
      const names = at.kept.flatMap(callsOf).map((call) => idName(call.id).toLowerCase())
      expect(names).toHaveLength(all.flat().length)
      expect(new Set(names).size).toBe(names.length)
      expect(names.every((name) => /^[a-z0-9_-]{1,80}$/.test(name))).toBe(true)
    }),
  )
})

test('an id that is free stays as the server sent it', async () => {
  const at = bench([{ ids: ['toolu_01', 'toolu_02'] }, { ids: ['toolu_02'] }, { text: 'Done.' }])
  await leadConversation(at)
  const [first, second] = at.kept.map((message) => callsOf(message).map(({ id }) => id))
  expect(first).toEqual(['toolu_01', 'toolu_02'])
  expect(second).toEqual(['call_2_0'])
})
