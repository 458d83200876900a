/**
 * Markdown as Telegram's HTML, in parts of the size that Telegram takes, and back to plain text. The size counts
 * UTF-16 units without tags and entities. Invariant 1: every tag is closed and known, and a quote contains no quote,
 * else Telegram refuses the whole message. Invariant 2: no text is lost: what has no form in HTML stays as written.
 * Invariant 3: no part is longer than the limit or cut inside a tag, an entity or a surrogate pair; tags that are
 * open at a cut are closed before it and opened again after it.
 */

export interface MdToken {
  readonly type: string
  readonly raw?: string
  readonly text?: string
  readonly lang?: string | undefined
  readonly href?: string
  readonly ordered?: boolean
  readonly start?: number | ''
  readonly checked?: boolean
  readonly tokens?: readonly MdToken[] | undefined
  readonly items?: readonly MdToken[]
  readonly header?: readonly Cell[]
  readonly rows?: readonly (readonly Cell[])[]
}

interface Cell {
  readonly text: string
}

type Inside = 'text' | 'quote'

/** The message as HTML; '' for nothing. */
export function telegramHtml(tokens: readonly MdToken[]): string {
  return blocks(tokens, 'text')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

/** `& < > "`, for text and attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' }

/** What remains where tags are not wanted. */
export function plainOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:lt|gt|amp|quot);/g, (found) => ENTITIES[found] ?? found)
}

function blocks(tokens: readonly MdToken[], inside: Inside): string {
  return tokens
    .map((token) => block(token, inside))
    .filter((text) => text !== '')
    .join('\n\n')
}

function block(token: MdToken, inside: Inside): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return ''
    case 'hr':
      return '———'
    case 'heading':
      return `<b>${inline(token)}</b>`
    case 'code':
      return codeBlock(token)
    case 'blockquote':
      return quote(token, inside)
    case 'list':
      return list(token, inside)
    case 'table':
      return `<pre>${escapeHtml(table(token))}</pre>`
    case 'html':
      return escapeHtml((token.raw ?? token.text ?? '').trimEnd())
    default:
      return inline(token)
  }
}

function codeBlock({ text = '', lang }: MdToken): string {
  const name = /^[\w+#.-]{1,30}/.exec(lang ?? '')?.[0]
  const code = escapeHtml(text)
  return name === undefined
    ? `<pre>${code}</pre>`
    : `<pre><code class="language-${name}">${code}</code></pre>`
}

function quote({ tokens = [] }: MdToken, inside: Inside): string {
  const text = blocks(tokens, 'quote')
  return inside === 'quote' || text === '' ? text : `<blockquote>${text}</blockquote>`
}

function list({ items = [], ordered, start }: MdToken, inside: Inside): string {
  const first = typeof start === 'number' ? start : 1
  return items
    .map((item, n) => `${ordered === true ? `${first + n}.` : '•'} ${indented(listItem(item, inside))}`)
    .join('\n')
}

function listItem({ tokens = [] }: MdToken, inside: Inside): string {
  let text = ''
  for (const token of tokens) {
    if (token.type === 'checkbox') text += token.checked === true ? '☑ ' : '☐ '
    else {
      const own = block(token, inside)
      text += own === '' || text === '' || text.endsWith(' ') ? own : `\n${own}`
    }
  }
  return text
}

/** Keeps the lines of a block of code, in which spaces count. */
function indented(text: string): string {
  const parts = text.split(/(<pre>[\s\S]*?<\/pre>)/)
  return parts.map((part) => (part.startsWith('<pre>') ? part : part.replaceAll('\n', '\n  '))).join('')
}

function table({ header = [], rows = [] }: MdToken): string {
  const all = [header, ...rows].map((row) => row.map(({ text }) => text.replaceAll('\n', ' ')))
  const widths = header.map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join(' | ')
      .trimEnd()
  const [head = [], ...rest] = all
  return [line(head), widths.map((width) => '-'.repeat(width)).join('-+-'), ...rest.map(line)].join('\n')
}

function inline({ tokens, text = '', raw = '' }: MdToken): string {
  if (tokens === undefined) return escapeHtml(text === '' ? raw : text)
  return tokens.map(span).join('')
}

function span(token: MdToken): string {
  switch (token.type) {
    case 'strong':
      return `<b>${inline(token)}</b>`
    case 'em':
      return `<i>${inline(token)}</i>`
    case 'del':
      return `<s>${inline(token)}</s>`
    case 'codespan':
      return `<code>${escapeHtml(token.text ?? '')}</code>`
    case 'br':
      return '\n'
    case 'link':
      return link(token)
    case 'image':
      return link({ ...token, tokens: [{ type: 'text', text: token.text || 'image' }] })
    case 'html':
      return escapeHtml(token.raw ?? token.text ?? '')
    default:
      return inline(token)
  }
}

/** Telegram follows these; any other address is shown as text. */
const FOLLOWED = /^(?:https?:\/\/|tg:\/\/|mailto:)[^\s]+$/i

function link(token: MdToken): string {
  const href = token.href ?? ''
  const text = inline(token)
  if (FOLLOWED.test(href) && href.length < 2_000) return `<a href="${escapeHtml(href)}">${text}</a>`
  return href === '' || plainOf(text) === href ? text : `${text} (${escapeHtml(href)})`
}

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

/**
 * The index after the last atom of the part that begins at `from`: after a paragraph, a line, a word, else anywhere.
 */
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
