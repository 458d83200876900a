/**
 * What a command-line agent printed: plain text, or one JSON object a line as such programs stream it. Pure.
 * Takes the output so far; gives lines for a person, the result, and what it used where it says so.
 * Known shapes: `claude -p --output-format stream-json` (9-facts, 7.1) and `codex exec --json`; any other is text.
 * Invariant 1: it never throws, whatever a program prints.
 */
import type { Usage } from '../../core/model/message.ts'

export interface ExecOutput {
  readonly lines: readonly string[]
  /** One line. */
  readonly result: string
  readonly report: string
  readonly failed: boolean
  readonly limited: boolean
  /** Epoch ms. */
  readonly resetsAt: number | null
  readonly usage: Usage | null
  readonly usd: number | null
  readonly model: string | null
}

interface Found {
  lines: string[]
  text: string
  failed: boolean
  limited: boolean
  resetsAt: number | null
  usage: Usage | null
  usd: number | null
  model: string | null
}

export function readExecOutput(output: string): ExecOutput {
  const found: Found = {
    lines: [],
    text: '',
    failed: false,
    limited: false,
    resetsAt: null,
    usage: null,
    usd: null,
    model: null,
  }
  const plain: string[] = []
  for (const line of output.split('\n')) {
    const event = eventOf(line)
    if (event === null) plain.push(line)
    else take(found, event)
  }
  const rest = plain.join('\n').trim()
  const report = found.text === '' ? rest : found.text
  const last = report.split('\n').filter((line) => line.trim() !== '')
  const lines = found.lines.length > 0 ? found.lines : plain.filter((line) => line.trim() !== '')
  return { ...found, lines, report, result: (found.text === '' ? last.at(-1) : last[0])?.trim() ?? '' }
}

type Event = Readonly<Record<string, unknown>>

function eventOf(line: string): Event | null {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) && typeof value['type'] === 'string' ? value : null
  } catch {
    return null
  }
}

function take(found: Found, event: Event): void {
  switch (event['type']) {
    case 'system':
      if (typeof event['model'] === 'string') found.model = event['model']
      return
    case 'assistant':
      assistant(found, event)
      return
    case 'rate_limit_event':
      limit(found, event['rate_limit_info'])
      return
    case 'result':
      result(found, event)
      return
    case 'item.completed':
      item(found, event['item'])
      return
    case 'turn.completed':
      found.usage = usageOf(event['usage'])
      return
    case 'turn.failed':
      trouble(found, event['error'])
      return
    case 'error':
      trouble(found, event)
      return
    default:
      return
  }
}

function assistant(found: Found, event: Event): void {
  const message = event['message']
  const content = isObject(message) && Array.isArray(message['content']) ? message['content'] : []
  for (const block of content) {
    if (!isObject(block)) continue
    if (block['type'] === 'text') found.lines.push(firstLine(String(block['text'])))
    if (block['type'] === 'tool_use') found.lines.push(`calls ${String(block['name'])}`)
  }
}

function result(found: Found, event: Event): void {
  if (typeof event['result'] === 'string') found.text = event['result'].trim()
  found.failed = event['is_error'] === true
  found.usage = usageOf(event['usage'])
  if (typeof event['total_cost_usd'] === 'number') found.usd = event['total_cost_usd']
  const busy = event['api_error_status'] === 429 || event['api_error_status'] === OVERLOADED
  // A limit that was waited for is over where the work came to its end.
  found.limited = found.failed && (found.limited || busy || LIMIT.test(found.text))
}

/** The status by which the server of Anthropic says that it has too much to do. */
const OVERLOADED = 529
const LIMIT = /\b(usage|rate|session|weekly) limit\b|\bhit your .{0,40}\blimit\b/i

function limit(found: Found, info: unknown): void {
  if (!isObject(info) || info['status'] !== 'rejected') return
  found.limited = true
  const at = info['resetsAt']
  if (typeof at === 'number') found.resetsAt = at < 1e12 ? at * 1000 : at
}

function item(found: Found, value: unknown): void {
  if (!isObject(value)) return
  const text = typeof value['text'] === 'string' ? value['text'] : ''
  if (value['type'] === 'agent_message' && text !== '') {
    found.text = text.trim()
    found.lines.push(firstLine(text))
  } else if (typeof value['command'] === 'string') found.lines.push(`runs ${firstLine(value['command'])}`)
}

/** codex says its limits in words alone. */
function trouble(found: Found, error: unknown): void {
  found.failed = true
  const message = isObject(error) ? error['message'] : undefined
  if (typeof message !== 'string' || message === '') return
  found.text = message.trim()
  if (LIMIT.test(message)) found.limited = true
}

function usageOf(value: unknown): Usage | null {
  if (!isObject(value)) return null
  const cached = count(value['cached_input_tokens'])
  return {
    input: Math.max(0, count(value['input_tokens']) - cached),
    cacheRead: count(value['cache_read_input_tokens']) + cached,
    cacheWrite: count(value['cache_creation_input_tokens']),
    output: count(value['output_tokens']),
    source: 'told',
  }
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
