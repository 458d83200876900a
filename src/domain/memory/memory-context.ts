/**
 * The part of memory in each turn and brief: MEMORY.md and the notes of yesterday and today, of the home and of the
 * room.
 * Invariant 1: a text exceeds MOST_FACTS or MOST_DAY by no more than the line that says what is left out. Invariant
 * 2: the facts about the current message and the newest ones are kept; of the notes of a day, the end.
 */
import { counted } from '../text/counted.ts'
import { readFact } from './distill-lines.ts'
import { LOBBY } from '../policy/policy.ts'
import { rarityOf } from './recall-rank.ts'
import { termsOf, wordsOf } from './recall-words.ts'

export interface Remembered {
  /** `workspace/memory/MEMORY.md` */
  readonly path: string
  readonly text: string
}

const MOST_FACTS = 8_000
const MOST_DAY = 3_000
const DAY_MS = 86_400_000

/** The folder of a room's facts and notes. The lobby has those of the home. */
export function memoryFolderOf(room: string): string {
  return room === LOBBY ? 'workspace/memory' : `rooms/${room}/memories`
}

interface Now {
  /** Local time of the home, as if it were UTC. */
  readonly wallMs: number
  /** What the turn or task is about, in words. */
  readonly about: string
}

export function rememberedFor(
  read: (path: string) => string | null,
  { room, ...now }: Now & { readonly room: string },
): readonly Remembered[] {
  return rememberedIn(read, { ...now, folders: [...new Set([memoryFolderOf(LOBBY), memoryFolderOf(room)])] })
}

/** The same for any folders with MEMORY.md and notes of days, such as those of scopes. */
export function rememberedIn(
  read: (path: string) => string | null,
  { folders, wallMs, about }: Now & { readonly folders: readonly string[] },
): readonly Remembered[] {
  const days = [wallMs - DAY_MS, wallMs].map((ms) => new Date(ms).toISOString().slice(0, 10))
  return folders.flatMap((folder) =>
    ['MEMORY', ...days].flatMap((name) => {
      const path = `${folder}/${name}.md`
      const text = (read(path) ?? '').trim()
      if (text === '' || isNoText(text)) return []
      return [{ path, text: name === 'MEMORY' ? chosen(text, path, about) : end(text, path) }]
    }),
  )
}

/** True if MEMORY.md is longer than the part that prompts contain. */
export function isTooLong(text: string): boolean {
  return text.trim().length > MOST_FACTS
}

function isNoText(text: string): boolean {
  return text.slice(0, 8_000).includes('\0')
}

/** Share of the space for facts that those about the current message can take. */
const RELEVANT_LETTERS = MOST_FACTS / 2
/** Of a line that is too long to be chosen as a whole. */
const PIECES = /.{1,1000}/gsu

/** The lines about the message and the newest ones, in the order of the file. */
function chosen(text: string, path: string, about: string): string {
  if (text.length <= MOST_FACTS) return text
  const lines = text.split('\n').flatMap((line) => line.match(PIECES) ?? [line])
  const kept = new Set<number>()
  let letters = 0
  const take = (order: readonly number[], most: number) => {
    for (const at of order.filter((one) => !kept.has(one))) {
      const length = (lines[at] ?? '').length + 1
      if (letters + length > most) return
      kept.add(at)
      letters += length
    }
  }
  take(aboutIt(lines, about), RELEVANT_LETTERS)
  take(newestFirst(lines), MOST_FACTS)
  const shown = lines.filter((line, at) => kept.has(at) && line.trim() !== '').join('\n')
  return `(${counted(text.length - shown.length, 'character')} of ${path} omitted, mostly older facts: search memory for them) …\n${shown}`
}

/** Best first; only lines that share a telling word with the message. */
function aboutIt(lines: readonly string[], about: string): readonly number[] {
  const terms = termsOf(about)
  const words = lines.map((line) => new Set(wordsOf(readFact(line)?.value ?? line).concat(keyWords(line))))
  const rarity = terms.map((term) => rarityOf(words.filter((own) => own.has(term)).length, words.length))
  const scores = words.map((own) =>
    terms.reduce((sum, term, at) => sum + (own.has(term) ? (rarity[at] ?? 0) : 0), 0),
  )
  return [...lines.keys()]
    .filter((at) => (scores[at] ?? 0) > 0)
    .toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || b - a)
}

function keyWords(line: string): readonly string[] {
  return wordsOf(readFact(line)?.key ?? '')
}

/** By day; a line without one has the day of the line above it. */
function newestFirst(lines: readonly string[]): readonly number[] {
  let day = ''
  const days = lines.map((line) => {
    day = readFact(line)?.day ?? day
    return day
  })
  return [...lines.keys()].toSorted((a, b) => {
    const [one, other] = [days[a] ?? '', days[b] ?? '']
    return one === other ? b - a : one < other ? 1 : -1
  })
}

function end(text: string, path: string): string {
  if (text.length <= MOST_DAY) return text
  const from = text.length - MOST_DAY
  const at = text.indexOf('\n', from)
  const kept =
    at >= 0 && at < from + MOST_DAY / 2
      ? text.slice(at + 1)
      : text.slice(from).replace(/^[\uDC00-\uDFFF]/, '')
  return `(${text.length - kept.length} earlier characters of ${path} omitted: search memory for them) …\n${kept}`
}
