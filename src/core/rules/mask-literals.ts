/**
 * Finds known literals in a text and puts a mask in their place, whole or as the text streams in.
 * Takes literals; gives a function from text to text. Pure. Leaves to secret-values.ts: which literals.
 * Invariant 1: one pass over the text, whatever the number of literals: a table of their first two characters says at
 * each place whether one can begin there.
 * Invariant 2: of two that begin at one place the longer is masked; a piece of a word is not taken for a short literal.
 * Invariant 3: a stream gives the same text as the whole, however it is cut.
 */
const MASK = '***'
/** Shorter literals stand alone, not inside a longer word or number. */
const LEAST_INSIDE = 8
const SLOTS = 1 << 14

export interface Masker {
  mask(text: string): string
  /** Where the end of the text begins that may become a literal with what follows. */
  held(text: string): number
}

export function openMasker(literals: Iterable<string>): Masker {
  const table = tableOf(literals)
  return {
    mask: (text) => maskAll(table, text),
    held: (text) => heldFrom(table, text),
  }
}

interface Table {
  /** By the first two characters, longest first. */
  readonly slots: readonly (readonly string[] | undefined)[]
  readonly firsts: ReadonlySet<number>
  readonly longest: number
}

function tableOf(literals: Iterable<string>): Table {
  const slots = new Array<string[] | undefined>(SLOTS).fill(undefined)
  const firsts = new Set<number>()
  let longest = 0
  for (const literal of [...literals].toSorted((a, b) => b.length - a.length)) {
    const at = slotOf(literal, 0)
    const slot = slots[at]
    if (slot === undefined) slots[at] = [literal]
    else slot.push(literal)
    firsts.add(literal.charCodeAt(0))
    longest = Math.max(longest, literal.length)
  }
  return { slots, firsts, longest }
}

function slotOf(text: string, at: number): number {
  return (text.charCodeAt(at) * 131 + text.charCodeAt(at + 1)) & (SLOTS - 1)
}

function maskAll({ slots, longest }: Table, text: string): string {
  if (longest === 0) return text
  let out = ''
  let from = 0
  for (let at = 0; at < text.length - 1; at += 1) {
    const slot = slots[slotOf(text, at)]
    if (slot === undefined) continue
    const found = slot.find((literal) => text.startsWith(literal, at) && isWhole(text, at, literal))
    if (found === undefined) continue
    out += text.slice(from, at) + MASK
    from = at + found.length
    at = from - 1
  }
  return from === 0 ? text : out + text.slice(from)
}

/** `4711` is not in `147112`, and `hunter` is not in `hunters`. */
function isWhole(text: string, at: number, literal: string): boolean {
  if (literal.length >= LEAST_INSIDE) return true
  return !joins(text[at - 1], literal[0]) && !joins(literal.at(-1), text[at + literal.length])
}

function joins(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined) return false
  const both = left + right
  return /^\p{N}{2}$/u.test(both) || /^\p{L}{2}$/u.test(both)
}

/** Where the tail begins that may be the beginning of a literal; no literal lies across that place. */
function heldFrom(table: Table, text: string): number {
  let cut = tailFrom(table, text)
  for (let at = cut - 1; at >= 0 && at > cut - table.longest; at -= 1) {
    const slot = table.slots[slotOf(text, at)]
    if (slot?.some((one) => at + one.length > cut && text.startsWith(one, at))) cut = at
  }
  return cut
}

function tailFrom({ slots, firsts, longest }: Table, text: string): number {
  const last = text.length - 1
  for (let at = Math.max(0, text.length - longest); at < last; at += 1) {
    const slot = slots[slotOf(text, at)]
    if (slot?.some((one) => one.length >= text.length - at && one.startsWith(text.slice(at)))) return at
  }
  return last >= 0 && firsts.has(text.charCodeAt(last)) ? last : text.length
}

/** Masks a text that comes in pieces: what may be the beginning of a secret is held back until the next. */
export interface MaskStream {
  /** What can be shown now. */
  push(piece: string): string
  /** The rest. */
  end(): string
}

/** @param masker asked at each piece: what is known may grow while a text streams in */
export function openMaskStream(masker: () => Masker): MaskStream {
  let before = ''
  let rest = ''
  const show = (text: string) => {
    const shown = masker()
      .mask(before + text)
      .slice(before.length)
    before = text.at(-1) ?? before
    return shown
  }
  return {
    push(piece) {
      const text = rest + piece
      const at = masker().held(text)
      rest = text.slice(at)
      return show(text.slice(0, at))
    },
    end() {
      const text = rest
      rest = ''
      return show(text)
    },
  }
}
