/**
 * Transcripts in other formats: sessions of Claude Code, sessions of pi (version 3), and spans by OpenTelemetry's
 * conventions for generative AI. For export only. Invariant 1: each line names its parent, which is before it; the
 * same entries give the same lines. Invariant 2: what other formats don't have (requests, checks, budgets) is left
 * out.
 */
import type { TranscriptEntry } from './read-transcript.ts'

export const TRANSCRIPT_FORMATS = ['claude-code', 'pi', 'otel'] as const
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number]

type Loose = Readonly<Record<string, unknown>>

/** An event, independent of formats. */
type Step = { readonly id: string; readonly ts: string } & (
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly model: string
      readonly stop: string
      readonly texts: readonly string[]
      readonly calls: readonly Call[]
    }
  | {
      readonly role: 'tool'
      readonly call: string
      readonly name: string
      readonly text: string
      readonly failed: boolean
    }
)

interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

export function transcriptAs(format: TranscriptFormat, entries: readonly TranscriptEntry[]): string {
  const steps = entries.flatMap(stepsOf)
  const session = text(entries[0]?.session)
  const lines = WRITERS[format](steps, { session, room: text(entries[0]?.room), ts: text(entries[0]?.ts) })
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

function stepsOf(entry: TranscriptEntry): readonly Step[] {
  const base = { id: text(entry.id), ts: text(entry.ts) }
  switch (entry.type) {
    case 'user':
      return [{ ...base, role: 'user', text: text(entry['text']) }]
    case 'assistant': {
      const parts = Array.isArray(entry['parts']) ? (entry['parts'] as readonly Loose[]) : []
      return [
        {
          ...base,
          role: 'assistant',
          model: text(entry['model']),
          stop: text(entry['stop']),
          texts: parts.filter(({ kind }) => kind === 'text').map((part) => text(part['text'])),
          calls: parts.filter(({ kind }) => kind === 'call').map(callOf),
        },
      ]
    }
    case 'tool_call':
      // Steps of a runbook are calls that no model made; those of an agent are in its answers.
      return entry['tool'] === undefined ? [runbookCall(base, entry)] : []
    case 'tool_result':
      return [resultOf(base, entry)]
    case 'action':
      return entry['phase'] === 'result'
        ? [{ ...resultOf(base, entry), name: text(entry['name']), text: text(entry['text']) }]
        : []
    default:
      return []
  }
}

function callOf(part: Loose): Call {
  return { id: text(part['id']), name: text(part['name']), input: part['input'] ?? {} }
}

function runbookCall(base: { readonly id: string; readonly ts: string }, entry: TranscriptEntry): Step {
  const { command, name } = entry as Loose
  const call = {
    id: text(entry['call']) || base.id,
    name: 'shell',
    input: { command: command ?? name ?? '' },
  }
  return { ...base, role: 'assistant', model: '', stop: 'calls', texts: [], calls: [call] }
}

function resultOf(base: { readonly id: string; readonly ts: string }, entry: TranscriptEntry) {
  const result = (entry['result'] ?? {}) as Loose
  const exit = entry['exit_code'] ?? entry['exit']
  return {
    ...base,
    role: 'tool' as const,
    call: text(entry['call']),
    name: text(result['name']) || 'shell',
    text: text(result['text']) || text(entry['output']),
    failed:
      result['isError'] === 'yes' || entry['is_error'] === true || (typeof exit === 'number' && exit !== 0),
  }
}

interface About {
  readonly session: string
  readonly room: string
  readonly ts: string
}

const WRITERS: Readonly<
  Record<TranscriptFormat, (steps: readonly Step[], about: About) => readonly unknown[]>
> = { 'claude-code': claudeLines, pi: piLines, otel: otelLines }

function claudeLines(steps: readonly Step[], { session }: About): readonly unknown[] {
  const sessionId = uuidOf(session)
  return steps.map((step, at) => ({
    parentUuid: at === 0 ? null : uuidOf(`${session}/${at - 1}`),
    isSidechain: false,
    userType: 'external',
    sessionId,
    type: step.role === 'assistant' ? 'assistant' : 'user',
    uuid: uuidOf(`${session}/${at}`),
    timestamp: step.ts,
    message: claudeMessage(step),
  }))
}

function claudeMessage(step: Step): unknown {
  switch (step.role) {
    case 'user':
      return { role: 'user', content: step.text }
    case 'tool':
      return {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: step.call, content: step.text, is_error: step.failed }],
      }
    case 'assistant':
      return {
        id: step.id,
        type: 'message',
        role: 'assistant',
        model: step.model,
        content: [
          ...step.texts.map((one) => ({ type: 'text', text: one })),
          ...step.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
        ],
        stop_reason: step.calls.length > 0 ? 'tool_use' : 'end_turn',
      }
  }
}

function piLines(steps: readonly Step[], { session, ts }: About): readonly unknown[] {
  const idAt = (at: number) => hex(`${session}/${at}`, 8)
  const head = { type: 'session', version: 3, id: uuidOf(session), timestamp: ts, cwd: '' }
  const lines = steps.map((step, at) => ({
    type: 'message',
    id: idAt(at),
    parentId: at === 0 ? null : idAt(at - 1),
    timestamp: step.ts,
    message: piMessage(step),
  }))
  return [head, ...lines]
}

function piMessage(step: Step): unknown {
  const content = (one: string) => [{ type: 'text', text: one }]
  switch (step.role) {
    case 'user':
      return { role: 'user', content: content(step.text) }
    case 'tool':
      return {
        role: 'toolResult',
        toolCallId: step.call,
        toolName: step.name,
        content: content(step.text),
        isError: step.failed,
      }
    case 'assistant': {
      const [provider = '', model = ''] = providerOf(step.model)
      return {
        role: 'assistant',
        content: [
          ...step.texts.map((one) => ({ type: 'text', text: one })),
          ...step.calls.map(({ id, name, input }) => ({ type: 'toolCall', id, name, arguments: input })),
        ],
        provider,
        model,
        stopReason: step.calls.length > 0 ? 'toolUse' : 'stop',
      }
    }
  }
}

/** A span for each answer and each tool. */
function otelLines(steps: readonly Step[], { session, room }: About): readonly unknown[] {
  const trace = hex(session, 32)
  return steps.flatMap((step, at): readonly unknown[] => {
    if (step.role === 'user') return []
    const before = steps.slice(0, at).findLast(({ role }) => role === 'user')
    const span = { traceId: trace, spanId: hex(`${session}/${at}`, 16), startTime: step.ts, endTime: step.ts }
    const base = { 'gen_ai.conversation.id': session, 'gen_ai.agent.name': room }
    if (step.role === 'tool')
      return [
        {
          ...span,
          name: `execute_tool ${step.name}`,
          ...(step.failed ? { status: { code: 'ERROR' } } : {}),
          attributes: {
            ...base,
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': step.name,
            'gen_ai.tool.call.id': step.call,
            'gen_ai.tool.call.result': step.text,
          },
        },
      ]
    const [provider = '', model = ''] = providerOf(step.model)
    const said = before?.role === 'user' ? [{ type: 'text', content: before.text }] : []
    return [
      {
        ...span,
        name: `chat ${model}`.trim(),
        attributes: {
          ...base,
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': provider,
          'gen_ai.request.model': model,
          'gen_ai.response.finish_reasons': [step.calls.length > 0 ? 'tool_calls' : 'stop'],
          'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: said }]),
          'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: otelParts(step) }]),
        },
      },
    ]
  })
}

function otelParts({ texts, calls }: Extract<Step, { role: 'assistant' }>): readonly unknown[] {
  return [
    ...texts.map((content) => ({ type: 'text', content })),
    ...calls.map(({ id, name, input }) => ({ type: 'tool_call', id, name, arguments: input })),
  ]
}

function providerOf(ref: string): readonly string[] {
  const at = ref.indexOf('/')
  return at < 0 ? ['', ref] : [ref.slice(0, at), ref.slice(at + 1)]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function uuidOf(of: string): string {
  const all = hex(of, 32)
  return `${all.slice(0, 8)}-${all.slice(8, 12)}-4${all.slice(13, 16)}-8${all.slice(17, 20)}-${all.slice(20)}`
}

/** Digits derived from the text, for ids. */
function hex(of: string, digits: number): string {
  let found = ''
  for (let round = 0; found.length < digits; round++) {
    let hash = 0x811c9dc5 ^ round
    for (const letter of `${round}${of}`) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193)
    hash ^= hash >>> 15
    found += (Math.imul(hash, 0x2c1b3c6d) >>> 0).toString(16).padStart(8, '0')
  }
  return found.slice(0, digits)
}
