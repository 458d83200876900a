/** One answer of a model: budget, counting, waits that a stop cuts short, and text that streams. */
import { expect, test } from 'vitest'
import { type Asked, type Asking, askModel } from '../../../src/agent/runtime/ask-model.ts'
import { NO_USAGE, type Reply } from '../../../src/domain/agent/model-message.ts'
import { ModelError, type ModelErrorKind } from '../../../src/domain/agent/model-retry.ts'
import type { ModelRequest } from '../../../src/ports/model-port.ts'

const QUESTION = {
  system: ['You work.'],
  tools: [],
  messages: [{ role: 'user' as const, parts: [{ kind: 'text' as const, text: 'Begin.' }] }],
}
const USED = { ...NO_USAGE, input: 7, output: 3 }
const REPLY: Reply = {
  message: { role: 'assistant', parts: [{ kind: 'text', text: 'Yes.' }] },
  stop: 'end',
  note: '',
  usage: USED,
}

type Step = Reply | Error | ((request: ModelRequest) => Promise<Reply>)

interface Bench {
  readonly said: string[]
  ask(own?: Partial<Asking<string>>): Promise<Asked<string>>
}

/** A model that takes these steps, and a clock on which every wait is over at once. */
function bench(steps: readonly Step[], signal = new AbortController().signal): Bench {
  const said: string[] = []
  let at = 0
  const asking: Asking<string> = {
    model: {
      ref: 'fake/one',
      window: null,
      call: async (request) => {
        said.push('call')
        const step = steps[at++] ?? REPLY
        if (step instanceof Error) throw step
        return typeof step === 'function' ? await step(request) : step
      },
    },
    clock: {
      after: (ms, call) => {
        said.push(`wait ${ms}`)
        queueMicrotask(call)
        return () => {}
      },
    },
    signal,
    longestPauseMs: 60_000,
    overBudget: () => null,
    count: () => {
      said.push('count')
      return { used: ({ input }) => said.push(`used ${input}`), nothing: () => said.push('nothing') }
    },
    onWait: (ms, error) => void said.push(`${error.kind} ${ms}`),
  }
  return { said, ask: (own = {}) => askModel({ ...asking, ...own }, QUESTION) }
}

const failure = (kind: ModelErrorKind, retryAfterMs?: number) =>
  new ModelError(kind, `the server said ${kind}`, retryAfterMs === undefined ? {} : { retryAfterMs })

test('a call is counted before it is made, and its usage replaces the estimate', async () => {
  const at = bench([REPLY])
  expect(await at.ask()).toEqual({ kind: 'reply', reply: REPLY })
  expect(at.said).toEqual(['count', 'call', 'used 7'])
})

test('over a budget nothing is counted and no call is made', async () => {
  const at = bench([REPLY])
  expect(await at.ask({ overBudget: () => 'spent' })).toEqual({ kind: 'over budget', spent: 'spent' })
  expect(at.said).toEqual([])
})

test('the budget is looked at again before each try', async () => {
  const at = bench([failure('server'), REPLY])
  let tries = 0
  expect(await at.ask({ overBudget: () => (++tries > 1 ? 'spent' : null) })).toMatchObject({
    kind: 'over budget',
  })
  expect(at.said.filter((one) => one === 'call')).toHaveLength(1)
})

test.each(['overloaded', 'server', 'network', 'cut', 'silent'] as const)(
  'after %s it waits longer each time, says so, and gives up after five calls',
  async (kind) => {
    const at = bench(Array.from({ length: 9 }, () => failure(kind)))
    expect(await at.ask()).toMatchObject({ kind: 'failed', error: { kind } })
    const waits = at.said.flatMap((one) => (one.startsWith('wait ') ? [Number(one.slice(5))] : []))
    expect(at.said.filter((one) => one === 'call')).toHaveLength(5)
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(new Set(waits).size).toBe(4)
  },
)

test.each([
  ['auth', 'failed'],
  ['billing', 'failed'],
  ['forbidden', 'failed'],
  ['missing', 'failed'],
  ['request', 'failed'],
  ['refused_size', 'failed'],
  ['overflow', 'overflow'],
  ['aborted', 'stopped'],
] as const)('%s is not tried again: %s', async (kind, end) => {
  const at = bench([failure(kind)])
  expect(await at.ask()).toMatchObject({ kind: end })
  expect(at.said.filter((one) => one === 'call')).toHaveLength(1)
})

test.each([
  ['rate', true],
  ['auth', true],
  ['network', true],
  ['cut', false],
  ['silent', false],
] as const)('whether a call that failed with %s counts as nothing: %s', async (kind, isNothing) => {
  const at = bench([failure(kind), REPLY])
  await at.ask()
  expect(at.said.includes('nothing')).toBe(isNothing)
})

test('a limit that resets soon is waited for; one that takes longer is left to the caller', async () => {
  const short = bench([failure('rate', 5_000), REPLY])
  expect(await short.ask()).toMatchObject({ kind: 'reply' })
  expect(short.said).toContain('rate 5000')
  const long = bench([failure('rate', 61_000), REPLY])
  expect(await long.ask()).toMatchObject({ kind: 'paused', ms: 61_000, error: { kind: 'rate' } })
  expect(long.said).not.toContain('wait 61000')
})

test('rate limits use up no tries', async () => {
  const at = bench([...Array.from({ length: 12 }, () => failure('rate', 1_000)), REPLY])
  expect(await at.ask()).toMatchObject({ kind: 'reply' })
})

test('a stop ends the wait, and no further call is made', async () => {
  const abort = new AbortController()
  const at = bench([failure('server'), REPLY], abort.signal)
  let cancelled = 0
  const ended = at.ask({
    clock: { after: () => () => void cancelled++ },
    onWait: () => queueMicrotask(() => abort.abort('a person said so')),
  })
  expect(await ended).toEqual({ kind: 'stopped' })
  expect([cancelled, at.said.filter((one) => one === 'call').length]).toEqual([1, 1])
})

test('a failure while it is being stopped counts as the stop', async () => {
  const abort = new AbortController()
  const at = bench(
    [
      async () => {
        abort.abort()
        throw failure('network')
      },
    ],
    abort.signal,
  )
  expect(await at.ask()).toEqual({ kind: 'stopped' })
})

test('what is not the model’s error is thrown, so that nobody retries a mistake of this program', async () => {
  const at = bench([new TypeError('undefined is not a function')])
  await expect(at.ask()).rejects.toThrow('undefined is not a function')
})

test('callers hear of each failure before anything follows from it, and of the end of each wait', async () => {
  const at = bench([failure('server'), REPLY])
  await at.ask({
    onFailure: (error, next) => void at.said.push(`failure ${error.kind} ${next.do}`),
    onWaited: () => void at.said.push('waited'),
  })
  const order = at.said.filter((one) => /^(?:failure|wait|waited)\b/.test(one))
  expect(order).toEqual(['failure server wait', 'wait 2000', 'waited'])
})

test('a secret that streams in pieces is masked before it is shown, and all other text comes through', async () => {
  const token = `ghp_${'a1B2c3D4'.repeat(5)}`
  const shown: string[] = []
  const whole = `The token is ${token}, keep it.\nSecond line.\n`
  const at = bench([
    async ({ onText }) => {
      for (const letter of whole) onText?.(letter)
      return REPLY
    },
  ])
  await at.ask({ onText: (delta) => void shown.push(delta) })
  const text = shown.join('')
  expect(text).not.toContain(token)
  expect(text).toContain('The token is ')
  expect(text).toContain('keep it.\nSecond line.\n')
})
