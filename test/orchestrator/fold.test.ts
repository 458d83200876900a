import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { wholePairs } from '../../src/domain/agent/compact.ts'
import { ModelError } from '../../src/domain/agent/model-retry.ts'
import type { TranscriptEntry } from '../../src/files/body/read-transcript.ts'
import { messagesFor } from '../../src/orchestrator/messages.ts'
import {
  applied,
  type Conversation,
  emptyConversation,
} from '../../src/orchestrator/orchestrator-conversation.ts'
import { savedConversation } from '../../src/orchestrator/transcript-files.ts'
import { call, does, says } from './script.ts'
import { lines, message, SIGNAL, stage } from './world.ts'

const task = (title: string) => call('create_task', { title, description: 'x' })

/** Turns of six messages each: said, two calls with results, answer. The 101st is the second result of turn 17. */
async function talk(on: ReturnType<typeof stage>, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await on.neo.turn('shop', [message(`wish ${n}`)], SIGNAL)
}
const turnsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => [does(task(`A${n}`)), does(task(`B${n}`)), says(`did ${n}`)]).flat()

describe('a long conversation', () => {
  test('is folded above 100 messages by the model, and the newest stay whole', async () => {
    const on = stage([...turnsOf(17).slice(0, -1), says('- wishes 0 to 9'), says('did 16')])
    await talk(on, 17)
    const { messages, lastCompactedAt } = on.neo.context('shop')
    expect(lastCompactedAt).not.toBeNull()
    expect(messages[0]).toMatchObject({ role: 'system', content: '- wishes 0 to 9' })
    expect(messages.length).toBeLessThanOrEqual(43)
    expect(messages.at(-1)?.content).toBe('did 16')
    expect(on.model.asked(-1)).toContain('<summary>\n- wishes 0 to 9\n</summary>')
  })

  test('is folded by rule where the model does not answer', async () => {
    const on = stage([...turnsOf(17).slice(0, -1), new ModelError('auth', 'no'), says('did 16')])
    await talk(on, 17)
    expect(on.neo.context('shop').messages[0]?.content).toContain('called create_task')
    expect(lines(on.dir).find(({ type }) => type === 'compaction')).toMatchObject({ by: 'rules' })
  })

  test('is folded at 70 % of the window', async () => {
    const on = stage([says('a'), says('b'), says('c'), says('d'), says('- old'), says('e')])
    on.model.window = 10_000
    for (const n of [1, 2, 3, 4, 5]) await on.neo.turn('shop', [message(`${n} ${'x'.repeat(4_000)}`)], SIGNAL)
    expect(on.neo.context('shop').messages[0]?.content).toBe('- old')
    expect(on.neo.context('shop').messages.length).toBeGreaterThanOrEqual(7)
  })

  test('is folded when asked for, down to the last six', async () => {
    const on = stage([...turnsOf(4), says('- four')])
    await talk(on, 4)
    await on.neo.compact('shop')
    const { messages } = on.neo.context('shop')
    expect(messages[0]?.content).toBe('- four')
    expect(messages.length).toBe(1 + 6)
    await on.neo.compact('shop')
    expect(on.neo.context('shop').messages).toEqual(messages)
  })

  test('is rebuilt with its summary from the transcripts', async () => {
    const on = stage([...turnsOf(4), says('- four')])
    await talk(on, 4)
    await on.neo.compact('shop')
    const all = lines(on.dir) as unknown as readonly TranscriptEntry[]
    const rebuilt = all.reduce(
      (state, entry) => applied(state, entry, 'neo-2026-03-02-1.jsonl'),
      emptyConversation('shop'),
    )
    expect(rebuilt.summary).toBe('- four')
    expect(rebuilt.items.length).toBe(6)
  })
})

describe('the state of a conversation', () => {
  const text = fc.string({ maxLength: 20 })
  const kind = fc.constantFrom(
    'user',
    'assistant',
    'call',
    'result',
    'turn end',
    'compaction',
    'refusal',
    'new',
  )
  const entry = fc.record({ kind, text, ref: fc.nat({ max: 8 }), turn: fc.nat({ max: 3 }) })
  type Drawn = typeof entry extends fc.Arbitrary<infer T> ? T : never

  function entryOf({ kind: type, text: said, ref, turn }: Drawn, n: number): TranscriptEntry {
    const call = `c${ref}`
    const base = {
      v: 1,
      id: `e${n}`,
      parent: null,
      ts: '2026-03-02T09:00:00.000Z',
      session: '',
      room: 'shop',
      task: '',
    }
    const about = { ...base, turn: `n${turn}`, text: said, call, name: 'act', reply: said, keys: [said] }
    switch (type) {
      case 'assistant':
        return {
          ...about,
          type,
          parts: [
            { kind: 'text', text: said },
            { kind: 'call', id: call, name: 'act', input: {} },
          ],
        }
      case 'call':
      case 'result':
        return { ...about, type: 'action', phase: type }
      case 'turn end':
        return { ...about, type: 'end', of: 'turn' }
      case 'new':
        return { ...about, type: 'end', of: 'conversation' }
      case 'compaction':
        return { ...about, type, summary: said, kept_from: `e${ref}` }
      case 'refusal':
        return { ...about, type: 'error', kind: type }
      default:
        return { ...about, type }
    }
  }
  const stateOf = (drawn: readonly Drawn[]): Conversation =>
    drawn.map(entryOf).reduce((state, one) => applied(state, one, 'f'), emptyConversation('shop'))

  test('gives messages in whole pairs, whatever the transcript lacks', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (drawn) => {
        const view = { at: 'e1', context: 'P', raws: new Map(), fit: 'whole', images: new Map() } as const
        const messages = messagesFor(stateOf(drawn), view)
        expect(wholePairs(messages, 'other')).toEqual(messages)
      }),
    )
  })

  test('is kept and read back as it is', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (drawn) => {
        const state = stateOf(drawn)
        expect(savedConversation(JSON.parse(JSON.stringify(state)), 'shop')).toEqual(state)
      }),
    )
  })
})
