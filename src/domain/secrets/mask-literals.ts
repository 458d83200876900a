/**
 * Replaces known literals in a text by a mask, in a whole text or a stream. Invariant 1: linear in the text for any
 * literals (Aho-Corasick); overlapping literals become one mask. Invariant 2: a part of a word does not match a short
 * literal: `4711` is not in `147112`. Invariant 3: a stream gives the same text as the whole, no matter how it is
 * cut.
 */

export const MASK = '***'
/** Shorter literals stand alone, not inside a longer word or number. */
const LEAST_INSIDE = 8

export interface Masker {
  mask(text: string): string
  /**
   * The masked text from `from` up to `cut`, after which it may become a literal with what follows. No literal lies
   * across `cut`.
   */
  head(text: string, from: number): { readonly shown: string; readonly cut: number }
}

export function openMasker(literals: Iterable<string>): Masker {
  const automaton = automatonOf([...new Set(literals)])
  return { mask: (text) => maskAll(automaton, text), head: (text, from) => maskHead(automaton, text, from) }
}

/** Nodes are numbers, 0 is the root; children are chains of siblings, those of the root a table. */
interface Automaton {
  readonly char: Uint16Array
  readonly child: Int32Array
  readonly sibling: Int32Array
  /** The node of the longest proper suffix that is a beginning of a literal. */
  readonly fail: Int32Array
  /** Length of the literal that ends here; 0: none. */
  readonly ends: Int32Array
  /** The next node on the way over `fail` at which a literal ends. */
  readonly shorter: Int32Array
  readonly depth: Int32Array
  readonly top: Int32Array
}

function automatonOf(literals: readonly string[]): Automaton {
  const size = literals.reduce((sum, { length }) => sum + length, 1)
  const ints = () => new Int32Array(size)
  const made: Automaton = {
    char: new Uint16Array(size),
    child: ints(),
    sibling: ints(),
    fail: ints(),
    ends: ints(),
    shorter: ints(),
    depth: ints(),
    top: new Int32Array(literals.length === 0 ? 0 : 1 << 16),
  }
  let count = 1
  for (const literal of literals) {
    let node = 0
    for (let at = 0; at < literal.length; at += 1) {
      const char = literal.charCodeAt(at)
      const next = childOf(made, node, char)
      node = next === 0 ? addNode(made, { node: count++, parent: node, char }) : next
    }
    made.ends[node] = literal.length
  }
  link(made, count)
  return made
}

function addNode(
  { char: chars, child, sibling, depth, top }: Automaton,
  { node, parent, char }: { readonly node: number; readonly parent: number; readonly char: number },
): number {
  chars[node] = char
  depth[node] = (depth[parent] ?? 0) + 1
  if (parent === 0) top[char] = node
  sibling[node] = child[parent] ?? 0
  child[parent] = node
  return node
}

function childOf({ char: chars, child, sibling, top }: Automaton, node: number, char: number): number {
  if (node === 0) return top[char] ?? 0
  let at = child[node] ?? 0
  while (at !== 0 && chars[at] !== char) at = sibling[at] ?? 0
  return at
}

function step(automaton: Automaton, from: number, char: number): number {
  let node = from
  for (;;) {
    const next = childOf(automaton, node, char)
    if (next !== 0 || node === 0) return next
    node = automaton.fail[node] ?? 0
  }
}

/** Breadth first: what a node falls back to is nearer to the root, and done before it. */
function link(automaton: Automaton, count: number): void {
  const { child, sibling, char, fail, ends, shorter } = automaton
  const queue = new Int32Array(count)
  let last = 1
  for (let first = 0; first < last; first += 1) {
    const parent = queue[first] ?? 0
    for (let node = child[parent] ?? 0; node !== 0; node = sibling[node] ?? 0) {
      const back = parent === 0 ? 0 : step(automaton, fail[parent] ?? 0, char[node] ?? 0)
      fail[node] = back
      shorter[node] = (ends[back] ?? 0) > 0 ? back : (shorter[back] ?? 0)
      queue[last++] = node
    }
  }
}

/** From and to, alternating, in order; what overlaps is one. */
function foundIn(automaton: Automaton, text: string): { readonly spans: number[]; readonly depth: number } {
  const spans: number[] = []
  let node = 0
  for (let at = 0; at < text.length; at += 1) {
    node = step(automaton, node, text.charCodeAt(at))
    if (node === 0) continue
    const length = longestAt(automaton, node, { text, end: at + 1 })
    if (length > 0) addSpan(spans, at + 1 - length, at + 1)
  }
  return { spans, depth: automaton.depth[node] ?? 0 }
}

function addSpan(spans: number[], from: number, to: number): void {
  let start = from
  while (spans.length > 0 && (spans.at(-1) ?? 0) > from) {
    start = Math.min(start, spans.at(-2) ?? start)
    spans.length -= 2
  }
  spans.push(start, to)
}

function longestAt(
  { ends, shorter }: Automaton,
  node: number,
  of: { readonly text: string; readonly end: number },
): number {
  for (let at = (ends[node] ?? 0) > 0 ? node : (shorter[node] ?? 0); at !== 0; at = shorter[at] ?? 0) {
    const length = ends[at] ?? 0
    if (length >= LEAST_INSIDE || isWhole(of.text, of.end - length, of.end)) return length
  }
  return 0
}

function isWhole(text: string, from: number, to: number): boolean {
  return !joins(text[from - 1], text[from]) && !joins(text[to - 1], text[to])
}

function joins(left: string | undefined, right: string | undefined): boolean {
  if (left === undefined || right === undefined) return false
  const both = left + right
  return /^\p{N}{2}$/u.test(both) || /^\p{L}{2}$/u.test(both)
}

function maskAll(automaton: Automaton, text: string): string {
  return shownOf(text, foundIn(automaton, text).spans, { from: 0, to: text.length })
}

function shownOf(
  text: string,
  spans: readonly number[],
  part: { readonly from: number; readonly to: number },
): string {
  let out = ''
  let { from } = part
  for (let at = 0; at < spans.length && (spans[at] ?? 0) < part.to; at += 2) {
    out += text.slice(from, spans[at]) + MASK
    from = spans[at + 1] ?? from
  }
  return out + text.slice(from, part.to)
}

function maskHead(automaton: Automaton, text: string, from: number): { shown: string; cut: number } {
  const { spans, depth } = foundIn(automaton, text)
  let cut = text.length - depth
  for (let at = spans.length - 2; at >= 0; at -= 2)
    if ((spans[at + 1] ?? 0) > cut) cut = Math.min(cut, spans[at] ?? cut)
  return { shown: shownOf(text, spans, { from, to: cut }), cut }
}

export interface MaskStream {
  /** What can be shown now. */
  push(piece: string): string
  /** The rest. */
  end(): string
}

/** @param masker asked at each piece: what is known may grow while a text streams in */
export function openMaskStream(masker: () => Masker): MaskStream {
  // The character before says, as the one after does, whether a short literal is alone.
  let before = ''
  let rest = ''
  return {
    push(piece) {
      const text = before + rest + piece
      const { shown, cut } = masker().head(text, before.length)
      if (cut <= before.length) {
        rest += piece
        return ''
      }
      rest = text.slice(cut)
      before = text.slice(cut - 1, cut)
      return shown
    },
    end() {
      const shown = masker()
        .mask(before + rest)
        .slice(before.length)
      rest = ''
      return shown
    },
  }
}
