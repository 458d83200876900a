/** What a transcript shows: its entries as items, each call together with its result. Pure. */

/** One line of a transcript, as the hub sends it. */
export interface Entry {
  readonly id: string
  readonly ts: string
  readonly type: string
  readonly [more: string]: unknown
}

export type Item =
  | { readonly kind: 'note'; readonly key: string; readonly entry: Entry }
  | { readonly kind: 'text'; readonly key: string; readonly entry: Entry; readonly who: 'agent' | 'told' }
  | { readonly kind: 'call'; readonly key: string; readonly entry: Entry; readonly result: Entry | null }

const RESULTS: ReadonlySet<string> = new Set(['tool_result', 'verify'])

export function itemsOf(entries: readonly Entry[]): readonly Item[] {
  const items: Item[] = []
  const calls = new Map<string, number>()
  for (const entry of entries) {
    const { type, id } = entry
    const call = textOf(entry['call'])
    if (type === 'tool_call') {
      calls.set(call, items.length)
      items.push({ kind: 'call', key: id, entry, result: null })
    } else if (RESULTS.has(type)) addResult(items, entry, calls.get(call))
    else if (type === 'assistant') {
      if (saidBy(entry).trim() !== '') items.push({ kind: 'text', key: id, entry, who: 'agent' })
    } else if (type === 'user') items.push({ kind: 'text', key: id, entry, who: 'told' })
    else if (type !== 'usage') items.push({ kind: 'note', key: id, entry })
  }
  return items
}

/** A result whose call is on an older page stands alone. */
function addResult(items: Item[], result: Entry, at: number | undefined): void {
  const call = at === undefined ? undefined : items[at]
  if (at !== undefined && call?.kind === 'call') items[at] = { ...call, result }
  else items.push({ kind: 'call', key: result.id, entry: result, result })
}

/** What the model said, without its calls. */
export function saidBy(entry: Entry): string {
  const parts = Array.isArray(entry['parts']) ? entry['parts'] : []
  return parts
    .map((part: unknown) => objectOf(part))
    .flatMap((part) => (part['kind'] === 'text' ? [textOf(part['text'])] : []))
    .join('\n\n')
}

export interface CallView {
  readonly name: string
  /** The most telling argument, in a line. */
  readonly about: string
  readonly args: readonly (readonly [name: string, value: string])[]
  readonly state: 'running' | 'done' | 'failed'
  readonly output: string
  /** Null while it runs. */
  readonly ms: number | null
  /** Such as `exit 1`; '' if all is well. */
  readonly ended: string
  /** Where its output streams in from. */
  readonly step: string
}

export function callView(entry: Entry, result: Entry | null): CallView {
  const command = textOf(entry['command'])
  const input = command === '' ? objectOf(entry['input']) : { command }
  const args = Object.entries(input).map(([name, value]) => [name, shown(value)] as const)
  const inner = objectOf(result?.['result'])
  const isBad = result?.['is_error'] === true || inner['isError'] === 'yes'
  return {
    name: textOf(entry['name']) || textOf(entry['tool']) || textOf(inner['name']) || 'result',
    about: (args[0]?.[1] ?? '').trim().split('\n')[0] ?? '',
    args,
    state: result === null ? 'running' : isBad ? 'failed' : 'done',
    output: textOf(result?.['output']) || textOf(inner['text']),
    ms: msOf(entry, result),
    ended: endedOf(result),
    step: stepOf(entry),
  }
}

function msOf(entry: Entry, result: Entry | null): number | null {
  if (result === null) return null
  const { ms } = result
  if (typeof ms === 'number') return ms
  return result === entry ? null : Date.parse(result.ts) - Date.parse(entry.ts)
}

function endedOf(result: Entry | null): string {
  const code = result?.['exit_code']
  if (typeof code === 'number' && code !== 0) return `exit ${code}`
  const ended = textOf(result?.['ended'])
  return ended === '' || ended === 'exit' ? '' : ended
}

/** A runbook's steps are named as their calls; an agent's commands as the keys of their calls. */
function stepOf(entry: Entry): string {
  const key = textOf(entry['key'])
  return key.startsWith('call-') ? `tool-${key.slice('call-'.length)}` : textOf(entry['call'])
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
