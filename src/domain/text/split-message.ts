/**
 * Long messages in parts: as Telegram counts, UTF-16 units of what is left once tags and entities are gone. Pure.
 * Invariant 1: no part is longer than the limit, and no part is cut inside a tag, an entity or a pair of surrogates.
 * Invariant 2: tags that are open at a cut are closed before it and opened again after it. Invariant 3: the parts' texts
 * one after the other are the whole text, but for blanks at the cuts.
 */

export const MOST_TEXT = 4_096
/** Raw text above 32,768 bytes is refused before it is read. */
const MOST_BYTES = 30_000
/** Telegram keeps the first 100; what is past them would lose its form. */
const MOST_TAGS = 90

interface Atom {
  readonly raw: string
  /** Units of text. */
  readonly size: number
  /** Bytes of UTF-8. */
  readonly bytes: number
  readonly tag: 'open' | 'close' | 'no'
}

const ATOM = /<[^>]*>|&(?:lt|gt|amp|quot);|[\s\S]/gu

export function splitHtml(html: string, most = MOST_TEXT): readonly string[] {
  const atoms = [...html.matchAll(ATOM)].map(([raw]) => atomOf(raw))
  const parts: string[] = []
  let open: readonly string[] = []
  let from = 0
  while (from < atoms.length) {
    const to = cutAfter(atoms, from, { most, open })
    const part = atoms.slice(from, to)
    const left = openAfter(open, part)
    const text = `${open.join('')}${part.map(({ raw }) => raw).join('')}${closing(left)}`
    if (part.some(({ tag, raw }) => tag === 'no' && raw.trim() !== '')) parts.push(text.trim())
    open = left
    from = to
    while (atoms[from]?.raw === '\n' || atoms[from]?.raw === ' ') from += 1
  }
  return parts
}

/** Plain text, by the same rules. */
export function splitText(text: string, most = MOST_TEXT): readonly string[] {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return splitHtml(escaped, most).map((part) => part.replaceAll('&lt;', '<').replaceAll('&amp;', '&'))
}

function atomOf(raw: string): Atom {
  const isTag = raw.length > 1 && raw.startsWith('<')
  const tag = !isTag ? 'no' : raw.startsWith('</') ? 'close' : 'open'
  return { raw, tag, size: isTag ? 0 : raw.length > 2 ? 1 : raw.length, bytes: bytesOf(raw) }
}

function bytesOf(raw: string): number {
  let bytes = 0
  for (const character of raw) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
  }
  return bytes
}

interface Within {
  readonly most: number
  readonly open: readonly string[]
}

/** The index after the last atom of the part that begins at `from`: after a paragraph, a line, a word, else anywhere. */
function cutAfter(atoms: readonly Atom[], from: number, { most, open }: Within): number {
  let [size, bytes, tags] = [0, bytesOf(open.join('')) * 2, open.length]
  let at = from
  const best = { paragraph: 0, line: 0, word: 0 }
  for (; at < atoms.length; at++) {
    const atom = atoms[at]
    if (atom === undefined) break
    if (atom.tag === 'open') tags += 1
    size += atom.size
    bytes += atom.bytes * (atom.tag === 'no' ? 1 : 2)
    const isFull = size > most || bytes > MOST_BYTES || (tags > MOST_TAGS && atom.tag === 'open')
    // One atom goes in any case, so that there is an end.
    if (isFull && at > from) break
    if (atom.raw === '\n') {
      if (atoms[at - 1]?.raw === '\n') best.paragraph = at + 1
      best.line = at + 1
    } else if (atom.raw === ' ') best.word = at + 1
  }
  if (at >= atoms.length) return atoms.length
  const least = from + (at - from) / 2
  for (const cut of [best.paragraph, best.line, best.word]) if (cut > least) return cut
  return Math.max(at, from + 1)
}

function openAfter(open: readonly string[], part: readonly Atom[]): readonly string[] {
  const now = [...open]
  for (const { raw, tag } of part) {
    if (tag === 'open') now.push(raw)
    else if (tag === 'close') now.pop()
  }
  return now
}

function closing(open: readonly string[]): string {
  return open
    .toReversed()
    .map((tag) => `</${/^<([a-z-]+)/.exec(tag)?.[1] ?? 'b'}>`)
    .join('')
}
