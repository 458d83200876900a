/**
 * Which classes of words a word belongs to, by its stems. Pure. Invariant 1: a look-up costs as many steps as the word
 * has letters, however many stems there are.
 */
import {
  ACCOUNT,
  AMOUNT,
  BIRTHDAY,
  CARD,
  CUE,
  KEYED,
  LOCK,
  LOOSE,
  OPEN,
  OTHER_CODE,
  REFERENCE,
  STREET,
} from './secret-stem-lists.ts'

const LISTS = {
  lock: LOCK,
  account: ACCOUNT,
  card: CARD,
  open: OPEN,
  keyed: KEYED,
  loose: LOOSE,
  cue: CUE,
  amount: AMOUNT,
  reference: REFERENCE,
  otherCode: OTHER_CODE,
  street: STREET,
  birthday: BIRTHDAY,
} as const
export type StemClass = keyof typeof LISTS

const fold = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('ß', 'ss')
    .replaceAll('đ', 'd')
    .replaceAll('ς', 'σ')

interface Stem {
  readonly of: StemClass
  /** How many letters may follow the stem. */
  readonly most: number
}

const starts = new Map<string, Stem[]>()
const inner: (readonly [string, StemClass])[] = []
const ends: (readonly [string, StemClass])[] = []
let longest = 0
for (const of of Object.keys(LISTS) as StemClass[])
  for (const stem of fold(LISTS[of]).split(/\s+/).filter(Boolean)) learn(stem, of)

function learn(stem: string, of: StemClass): void {
  const own = stem.slice(1)
  if (stem.startsWith('*')) inner.push([own, of])
  else if (stem.startsWith('~')) ends.push([own, of])
  else {
    const [start, most] = stem.startsWith('=') ? [own, 0] : [stem, moreAfter(stem)]
    starts.set(start, [...(starts.get(start) ?? []), { of, most }])
    longest = Math.max(longest, start.length)
  }
}

/** A short stem is also the beginning of many other words. */
function moreAfter({ length }: string): number {
  if (length > 4) return Number.POSITIVE_INFINITY
  return length === 4 ? 5 : 3
}

const known = new Map<string, ReadonlySet<StemClass>>()
/** People use the same words again and again. */
const MOST_KNOWN = 5000

/** The classes of a word, and of its parts if it has hyphens or apostrophes. */
export function classesOf(word: string): ReadonlySet<StemClass> {
  const found = known.get(word) ?? foundClasses(word)
  if (known.size > MOST_KNOWN) known.clear()
  known.set(word, found)
  return found
}

function foundClasses(word: string): ReadonlySet<StemClass> {
  const folded = fold(word)
  const parts = new Set([folded, ...folded.split(/['’/-]/)])
  return new Set([...parts].filter((part) => /^\p{L}/u.test(part)).flatMap(classesOfPart))
}

function classesOfPart(part: string): readonly StemClass[] {
  const found: StemClass[] = []
  for (let length = 1; length <= Math.min(part.length, longest); length += 1)
    for (const { of, most } of starts.get(part.slice(0, length)) ?? [])
      if (isRest(part.slice(length), most)) found.push(of)
  for (const [stem, of] of inner) if (part.includes(stem)) found.push(of)
  for (const [stem, of] of ends) if (part.endsWith(stem)) found.push(of)
  return found
}

function isRest(rest: string, most: number): boolean {
  return most === Number.POSITIVE_INFINITY || (rest.length <= most && /^\p{L}*$/u.test(rest))
}
