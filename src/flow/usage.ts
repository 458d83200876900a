/**
 * The ledger of what models used: one durable line a call, in `<git dir>/neo/usage/<month>.jsonl`, by UTC month.
 * Takes calls; gives sums and the calls themselves. Whoever runs sessions adds; commands may read at the same time.
 * Leaves to core/rules/usage-sum.ts: adding up. Leaves to core/rules/budget.ts: what follows from it.
 * Invariant 1: a call that `add` gave back is on the disk.
 * Invariant 2: a key is added once, also after a restart, as long as its first line is in the two newest months.
 * Invariant 3: a torn or strange line is skipped and counted, and the lines around it are kept.
 */
import { join } from 'node:path'
import { NeoError } from '../core/model/error.ts'
import {
  addSums,
  dayBounds,
  groupSums,
  NO_SUM,
  sumOf,
  sumOfCall,
  type UsageBy,
  type UsageCall,
  type UsageKind,
  type UsageSum,
} from '../core/rules/usage-sum.ts'
import type { Files } from '../ports.ts'
import { isoOf } from './context.ts'
import { readLines } from './jsonl.ts'

/** What is looked for; a key that is absent lets all through. Times are epoch ms, `until` excluded. */
export interface UsageFilter {
  readonly since?: number
  readonly until?: number
  readonly room?: string
  readonly task?: string
  readonly session?: string
  readonly model?: string
  readonly kind?: UsageKind
}

export interface UsageLedger {
  /** `key` is `<session>:<turn>`. `known`: it is there already; nothing was written. Throws NeoError (`disk`). */
  add(key: string, call: UsageCall): 'new' | 'known'
  /** Of the whole home, on the day in `zone` that `now` is in. */
  spentToday(zone: string, now: number): UsageSum
  ofRoomToday(room: string, zone: string, now: number): UsageSum
  /** In all, over all its sessions. */
  ofTask(id: string): UsageSum
  ofSession(id: string): UsageSum
  /** Calls in the order in which they were written. */
  calls(filter?: UsageFilter): readonly UsageCall[]
  sums(filter: UsageFilter & { readonly by: UsageBy; readonly zone: string }): ReadonlyMap<string, UsageSum>
  /** Lines that could not be read. */
  broken(): number
}

type LedgerFiles = Pick<Files, 'read' | 'append' | 'scan'>

/** Opens it without reading; `dir` is `<git dir>/neo`. What is there is read when it is asked for, and read anew when it grew. */
export function openUsage(files: LedgerFiles, dir: string): UsageLedger {
  return new FileLedger(files, join(dir, 'usage'))
}

/** One file, read. Calls and keys of older months are read again when they are asked for, and not kept. */
interface Month {
  /** Size of the file that this was read from. */
  bytes: number
  broken: number
  readonly tasks: Map<string, UsageSum>
  readonly sessions: Map<string, UsageSum>
  recent: Recent | null
}

interface Recent {
  readonly keys: Set<string>
  readonly calls: UsageCall[]
}

const MONTH_FILE = /^(\d{4}-\d{2})\.jsonl$/
/** No session is taken up again after so many months that a key of its could come twice. */
const RECENT_MONTHS = 2

class FileLedger implements UsageLedger {
  readonly #files: LedgerFiles
  readonly #dir: string
  readonly #months = new Map<string, Month>()

  constructor(files: LedgerFiles, dir: string) {
    this.#files = files
    this.#dir = dir
  }

  add(key: string, call: UsageCall): 'new' | 'known' {
    this.#refresh()
    const name = monthOf(Date.parse(call.at))
    // A clock that was wrong writes into an old month: its keys are taken up for this once.
    if (this.#months.get(name)?.recent === null) this.#months.set(name, this.#read(name))
    for (const { recent } of this.#months.values()) if (recent?.keys.has(key)) return 'known'
    const stored = { key, call: cleaned(call) }
    const text = lineOf(stored)
    this.#files.append(this.#pathOf(name), text)
    const month = this.#months.get(name) ?? emptyMonth()
    this.#months.set(name, month)
    month.bytes += Buffer.byteLength(text) + 1
    take(month, stored)
    return 'new'
  }

  spentToday(zone: string, now: number): UsageSum {
    const { from: since, to: until } = dayBounds(now, zone)
    return sumOf(this.calls({ since, until }))
  }

  ofRoomToday(room: string, zone: string, now: number): UsageSum {
    const { from: since, to: until } = dayBounds(now, zone)
    return sumOf(this.calls({ since, until, room }))
  }

  ofTask(id: string): UsageSum {
    return this.#summed(({ tasks }) => tasks.get(id))
  }

  ofSession(id: string): UsageSum {
    return this.#summed(({ sessions }) => sessions.get(id))
  }

  calls(filter: UsageFilter = {}): readonly UsageCall[] {
    this.#refresh()
    const names = [...this.#months.keys()].sort().filter((name) => mayHold(name, filter))
    const fits = fitting(filter)
    return names.flatMap((name) => this.#callsOf(name).filter(fits))
  }

  sums(filter: UsageFilter & { readonly by: UsageBy; readonly zone: string }): ReadonlyMap<string, UsageSum> {
    return groupSums(this.calls(filter), filter.by, filter.zone)
  }

  broken(): number {
    this.#refresh()
    return [...this.#months.values()].reduce((sum, { broken }) => sum + broken, 0)
  }

  #pathOf(month: string): string {
    return join(this.#dir, `${month}.jsonl`)
  }

  #summed(pick: (month: Month) => UsageSum | undefined): UsageSum {
    this.#refresh()
    return [...this.#months.values()].reduce((sum, month) => addSums(sum, pick(month) ?? NO_SUM), NO_SUM)
  }

  #callsOf(name: string): readonly UsageCall[] {
    return this.#months.get(name)?.recent?.calls ?? this.#read(name).recent?.calls ?? []
  }

  /** Reads what is new or has another size than before, and lets go what is no longer recent. */
  #refresh(): void {
    const found = this.#files
      .scan(this.#dir, (path, kind) => kind === 'file' && MONTH_FILE.test(path))
      .filter(({ kind }) => kind === 'file')
      .map(({ path, size }) => ({ name: path.slice(0, 7), size }))
    const there = new Set(found.map(({ name }) => name))
    for (const name of this.#months.keys()) if (!there.has(name)) this.#months.delete(name)
    for (const { name, size } of found)
      if (this.#months.get(name)?.bytes !== size) this.#months.set(name, this.#read(name))
    const old = [...there].sort().slice(0, -RECENT_MONTHS)
    for (const name of old) {
      const month = this.#months.get(name)
      if (month !== undefined) month.recent = null
    }
  }

  #read(name: string): Month {
    const { values, broken, bytes } = readLines(this.#files, this.#pathOf(name))
    const month = { ...emptyMonth(), bytes, broken }
    for (const value of values) {
      const stored = storedOf(value)
      if (stored === null) month.broken += 1
      else take(month, stored)
    }
    return month
  }
}

function emptyMonth(): Month {
  const recent = { keys: new Set<string>(), calls: [] }
  return { bytes: 0, broken: 0, tasks: new Map(), sessions: new Map(), recent }
}

/** A key that two writers put down at once counts once. */
function take(month: Month, { key, call }: StoredCall): void {
  if (month.recent?.keys.has(key)) return
  month.recent?.keys.add(key)
  month.recent?.calls.push(call)
  const sum = sumOfCall(call)
  if (call.task !== null) addTo(month.tasks, call.task, sum)
  if (call.session !== null) addTo(month.sessions, call.session, sum)
}

function addTo(sums: Map<string, UsageSum>, id: string, more: UsageSum): void {
  sums.set(id, addSums(sums.get(id) ?? NO_SUM, more))
}

function mayHold(month: string, { since, until }: UsageFilter): boolean {
  return (since === undefined || month >= monthOf(since)) && (until === undefined || month <= monthOf(until))
}

/** Times are compared as texts, which all have the same form: this is asked of every call of a month. */
function fitting(filter: UsageFilter): (call: UsageCall) => boolean {
  const { room, task, session, model, kind } = filter
  const since = filter.since === undefined ? '' : isoOf(Math.ceil(filter.since / 1000) * 1000)
  const until = filter.until === undefined ? null : isoOf(Math.ceil(filter.until / 1000) * 1000)
  return (call) => {
    if (call.at < since || (until !== null && call.at >= until)) return false
    if (room !== undefined && call.room !== room) return false
    if (task !== undefined && call.task !== task) return false
    if (session !== undefined && call.session !== session) return false
    if (model !== undefined && call.model !== model) return false
    return kind === undefined || call.kind === kind
  }
}

function monthOf(ms: number): string {
  if (Number.isNaN(ms)) throw new NeoError('internal', 'Cannot keep what a call used: its time is no time')
  return new Date(ms).toISOString().slice(0, 7)
}

interface StoredCall {
  readonly key: string
  readonly call: UsageCall
}

/** What a server tells is not always a number of tokens; what is none is counted as none. */
function cleaned(call: UsageCall): UsageCall {
  const { input, cacheRead, cacheWrite, output, source } = call.usage
  const usage = {
    input: countOf(input) ?? 0,
    cacheRead: countOf(cacheRead) ?? 0,
    cacheWrite: countOf(cacheWrite) ?? 0,
    output: countOf(output) ?? 0,
    source,
  }
  return { ...call, at: isoOf(Date.parse(call.at)), usage, usd: usdOf(call.usd) }
}

function lineOf({ key, call }: StoredCall): string {
  const { at, room, task, session, kind, model, usage, usd } = call
  const { input, cacheRead, cacheWrite, output, source } = usage
  return JSON.stringify({
    ...{ v: 1, key, at, room, task, session, kind, model },
    ...{ input, cache_read: cacheRead, cache_write: cacheWrite, output, usd, source },
  })
}

const KINDS: readonly unknown[] = ['session', 'neo', 'exec'] satisfies readonly UsageKind[]

/** null where the line is none of ours. */
function storedOf(value: unknown): StoredCall | null {
  if (typeof value !== 'object' || value === null) return null
  const line = value as Readonly<Record<string, unknown>>
  const { key, model, kind, usd } = line
  const [input, output] = [countOf(line['input']), countOf(line['output'])]
  const [cacheRead, cacheWrite] = [countOf(line['cache_read']), countOf(line['cache_write'])]
  if (line['v'] !== 1 || typeof key !== 'string' || typeof model !== 'string' || !KINDS.includes(kind))
    return null
  const at = timeOf(line['at'])
  if (at === null) return null
  if (input === null || output === null || cacheRead === null || cacheWrite === null) return null
  const source = line['source'] === 'estimated' ? 'estimated' : 'told'
  const [room, task, session] = [nameOf(line['room']), nameOf(line['task']), nameOf(line['session'])]
  const usage = { input, cacheRead, cacheWrite, output, source } as const
  return { key, call: { at, room, task, session, kind: kind as UsageKind, model, usage, usd: usdOf(usd) } }
}

/** As `add` writes it: `2026-03-01T09:00:00Z`. */
function timeOf(value: unknown): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? null : isoOf(ms)
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null
}

function usdOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

function nameOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
