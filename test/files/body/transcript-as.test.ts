/** Transcripts in the formats of other programs: what each line holds, and that every parent comes before its child. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TranscriptEntry } from '../../../src/files/body/read-transcript.ts'
import {
  TRANSCRIPT_FORMATS,
  type TranscriptFormat,
  transcriptAs,
} from '../../../src/files/body/transcript-as.ts'

const TS = '2026-03-01T09:00:00Z'
const entry = (id: string, type: string, more: object = {}): TranscriptEntry => ({
  ...{ v: 1, id, parent: null, ts: TS, session: 's-1', room: 'shop', task: 't-1', type },
  ...more,
})

const CALL = { kind: 'call', id: 'c-1', name: 'read_file', input: { path: 'a.md' } }
const ENTRIES = [
  entry('1', 'start', { title: 'Fix' }),
  entry('2', 'user', { text: 'Fix it' }),
  entry('3', 'assistant', {
    model: 'anthropic/claude-opus-5',
    stop: 'calls',
    parts: [{ kind: 'thinking', text: 'hm' }, { kind: 'text', text: 'I look.' }, CALL],
  }),
  entry('4', 'tool_call', { tool: 'read_file', call: 'c-1' }),
  entry('5', 'tool_result', {
    call: 'c-1',
    result: { name: 'read_file', text: 'no such file', isError: 'yes' },
  }),
  entry('6', 'usage', { input: 5 }),
  entry('7', 'assistant', { model: 'local', stop: 'end', parts: [{ kind: 'text', text: 'Done.' }] }),
  entry('8', 'end'),
]

const lines = (format: TranscriptFormat, entries: readonly TranscriptEntry[] = ENTRIES) =>
  transcriptAs(format, entries)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('claude-code', () => {
  test('has a message a line, with text, calls and results as blocks', () => {
    expect(lines('claude-code').map(({ type, message }) => [type, message])).toEqual([
      ['user', { role: 'user', content: 'Fix it' }],
      [
        'assistant',
        {
          id: '3',
          type: 'message',
          role: 'assistant',
          model: 'anthropic/claude-opus-5',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'c-1', name: 'read_file', input: { path: 'a.md' } },
          ],
          stop_reason: 'tool_use',
        },
      ],
      [
        'user',
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'c-1', content: 'no such file', is_error: true }],
        },
      ],
      [
        'assistant',
        expect.objectContaining({ content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' }),
      ],
    ])
  })

  test('has UUIDs of version 4, and one session', () => {
    const all = lines('claude-code')
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/
    for (const { uuid: own, sessionId, timestamp } of all) {
      expect(own).toMatch(uuid)
      expect(sessionId).toMatch(uuid)
      expect(timestamp).toBe(TS)
    }
    expect(new Set(all.map(({ sessionId }) => sessionId)).size).toBe(1)
  })
})

describe('pi', () => {
  test('begins with the session, and names provider and model apart', () => {
    const [head, ...all] = lines('pi')
    expect(head).toMatchObject({ type: 'session', version: 3, timestamp: TS, cwd: '' })
    expect(all.map(({ message }) => message)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Fix it' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'toolCall', id: 'c-1', name: 'read_file', arguments: { path: 'a.md' } },
        ],
        provider: 'anthropic',
        model: 'claude-opus-5',
        stopReason: 'toolUse',
      },
      {
        role: 'toolResult',
        toolCallId: 'c-1',
        toolName: 'read_file',
        content: [{ type: 'text', text: 'no such file' }],
        isError: true,
      },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'Done.' }],
        provider: '',
        model: 'local',
        stopReason: 'stop',
      },
    ])
  })
})

describe('otel', () => {
  test('has a span for each answer and tool, with what was asked last', () => {
    const spans = lines('otel')
    expect(spans.map(({ name }) => name)).toEqual([
      'chat claude-opus-5',
      'execute_tool read_file',
      'chat local',
    ])
    expect(spans.map(({ status }) => status)).toEqual([undefined, { code: 'ERROR' }, undefined])
    const [chat, tool, last] = spans.map(({ attributes }) => attributes as Record<string, unknown>)
    expect(chat).toMatchObject({
      'gen_ai.conversation.id': 's-1',
      'gen_ai.agent.name': 'shop',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.response.finish_reasons': ['tool_calls'],
    })
    expect(JSON.parse(String(chat?.['gen_ai.input.messages']))).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Fix it' }] },
    ])
    expect(tool).toMatchObject({
      'gen_ai.tool.name': 'read_file',
      'gen_ai.tool.call.id': 'c-1',
      'gen_ai.tool.call.result': 'no such file',
    })
    expect(JSON.parse(String(last?.['gen_ai.output.messages']))).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: 'Done.' }] },
    ])
  })

  test('an answer before any question has an empty one', () => {
    const [span] = lines('otel', [entry('1', 'assistant', { parts: [] })])
    const { attributes } = span as { attributes: Record<string, string> }
    expect(JSON.parse(attributes['gen_ai.input.messages'] ?? '')).toEqual([{ role: 'user', parts: [] }])
  })
})

test.each([
  ['a step of a runbook', { command: 'npm test', name: 'test' }, { command: 'npm test' }],
  ['a step with a name alone', { name: 'test' }, { command: 'test' }],
  ['a step with nothing', {}, { command: '' }],
])('%s is a call of a shell, and its result counts by exit code', (_, step, input) => {
  const all = lines('pi', [
    entry('1', 'tool_call', step),
    entry('2', 'tool_result', { call: '1', exit_code: 3, output: 'it broke' }),
    entry('3', 'tool_result', { call: '1', exit: 0, output: 'fine' }),
    entry('4', 'tool_result', { call: '1', is_error: true }),
  ]).map(({ message }) => message)
  expect(all[1]).toMatchObject({ content: [{ type: 'toolCall', id: '1', name: 'shell', arguments: input }] })
  expect(all.slice(2)).toMatchObject([
    { toolName: 'shell', content: [{ text: 'it broke' }], isError: true },
    { content: [{ text: 'fine' }], isError: false },
    { content: [{ text: '' }], isError: true },
  ])
})

test('an action of Neo is its result alone', () => {
  const all = lines('pi', [
    entry('1', 'action', { phase: 'call', name: 'create_task' }),
    entry('2', 'action', { phase: 'result', name: 'create_task', text: 'Created', call: 'x' }),
  ])
  expect(all.slice(1).map(({ message }) => message)).toMatchObject([
    { role: 'toolResult', toolName: 'create_task', content: [{ text: 'Created' }], toolCallId: 'x' },
  ])
})

test.each(TRANSCRIPT_FORMATS)('%s of nothing has no message', (format) => {
  expect(lines(format, []).filter(({ type }) => type !== 'session')).toEqual([])
})

const part = fc.record({ kind: fc.constantFrom('text', 'call', 'x'), text: fc.string(), name: fc.string() })
const anyEntry = fc
  .record({
    type: fc.constantFrom('user', 'assistant', 'tool_call', 'tool_result', 'action', 'end', 'odd'),
    text: fc.anything(),
    parts: fc.oneof(fc.array(part, { maxLength: 3 }), fc.constant('x'), fc.constant(undefined)),
    tool: fc.constantFrom(undefined, 'shell'),
    phase: fc.constantFrom('call', 'result'),
    result: fc.constantFrom(undefined, null, {}, { text: 1 }, { isError: 'yes' }),
  })
  .map(({ type, ...more }) => entry('e', type, more))

test.each(TRANSCRIPT_FORMATS)('%s: any entries give lines that name only parents before them', (format) => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 8 }), (entries) => {
      const seen = new Set<unknown>([null, undefined])
      for (const line of lines(format, entries)) {
        expect(seen.has(line['parentUuid'] ?? line['parentId'])).toBe(true)
        const id = line['uuid'] ?? line['id'] ?? line['spanId']
        expect(seen.has(id)).toBe(false)
        seen.add(id)
      }
      expect(transcriptAs(format, structuredClone(entries))).toBe(transcriptAs(format, entries))
    }),
  )
})
