/**
 * Markdown as Telegram's HTML: from the tokens of a lexer to the tags that Telegram knows, and back to plain text. Pure.
 * Invariant 1: every tag is closed, none is unknown, and a quote holds no quote: else Telegram refuses the whole
 * message. Invariant 2: no text is lost: what has no form of its own stands as it was written.
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

/** Lines of a block of code stay where they are: spaces count there. */
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
