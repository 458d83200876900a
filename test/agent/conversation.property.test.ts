/**
 * A conversation rebuilt from its transcript: whatever line the program died after, the next request is one that a server
 * takes, in which every call has exactly one result; and from the whole transcript it is the one that was.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Conversation,
  closeCalls,
  emptyConversation,
  fold,
  keptOf,
  modelSaid,
  openCalls,
  replay,
  resultCame,
  storedResult,
  userSaid,
} from '../../src/agent/worker-conversation.ts'
import type { CallPart, Json, Message } from '../../src/domain/agent/model-message.ts'
import type { TranscriptEntry } from '../../src/files/body/read-transcript.ts'
import { flawsOf } from './stage.ts'

interface Live {
  readonly talk: Conversation
  readonly entries: TranscriptEntry[]
  readonly note: (type: TranscriptEntry['type'], fields: Readonly<Record<string, Json>>) => void
}

function live(): Live {
  const entries: TranscriptEntry[] = []
  const base = { v: 1, parent: null, ts: '', session: 's', room: 'r', task: 't' }
  return {
    talk: emptyConversation(),
    entries,
    note: (type, fields) =>
      void entries.push({
        ...base,
        ...structuredClone(fields),
        id: `e${entries.length}`,
        type,
      } as TranscriptEntry),
  }
}

/** What a session does in one step: as agent.ts and calls.ts, without their world. */
const STEP = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('answer' as const), calls: fc.nat(3), raw: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('message' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('fold' as const), least: fc.integer({ min: 2, max: 5 }) }),
  },
)
type Step = typeof STEP extends fc.Arbitrary<infer T> ? T : never

function tell({ talk, note }: Live, text: string): void {
  note('user', { text, told: [] })
  userSaid(talk, text)
}

function play(steps: readonly Step[]): Live {
  const session = live()
  const { talk, note } = session
  tell(session, 'Do it.')
  for (const [n, step] of steps.entries()) {
    switch (step.kind) {
      case 'message':
        tell(session, `word ${n}`)
        break
      case 'fold': {
        closeCalls(talk)
        const kept = keptOf(talk.messages, step.least)
        if (kept === 0) break
        note('compaction', { summary: `sum ${n}`, kept })
        fold(talk, `sum ${n}`, kept)
        break
      }
      case 'answer': {
        if (talk.messages.at(-1)?.role === 'assistant') tell(session, 'Go on.')
        const calls = Array.from({ length: step.calls }, (_, at): CallPart => {
          return { kind: 'call', id: `c${n}-${at}`, name: 'read_file', input: { path: 'a' } }
        })
        const parts = [{ kind: 'text' as const, text: `answer ${n}` }, ...calls]
        const raw = step.raw ? { raw: { api: 'anthropic', model: 'm', content: [`raw ${n}`] } } : {}
        note('assistant', { parts: parts as unknown as Json, ...raw })
        modelSaid(talk, { role: 'assistant', parts, ...raw })
        for (const call of calls) {
          note('tool_call', { call: call.id })
          talk.begun.add(call.id)
          const result = {
            kind: 'result',
            call: call.id,
            name: call.name,
            text: 'yes',
            isError: false,
          } as const
          note('tool_result', { call: call.id, result: storedResult(result) })
          resultCame(talk, result)
        }
        if (calls.length > 0) closeCalls(talk)
        break
      }
    }
  }
  return session
}

function rebuilt(entries: readonly TranscriptEntry[]): Conversation {
  const talk = emptyConversation()
  for (const entry of entries) replay(talk, entry)
  return talk
}

/** What agent.ts sends next: open calls get results, an answer without calls a word. */
function nextRequest(talk: Conversation): readonly Message[] {
  for (const { id, name } of openCalls(talk))
    resultCame(talk, { kind: 'result', call: id, name, text: 'again', isError: false })
  const last = talk.messages.at(-1)
  if (last?.role === 'assistant') {
    closeCalls(talk)
    if (talk.messages.at(-1)?.role === 'assistant') userSaid(talk, 'Go on.')
  }
  return talk.messages
}

const STEPS = fc.array(STEP, { maxLength: 14, size: 'max' })

test('from every prefix of its transcript a conversation is rebuilt in which every call has one result', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const { entries } = play(steps)
      for (let length = 1; length <= entries.length; length++)
        expect(flawsOf(nextRequest(rebuilt(entries.slice(0, length))))).toEqual([])
    }),
    { numRuns: 400 },
  )
})

test('from its whole transcript a conversation is the one that was', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const { entries, talk } = play(steps)
      expect(nextRequest(rebuilt(entries))).toEqual(nextRequest(talk))
      expect(rebuilt(entries).turn).toBe(talk.turn)
    }),
    { numRuns: 400 },
  )
})

test('after a fold nothing of a provider’s raw blocks is left, and the first words stand', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const { entries } = play(steps)
      const last = entries.findLastIndex(({ type }) => type === 'compaction')
      if (last < 0) return
      const talk = rebuilt(entries.slice(0, last + 1))
      expect(talk.messages.some((message) => 'raw' in message)).toBe(false)
      expect(talk.messages[0]?.parts[0]).toEqual({ kind: 'text', text: 'Do it.' })
    }),
    { numRuns: 400 },
  )
})
