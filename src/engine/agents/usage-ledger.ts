/**
 * The usage ledger: one durable line a model call, in `<git dir>/neo/usage/<month>.jsonl` by UTC month. The runner of
 * sessions adds; commands may read at the same time. Invariants: 1. a call is on disk when `add` or `begin` returns; 2. a
 * key is added once, also after a restart, while its first line is in the two newest months; 3. a broken line is skipped
 * and counted; 4. a call that has begun counts by its estimate until its usage is known, so that no kill leaves a call
 * uncounted.
 */
import { join } from 'node:path'
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
} from '../../domain/budget/usage-sum.ts'
import { NeoError } from '../../domain/home/error.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { Files } from '../../ports/files-port.ts'
import { readLines } from '../../store/keyed-log.ts'
import { cleaned, lineOf, type StoredCall, storedOf } from './usage-lines.ts'

/** An absent key matches all. Times are epoch ms, `until` excluded. */
export interface UsageFilter {
  readonly since?: number
  readonly until?: number
  readonly room?: string
  readonly task?: string
  readonly session?: string
  readonly model?: string
  readonly kind?: UsageKind
}

/** The end of a call; without one the estimate counts. */
export interface OpenCall {
  used(call: Pick<UsageCall, 'usage' | 'usd'>): void
  /** It was rejected before anything was used. */
  nothing(): void
}

type LedgerFiles = Pick<Files, 'read' | 'append' | 'scan'>

/** Opens it without reading: files are read on demand, and again after they grew. `dir`: `<git dir>/neo`. */
export function openUsage(files: LedgerFiles, dir: string): UsageLedger {
  return new UsageLedger(files, join(dir, 'usage'))
}

/** One file. Calls and keys of older months are read on demand and not kept. */
interface Month {
  /** Size of the file that this was read from. */
  bytes: number
  broken: number
  readonly tasks: Map<string, UsageSum>
  readonly sessions: Map<string, UsageSum>
  /** Begun, and not settled: by key. */
  readonly open: Map<string, UsageCall>
  recent: { readonly keys: Set<string>; readonly calls: UsageCall[] } | null
}

const MONTH_FILE = /^(\d{4}-\d{2})\.jsonl$/
/** No session resumes after more months, so no key comes again. */
const RECENT_MONTHS = 2

export class UsageLedger {
  readonly #files: LedgerFiles
  readonly #dir: string
  readonly #months = new Map<string, Month>()
  /** `of`: the months that were summed, with their sizes. */
  #byTask: { readonly of: string; readonly sums: ReadonlyMap<string, UsageSum> } = { of: '', sums: new Map() }

  constructor(files: LedgerFiles, dir: string) {
    this.#files = files
    this.#dir = dir
  }

  /** `key`: `<session>:<turn>`. `known`: it exists; nothing was written. Throws NeoError `disk`. */
  add(key: string, call: UsageCall): 'new' | 'known' {
    this.#refresh()
    const name = monthOf(Date.parse(call.at))
    this.#loadKeys(name)
    if (this.#isKnown(key)) return 'known'
    this.#write(name, { key, call, state: 'done' })
    return 'new'
  }

  /**
   * Counts a call by an estimate before it is made. A key that began before is another call, and counts too. Throws
   * NeoError `disk`.
   */
  begin(key: string, estimate: UsageCall): OpenCall {
    this.#refresh()
    const name = monthOf(Date.parse(estimate.at))
    this.#loadKeys(name)
    let own = key
    for (let again = 2; this.#isKnown(own); again++) own = `${key}#${again}`
    this.#write(name, { key: own, call: estimate, state: 'open' })
    const end = (state: 'done' | 'void', of: Pick<UsageCall, 'usage' | 'usd'>) => {
      this.#refresh()
      // A power cut may lose this line: then the estimate counts.
      if (this.#months.get(name)?.open.has(own) !== false)
        this.#write(name, { key: own, call: { ...estimate, ...of }, state }, 'later')
    }
    return { used: ({ usage, usd }) => end('done', { usage, usd }), nothing: () => end('void', estimate) }
  }

  #isKnown(key: string): boolean {
    for (const { recent } of this.#months.values()) if (recent?.keys.has(key)) return true
    return false
  }

  /** A wrong clock writes into an old month, whose keys are not loaded. */
  #loadKeys(name: string): void {
    if (this.#months.get(name)?.recent === null) this.#months.set(name, this.#read(name))
  }

  #write(name: string, { key, call, state }: StoredCall, sync: 'now' | 'later' = 'now'): void {
    const stored = { key, call: cleaned(call), state }
    const text = lineOf(stored)
    this.#files.append(this.#pathOf(name), text, sync)
    const month = this.#months.get(name) ?? emptyMonth()
    this.#months.set(name, month)
    month.bytes += Buffer.byteLength(text) + 1
    take(month, stored)
  }

  /** Of the whole home or a room, on the day in `zone` that `now` is in. */
  spentToday(zone: string, now: number, filter: Pick<UsageFilter, 'room'> = {}): UsageSum {
    const { from: since, to: until } = dayBounds(now, zone)
    return sumOf(this.calls({ ...filter, since, until }))
  }

  /** In all, over all its sessions. */
  ofTask(id: string): UsageSum {
    return this.#summed(
      ({ tasks }) => tasks.get(id),
      ({ task }) => task === id,
    )
  }

  ofSession(id: string): UsageSum {
    return this.#summed(
      ({ sessions }) => sessions.get(id),
      ({ session }) => session === id,
    )
  }

  /** `ofTask` of all tasks that made a call. The same map until a call is added. */
  byTask(): ReadonlyMap<string, UsageSum> {
    this.#refresh()
    const months = [...this.#months.entries()].map(([name, { bytes }]) => `${name} ${bytes}`).join()
    if (this.#byTask.of === months) return this.#byTask.sums
    const sums = new Map<string, UsageSum>()
    for (const { tasks, open } of this.#months.values()) {
      for (const [id, sum] of tasks) addTo(sums, id, sum)
      for (const call of open.values()) if (call.task !== null) addTo(sums, call.task, sumOfCall(call))
    }
    this.#byTask = { of: months, sums }
    return sums
  }

  /** Calls in the order in which they were written. */
  calls(filter: UsageFilter = {}): readonly UsageCall[] {
    this.#refresh()
    const names = [...this.#months.keys()].sort().filter((name) => mayHold(name, filter))
    const fits = fitting(filter)
    return names.flatMap((name) => this.#callsOf(name).filter(fits))
  }

  sums(filter: UsageFilter & { readonly by: UsageBy; readonly zone: string }): ReadonlyMap<string, UsageSum> {
    return groupSums(this.calls(filter), filter.by, filter.zone)
  }

  /** Lines that could not be read. */
  broken(): number {
    this.#refresh()
    return [...this.#months.values()].reduce((sum, { broken }) => sum + broken, 0)
  }

  #pathOf(month: string): string {
    return join(this.#dir, `${month}.jsonl`)
  }

  #summed(pick: (month: Month) => UsageSum | undefined, fits: (call: UsageCall) => boolean): UsageSum {
    this.#refresh()
    const months = [...this.#months.values()]
    const settled = months.reduce((sum, month) => addSums(sum, pick(month) ?? NO_SUM), NO_SUM)
    return addSums(settled, sumOf(months.flatMap(({ open }) => [...open.values()].filter(fits))))
  }

  #callsOf(name: string): readonly UsageCall[] {
    const month = this.#months.get(name)
    const read = month === undefined || month.recent === null ? this.#read(name) : month
    return [...(read.recent?.calls ?? []), ...read.open.values()]
  }

  /** Reads new files and those with another size, and drops the calls of old ones. */
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
  return { bytes: 0, broken: 0, tasks: new Map(), sessions: new Map(), open: new Map(), recent }
}

/** A key that two writers added at once counts once. */
function take(month: Month, { key, call, state }: StoredCall): void {
  const wasOpen = month.open.delete(key)
  const isKnown = month.recent?.keys.has(key) === true
  month.recent?.keys.add(key)
  if (state === 'void' || (isKnown && !wasOpen)) return
  if (state === 'open') {
    month.open.set(key, call)
    return
  }
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

/** Compares times as texts, which all have the same form, because every call of a month is checked. */
function fitting(filter: UsageFilter): (call: UsageCall) => boolean {
  const { room, task, session, model, kind } = filter
  const since = filter.since === undefined ? '' : isoSecond(Math.ceil(filter.since / 1000) * 1000)
  const until = filter.until === undefined ? null : isoSecond(Math.ceil(filter.until / 1000) * 1000)
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
  if (Number.isNaN(ms)) throw new NeoError('internal', 'Cannot record the usage of a call: invalid time')
  return new Date(ms).toISOString().slice(0, 7)
}
