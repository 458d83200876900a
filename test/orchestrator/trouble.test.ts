import { describe, expect, test } from 'vitest'
import { ModelError, type ModelErrorKind } from '../../src/domain/agent/model-retry.ts'
import { call, does, reply, says } from './script.ts'
import { FakeHub, lines, message, SIGNAL, stage } from './world.ts'

const task = (title: string) => call('create_task', { title, description: 'x' })
const MINUTE = 60_000

describe('without work', () => {
  test('no model is called, nothing is asked of the hub and nothing is written', async () => {
    const { neo, hub, model, statuses } = stage([])
    expect(await neo.turn('shop', [], SIGNAL)).toEqual({ kind: 'done', reply: '' })
    expect([hub.calls, model.requests, statuses]).toEqual([[], [], []])
  })

  test('the same trigger costs one turn, however often it comes', async () => {
    const { neo, model } = stage([says('Once.')])
    const trigger = message('hi')
    for (let n = 0; n < 5; n += 1) await neo.turn('shop', [trigger, trigger], SIGNAL)
    expect(model.requests.length).toBe(1)
  })
})

describe('wakes of his own doing', () => {
  const ended = (n: number) =>
    message('done', { key: `ended ${n}`, kind: 'ended', from: 'task:t-1', task: 't-1' })

  test('are ten an hour; the next one waits until the first is an hour old', async () => {
    const { neo, clock, model } = stage(Array.from({ length: 11 }, () => says('')))
    const start = clock.at
    for (let n = 0; n < 10; n += 1) {
      clock.at = start + n * MINUTE
      await neo.turn('shop', [ended(n)], SIGNAL)
    }
    expect(await neo.turn('shop', [ended(10)], SIGNAL)).toMatchObject({
      kind: 'waits',
      retryAt: start + 60 * MINUTE,
    })
    expect(model.requests.length).toBe(10)
    clock.at = start + 60 * MINUTE
    expect((await neo.turn('shop', [ended(10)], SIGNAL)).kind).toBe('done')
  })

  test('are counted over restarts, and do not keep a person waiting', async () => {
    const first = stage(Array.from({ length: 10 }, () => says('')))
    for (let n = 0; n < 10; n += 1) await first.neo.turn('shop', [ended(n)], SIGNAL)
    const { neo } = first.again([says('Yes?')])
    expect((await neo.turn('shop', [ended(10)], SIGNAL)).kind).toBe('waits')
    expect((await neo.turn('shop', [ended(10), message('hello')], SIGNAL)).reply).toBe('Yes?')
  })

  test('are counted room by room', async () => {
    const { neo } = stage(Array.from({ length: 11 }, () => says('')))
    for (let n = 0; n < 10; n += 1) await neo.turn('shop', [ended(n)], SIGNAL)
    expect((await neo.turn('garden', [{ ...ended(10), room: 'garden' }], SIGNAL)).kind).toBe('done')
  })
})

describe('a model in trouble', () => {
  const PASSING: readonly ModelErrorKind[] = ['overloaded', 'server', 'network', 'cut', 'silent']
  const LASTING: readonly ModelErrorKind[] = [
    'auth',
    'billing',
    'forbidden',
    'missing',
    'request',
    'refused_size',
  ]
  const STEPS = ['first', 'middle', 'last'] as const
  /** A turn of three answers, with trouble before one of them. */
  const script = (step: (typeof STEPS)[number], trouble: ModelError) => {
    const good = [does(task('A')), does(task('B')), says('Done.')]
    return [...good.slice(0, STEPS.indexOf(step)), trouble, ...good.slice(STEPS.indexOf(step))]
  }
  const grid = (kinds: readonly ModelErrorKind[]) =>
    kinds.flatMap((kind) => STEPS.map((step) => [kind, step] as const))

  test.each(grid(PASSING))('that passes (%s, %s step) is waited for, and seen', async (kind, step) => {
    const { neo, hub, statuses } = stage(script(step, new ModelError(kind, `it is ${kind}`)))
    expect(await neo.turn('shop', [message('go')], SIGNAL)).toEqual({ kind: 'done', reply: 'Done.' })
    expect(hub.tasks.map(({ title }) => title)).toEqual(['A', 'B'])
    expect(statuses).toContain(`thinking (retrying in 2 s: it is ${kind})`)
  })

  test.each(grid([...LASTING, 'rate']))(
    'that lasts (%s, %s step) ends in a wait; the next turn goes on',
    async (kind, step) => {
      const { neo, hub, clock } = stage(script(step, new ModelError(kind, `it is ${kind}`)))
      const trigger = message('go')
      const waits = await neo.turn('shop', [trigger], SIGNAL)
      expect(waits).toMatchObject({ kind: 'waits', why: `it is ${kind}`, retryAt: expect.any(Number) })
      expect(waits.retryAt).toBeGreaterThan(clock.at)
      expect((await neo.turn('shop', [trigger], SIGNAL)).reply).toBe('Done.')
      expect(hub.tasks.map(({ title }) => title)).toEqual(['A', 'B'])
    },
  )

  test('that gives up again and again is asked less and less often', async () => {
    const { neo, clock } = stage(Array.from({ length: 3 }, () => new ModelError('auth', 'no')))
    const trigger = message('go')
    const pauses: number[] = []
    for (let n = 0; n < 3; n += 1)
      pauses.push(((await neo.turn('shop', [trigger], SIGNAL)).retryAt ?? 0) - clock.at)
    expect(pauses).toEqual([5 * MINUTE, 10 * MINUTE, 20 * MINUTE])
  })

  test('a stop ends the wait, and the turn, at once', async () => {
    const stop = new AbortController()
    const { neo, clock } = stage([new ModelError('server', 'down'), new ModelError('server', 'down')])
    const after = clock.after.bind(clock)
    clock.after = (ms, call) => {
      if (ms < 3_000) return after(ms, call)
      queueMicrotask(() => stop.abort())
      return () => {}
    }
    expect(await neo.turn('shop', [message('go')], stop.signal)).toMatchObject({
      kind: 'waits',
      why: 'stopped',
    })
  })

  test('a stop between actions leaves the rest undone, and says so to the next turn', async () => {
    const stop = new AbortController()
    const hub = new FakeHub({
      'memory.add': () => {
        stop.abort()
        return {}
      },
    })
    const { neo, model } = stage(
      [does(call('add_memory', { type: 'note', content: 'a' }), task('B')), says('ok')],
      { hub },
    )
    const trigger = message('go')
    await neo.turn('shop', [trigger], stop.signal)
    expect(hub.tasks).toEqual([])
    await neo.turn('shop', [trigger], SIGNAL)
    expect(model.asked(1)).toContain('it was not done')
  })

  test('no model and no budget are waits without a call, and nothing is written of them', async () => {
    const rules = stage([], { config: { model: 'rules' } })
    expect(await rules.neo.turn('shop', [message('go')], SIGNAL)).toMatchObject({
      kind: 'waits',
      why: 'no model is configured',
    })
    const poor = stage([], { budget: () => ({ ok: false, why: 'spent', retryAt: 5 }) })
    expect(await poor.neo.turn('shop', [message('go')], SIGNAL)).toEqual({
      kind: 'waits',
      reply: '',
      why: 'spent',
      retryAt: 5,
    })
    expect(rules.neo.closed().concat(poor.neo.closed())).toEqual([])
  })

  test('budget is asked before each call of the model', async () => {
    const states = [{ ok: true }, { ok: true }, { ok: false, why: 'spent', retryAt: null }] as const
    let n = 0
    const { neo, model, used } = stage([does(task('A')), says('Done.')], {
      budget: () => states[n++] ?? { ok: true },
    })
    expect((await neo.turn('shop', [message('go')], SIGNAL)).why).toBe('spent')
    expect([model.requests.length, used]).toEqual([1, [110]])
  })

  test('an overflow folds what is old, cuts what is long, and asks once more', async () => {
    const full = () => new ModelError('overflow', 'too long')
    const { neo, model } = stage([says('a'), full(), says('fits')])
    await neo.turn('shop', [message('old')], SIGNAL)
    const turned = await neo.turn('shop', [message(`${'word '.repeat(2_000)}`)], SIGNAL)
    expect(turned.reply).toBe('fits')
    expect(model.asked(2).length).toBeLessThan(model.asked(1).length)
  })

  test('an overflow that stays ends the turn with a word about it', async () => {
    const { neo } = stage([reply([], 'overflow'), reply([], 'overflow')])
    const turned = await neo.turn('shop', [message('x')], SIGNAL)
    expect(turned).toEqual({
      kind: 'done',
      reply: 'Stopped: the conversation does not fit the context window of the model, even shortened.',
    })
  })
})

test('usage of every call is told and in the transcript', async () => {
  const { neo, used, dir } = stage([does(task('A')), says('')])
  await neo.turn('shop', [message('go')], SIGNAL)
  expect(used).toEqual([110, 110])
  expect(lines(dir).filter(({ type }) => type === 'usage')).toMatchObject([
    { model: 'local/script', input: 100, output: 10, source: 'told' },
    {},
  ])
})

test('turns of one room come one after the other, those of two rooms beside each other', async () => {
  const order: string[] = []
  let free = () => {}
  const gate = new Promise<void>((resolve) => {
    free = resolve
  })
  const slow = async () => {
    order.push('shop begins')
    await gate
    order.push('shop ends')
    return says('')
  }
  const { neo } = stage([slow, says(''), says('')])
  const first = neo.turn('shop', [message('a')], SIGNAL)
  await new Promise((resolve) => setImmediate(resolve))
  const second = neo.turn('shop', [message('b')], SIGNAL).then(() => order.push('second of shop'))
  await neo.turn('garden', [message('c', { room: 'garden' })], SIGNAL)
  order.push('garden')
  free()
  await Promise.all([first, second])
  expect(order).toEqual(['shop begins', 'garden', 'shop ends', 'second of shop'])
})

test('say keeps the message for its turn', async () => {
  const { neo, kept } = stage([])
  await neo.say('shop', 'hello', { from: 'human', speakers: [] })
  expect(kept).toEqual(['shop human: hello'])
})

test.each(['', '..', 'a/b', '.git', 'a\\b'])('"%s" is not the name of a room', (room) => {
  const { neo } = stage([])
  expect(() => neo.context(room)).toThrow(/not a valid room name/)
})
