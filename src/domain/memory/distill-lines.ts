/**
 * Lines that distilling writes into MEMORY.md, HISTORY.md and notes, and how they are told from those of people.
 * Invariant 1: a line of Neo names speaker, day and the places of transcripts it is from; any other line is the user's.
 */
export interface FactLine {
  /** '' for a statement without a key. */
  readonly key: string
  readonly speaker: string
  readonly value: string
  readonly day: string
  /** `neo-2026-03-01-1:12`, one or more. */
  readonly sources: readonly string[]
}

/** Older facts than fit move to HISTORY.md. */
export const MOST_MEMORY = 64_000

const PLACE = '[\\w.-]+:\\d+'
const FACT = new RegExp(
  `^- (?:\\*\\*(.+?)\\*\\* )?\\(([^)]*)\\): (.*) — (\\d{4}-\\d{2}-\\d{2}) \\((${PLACE}(?:, ${PLACE})*)\\)$`,
  'u',
)
/** Places that a line of Neo names, at its end. */
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

/** The lines of a text; of an empty one a title. */
export function linesOf(text: string, title: string): string[] {
  return text.trim() === '' ? [title, ''] : text.replace(/\n+$/, '').split('\n')
}

export function joined(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}

/** Takes the oldest of our own lines out, if these have grown too long; returns them. What people wrote counts as nothing. */
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

export function cut(text: string, letters: number): string {
  const all = [...text]
  return all.length <= letters ? text : `${all.slice(0, letters - 1).join('')}…`
}
