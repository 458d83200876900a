/**
 * Lines that distilling writes into MEMORY.md, HISTORY.md and notes, and memories of task results.
 * Invariant 1: a line of Neo names speaker, day and its sources in transcripts; any other line was written by a
 * person.
 * Invariant 2: the same attempt of a task gives the same memory.
 */
import type { Task } from '../task/task.ts'
import { cut } from '../text/one-line.ts'

export interface FactLine {
  /** '' for a statement without a key. */
  readonly key: string
  readonly speaker: string
  readonly value: string
  readonly day: string
  /** `neo-2026-03-01-1:12`, one or more. */
  readonly sources: readonly string[]
}

/** The oldest facts beyond this length move to HISTORY.md. */
const MOST_MEMORY = 64_000

const PLACE = '[\\w.-]+:\\d+'
const FACT = new RegExp(
  `^- (?:\\*\\*(.+?)\\*\\* )?\\(([^)]*)\\): (.*) — (\\d{4}-\\d{2}-\\d{2}) \\((${PLACE}(?:, ${PLACE})*)\\)$`,
  'u',
)
/** The sources at the end of a line of Neo. */
const SOURCES = new RegExp(`\\((${PLACE}(?:, ${PLACE})*)\\)$`, 'gm')

/** Null for a line that a person wrote. */
export function readFact(line: string): FactLine | null {
  const found = FACT.exec(line)
  if (found === null) return null
  const [, key = '', speaker = '', value = '', day = '', sources = ''] = found
  return { key, speaker, value, day, sources: sources.split(', ') }
}

/** `- **time zone** (human): Europe/Paris — 2026-03-01 (neo-2026-03-01-1:12)` */
export function factLine({ key, speaker, value, day, sources }: FactLine): string {
  const head = key === '' ? '' : `**${key}** `
  return `- ${head}(${speaker}): ${value} — ${day} (${sources.join(', ')})`
}

export function sourcesIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => [...text.matchAll(SOURCES)].flatMap((match) => (match[1] ?? '').split(', ')))
}

/** The lines of a text; the title for an empty one. */
export function linesOf(text: string, title: string): string[] {
  return text.trim() === '' ? [title, ''] : text.replace(/\n+$/, '').split('\n')
}

export function joined(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}

/** Removes the oldest lines of Neo beyond the limit, and returns them. Lines that people wrote don't count. */
export function shrink(lines: string[]): readonly string[] {
  const moved: string[] = []
  let length = joined(lines.filter((line) => readFact(line) !== null)).length
  for (let at = 0; at < lines.length && length > MOST_MEMORY; ) {
    const line = lines[at] ?? ''
    if (readFact(line) === null) at++
    else {
      moved.push(line)
      lines.splice(at, 1)
      length -= line.length + 1
    }
  }
  return moved
}

/** A shorter result adds nothing to the title of its task. */
const LONG_RESULT = 80
const LONG_WORK = 800
const MOST_RESULT = 900

export interface ResultMemory {
  /** Task and attempt, `t-7f3k2q@2`: each has one memory at most. */
  readonly key: string
  readonly title: string
  readonly text: string
  readonly importance: 'low' | 'normal'
}

/**
 * Null for results that are not worth a memory: small work that succeeded is in git and in the index already.
 * @param handOver what its session wrote at the end; '' if unknown
 */
export function resultMemory(task: Task, handOver: string): ResultMemory | null {
  const { id, attempt = 1, result = '', error = '' } = task.neo
  if (id === undefined) return null
  const key = `${id}@${attempt}`
  if (task.status === 'failed' && error.trim() !== '')
    return {
      key,
      title: task.title,
      importance: 'normal',
      text: cut(`"${task.title}" failed: ${error.trim()}`, MOST_RESULT),
    }
  if (task.status !== 'completed' || result.trim() === '') return null
  const isReviewed = task.review === 'branch' || task.review === 'pr'
  if (result.length < LONG_RESULT && handOver.length < LONG_WORK && !isReviewed) return null
  const more =
    handOver.trim() === '' || handOver.includes(result.trim())
      ? handOver.trim()
      : `${result.trim()}\n\n${handOver.trim()}`
  const says = more === '' ? result.trim() : more
  return { key, title: task.title, importance: 'low', text: cut(`"${task.title}": ${says}`, MOST_RESULT) }
}
