/** How memory is: as written to `.neo/memory.json`, and as rows for `neo status`, `status.global` and the page. */
import type { HealthRow } from '../domain/plan/needs.ts'
import { counted } from '../domain/text/counted.ts'

export interface MemoryHealth {
  /** `words`: no index; `why` and `next` say what to do. */
  readonly by: 'index' | 'words'
  readonly why: string
  readonly next: string
  readonly runs: number
  readonly failures: number
  /** ISO 8601 UTC; '' if there was none. */
  readonly lastSuccess: string
  readonly lastError: string
  readonly sources: number
  readonly passages: number
}

/** None before the first sync. @param said content of `.neo/memory.json` */
export function memoryRows(said: unknown): readonly HealthRow[] {
  if (typeof said !== 'object' || said === null) return []
  const of = said as Readonly<Record<string, unknown>>
  const text = (key: string) => (typeof of[key] === 'string' ? of[key] : '')
  const failing = Array.isArray(of['distilling']) ? of['distilling'] : []
  const rooms = failing.map((one: unknown): HealthRow => {
    const { room, error, retryAt } = (one ?? {}) as Readonly<Record<string, unknown>>
    return {
      part: 'distilling',
      state: 'trouble',
      says: `${String(room)}: ${String(error)}; retry at ${String(retryAt)}`,
    }
  })
  const large = Array.isArray(of['large']) ? of['large'] : []
  const files = large.map(
    (path: unknown): HealthRow => ({
      part: 'memory',
      state: 'ok',
      says: `${String(path)} is long: only search finds what comes after its first 8,000 characters`,
    }),
  )
  return [indexRow(of, text), ...files, ...rooms]
}

function indexRow(of: Readonly<Record<string, unknown>>, text: (key: string) => string): HealthRow {
  if (text('lastError') !== '')
    return {
      part: 'memory',
      state: 'trouble',
      says: `${text('lastError')}${runsOf(of, text('lastSuccess'))}`,
    }
  if (of['runs'] === 0) return { part: 'memory', state: 'off', says: 'not indexed yet' }
  if (of['by'] !== 'index')
    return { part: 'memory', state: 'off', says: `word search only: ${text('why')}. ${text('next')}` }
  const indexing = text('indexing') === '' ? '' : `, indexing: ${text('indexing')}`
  return {
    part: 'memory',
    state: 'ok',
    says: `${counted(Number(of['passages']), 'passage')} from ${counted(Number(of['sources']), 'file')}${indexing}${runsOf(of, text('lastSuccess'))}`,
  }
}

/** `; 12 runs, 1 failed, last success 2026-03-01 09:12` */
function runsOf({ runs, failures }: Readonly<Record<string, unknown>>, lastSuccess: string): string {
  if (typeof runs !== 'number' || lastSuccess === '') return ''
  const failed = typeof failures === 'number' && failures > 0 ? `, ${failures} failed` : ''
  const at = lastSuccess.slice(0, 16).replace('T', ' ')
  return `; ${counted(runs, 'run')}${failed}, last success ${at} UTC`
}
