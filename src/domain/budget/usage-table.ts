/**
 * Usage and runs in one table: what models used, how often workers ran, how long, and how often they failed. Rows by day,
 * room, model or session, each split into parts on demand. usage-sum.ts adds up calls.
 */
import {
  addSums,
  type Keyed,
  keyOf,
  NO_SUM,
  sumOfCall,
  type UsageBy,
  type UsageCall,
  type UsageSum,
  type UsageView,
  viewOf,
} from './usage-sum.ts'

/** One run of a worker. */
export interface Run {
  /** Its start, ISO 8601 UTC. */
  readonly at: string
  readonly room: string
  readonly session: string
  /** Null for workers without a model, such as the shell. */
  readonly model: string | null
  /** Null while it runs. */
  readonly ms: number | null
  readonly failed: boolean
}

interface RunsView {
  readonly runs: number
  readonly failed: number
  /** The median of runs that ended; null without one. */
  readonly durationMs: number | null
}

type Cells = UsageView & RunsView
type Part = Cells & { readonly name: string | null }

export interface UsageTable {
  /** Days by date, all else by tokens, most first. `name` is null for what belongs to no room, model or session. */
  readonly rows: readonly (Part & { readonly parts: readonly Part[] })[]
  readonly total: Cells
}

interface Group {
  sum: UsageSum
  runs: number
  failed: number
  readonly times: number[]
  readonly parts: Map<string, Group>
}

interface Layout {
  readonly by: UsageBy
  /** What each row is split by. */
  readonly split: 'room' | 'model' | null
  readonly zone: string
}

export function usageTable(
  calls: readonly UsageCall[],
  runs: readonly Run[],
  { by, split, zone }: Layout,
): UsageTable {
  const all = newGroup()
  const rowOf = keyOf(by, zone)
  const partOf = split === null ? null : keyOf(split, zone)
  const each = (one: Keyed, put: (group: Group) => void): void => {
    const row = groupIn(all.parts, rowOf(one))
    put(all)
    put(row)
    if (partOf !== null) put(groupIn(row.parts, partOf(one)))
  }
  for (const call of calls) {
    const sum = sumOfCall(call)
    each(call, (group) => {
      group.sum = addSums(group.sum, sum)
    })
  }
  for (const run of runs) each(run, (group) => addRun(group, run))
  const rows = [...all.parts].map(([name, group]) => ({
    ...partView(name, group),
    parts: [...group.parts].map(([part, of]) => partView(part, of)).toSorted(mostFirst),
  }))
  return { rows: rows.toSorted(by === 'day' ? byName : mostFirst), total: cellsOf(all) }
}

function newGroup(): Group {
  return { sum: NO_SUM, runs: 0, failed: 0, times: [], parts: new Map() }
}

function groupIn(groups: Map<string, Group>, name: string): Group {
  const known = groups.get(name)
  if (known !== undefined) return known
  const made = newGroup()
  groups.set(name, made)
  return made
}

function addRun(group: Group, { ms, failed }: Run): void {
  group.runs += 1
  if (failed) group.failed += 1
  if (ms !== null) group.times.push(ms)
}

function partView(name: string, group: Group): Part {
  return { name: name === '' ? null : name, ...cellsOf(group) }
}

function cellsOf({ sum, runs, failed, times }: Group): Cells {
  return { ...viewOf(sum), runs, failed, durationMs: medianOf(times) }
}

function medianOf(times: readonly number[]): number | null {
  return times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) / 2)] ?? null
}

function mostFirst(a: Part, b: Part): number {
  return b.tokens - a.tokens || b.runs - a.runs || byName(a, b)
}

function byName(a: Part, b: Part): number {
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1
}
