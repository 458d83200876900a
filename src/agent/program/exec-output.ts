/**
 * What a command-line agent printed: plain text, or one JSON object a line as such programs stream it. Pure. Known
 * shapes: `claude -p --output-format stream-json` and `codex exec --json`; of other events the text that they hold.
 * Invariant 1: it never throws, whatever a program prints. Invariant 2: the last word counts: what was wrong before a
 * good end is over; and no output is lost because its form is not known.
 */
import { isMap, mapIn } from '../../domain/text/is-map.ts'
import type { Usage } from '../../domain/agent/model-message.ts'
import { BUSY_TEXT, DEEPEST, type Event, isBusy } from './exec-busy.ts'

export interface ExecOutput {
  readonly lines: readonly string[]
  /** One line. */
  readonly result: string
  readonly report: string
  readonly failed: boolean
  readonly limited: boolean
  /** A limit was met on the way: it counts if the program fails. */
  readonly busy: boolean
  /** The last error, if no answer came after it. */
  readonly trouble: string
  /** Epoch ms. */
  readonly resetsAt: number | null
  /** What was said of a limit, and after it, or the end of the output: it may say in words when the limit ends. */
  readonly aboutLimit: string
  readonly usage: Usage | null
  readonly usd: number | null
  readonly model: string | null
}

type Told = Omit<ExecOutput, 'lines' | 'result' | 'report' | 'aboutLimit'>
type Found = { -readonly [K in keyof Told]: Told[K] } & {
  lines: string[]
  text: string
  /** Plain lines and the text of unknown events, in their order. */
  said: string
  /** Unknown events without text. */
  unread: string[]
  /** Lines from the last one on that speaks of a limit. */
  about: string[]
}

export function readExecOutput(output: string): ExecOutput {
  const found: Found = {
    ...{ lines: [], text: '', said: '', unread: [], about: [] },
    ...{ failed: false, limited: false, busy: false, trouble: '' },
    ...{ resetsAt: null, usage: null, usd: null, model: null },
  }
  const plain: string[] = []
  for (const line of output.split('\n')) {
    const event = line.startsWith('{') ? mapIn(line) : null
    if (event === null) {
      plain.push(line)
      say(found, `${line}\n`)
    } else take(found, event, line)
    note(found, event, line)
  }
  const { said, unread, about, ...told } = found
  const aboutLimit = about.join('\n')
  const whole = said.trim()
  const texts = [found.text, wholeAnswer(output), whole, found.trouble, unread.join('\n')]
  const report = texts.find((text) => text !== '') ?? ''
  const last = report.split('\n').filter((line) => line.trim() !== '')
  const lines = found.lines.length > 0 ? found.lines : plain.filter((line) => line.trim() !== '')
  return {
    ...told,
    aboutLimit,
    lines,
    report,
    result: (report === whole ? last.at(-1) : last[0])?.trim() ?? '',
  }
}

/** Lines that may say when a limit ends, at most. */
const MOST_ABOUT = 20

function note(found: Found, event: Event | null, line: string): void {
  const isBusyNow = isBusy(event, line)
  if (isBusyNow) found.busy = true
  if (isBusyNow || LIMIT.test(line)) found.about = []
  // What a tool gave, such as a page that it read, says nothing of our limits.
  if (event?.['type'] === 'user' || line.trim() === '') return
  found.about.push(line)
  if (found.about.length > MOST_ABOUT) found.about.shift()
}

function say(found: Found, text: string): void {
  found.said += found.said === '' || found.said.endsWith('\n') ? text : `\n${text}`
}

function take(found: Found, event: Event, line: string): void {
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
      over(found)
      return
    case 'turn.failed':
      found.failed = true
      trouble(found, event['error'])
      return
    case 'error':
      // Such as a connection that was lost and is tried again: what comes after it, and the exit code, decide.
      trouble(found, errorOf(event))
      return
    default:
      other(found, event, line)
  }
}

/** A turn that came to its end: what was wrong on the way is over. */
function over(found: Found): void {
  found.failed = false
  found.limited = false
  found.trouble = ''
}

/** opencode: `{type: 'text', part: {text}}`; gemini: `{type: 'message', role: 'assistant', content, delta}`. */
function other(found: Found, event: Event, line: string): void {
  const part = isMap(event['part']) ? event['part'] : event
  const own = event['role'] === undefined || event['role'] === 'assistant' || event['role'] === 'model'
  const text =
    [part['text'], event['content'], event['response'], event['message']].find(isText) ?? textIn(event, 0)
  // What a model thinks is not what it says.
  const isThought = [event['type'], part['type']].some((type) => /reason|think|thought/i.test(String(type)))
  if (text === undefined || isThought) found.unread.push(line)
  else if (own) {
    if (event['delta'] === true) found.said += text
    else say(found, text)
    found.lines.push(firstLine(text))
  }
}

/** A piece of a text deeper in an event of another form; the last one, as such events repeat what came before. */
function textIn(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return undefined
  const { type, text } = value as Event
  if (type === 'text' && isText(text)) return text
  return Object.values(value)
    .map((one) => textIn(one, depth + 1))
    .findLast(isText)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** opencode: `{error: {name, data: {message}}}`. */
function errorOf(event: Event): Event {
  const error = isMap(event['error']) ? event['error'] : event
  return isMap(error['data']) ? error['data'] : error
}

/** The whole output is one object: `gemini --output-format json`. */
function wholeAnswer(output: string): string {
  const value = mapIn(output)
  return [value?.['response'], value?.['result'], value?.['text']].find(isText)?.trim() ?? ''
}

function assistant(found: Found, event: Event): void {
  const message = event['message']
  const content = isMap(message) && Array.isArray(message['content']) ? message['content'] : []
  for (const block of content) {
    if (!isMap(block)) continue
    if (block['type'] === 'text') found.lines.push(firstLine(String(block['text'])))
    if (block['type'] === 'tool_use') found.lines.push(`calls ${String(block['name'])}`)
  }
}

function result(found: Found, event: Event): void {
  if (typeof event['result'] === 'string') found.text = event['result'].trim()
  found.failed = event['is_error'] === true
  found.trouble = ''
  found.usage = usageOf(event['usage'])
  if (typeof event['total_cost_usd'] === 'number') found.usd = event['total_cost_usd']
  const busy = event['api_error_status'] === 429 || event['api_error_status'] === OVERLOADED
  // A limit that the program waited for is over if the work succeeded.
  found.limited =
    found.failed && (found.limited || busy || LIMIT.test(found.text) || BUSY_TEXT.test(found.text))
}

/** The status by which the server of Anthropic says that it has too much to do. */
const OVERLOADED = 529
const LIMIT = /\b(usage|rate|session|weekly) limit\b|\bhit your .{0,40}\blimit\b/i

function limit(found: Found, info: unknown): void {
  if (!isMap(info) || info['status'] !== 'rejected') return
  found.limited = true
  const at = info['resetsAt']
  if (typeof at === 'number') found.resetsAt = at < 1e12 ? at * 1000 : at
}

function item(found: Found, value: unknown): void {
  if (!isMap(value)) return
  const text = typeof value['text'] === 'string' ? value['text'] : ''
  if (value['type'] === 'agent_message' && text !== '') {
    found.text = text.trim()
    over(found)
    found.lines.push(firstLine(text))
  } else if (typeof value['command'] === 'string') found.lines.push(`runs ${firstLine(value['command'])}`)
}

/** codex says its limits in words alone. */
function trouble(found: Found, error: unknown): void {
  const message = isMap(error) ? error['message'] : undefined
  if (!isText(message)) return
  found.trouble = message.trim()
  if (found.failed) found.text = found.trouble
  if (LIMIT.test(message)) found.limited = true
}

function usageOf(value: unknown): Usage | null {
  if (!isMap(value)) return null
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
