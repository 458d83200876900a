/**
 * HTML as text: what a reader of the page would see, with links. No parser of documents: tags are looked at one by one.
 * Invariant 1: time is linear in the page, however broken it is; scripts, styles and comments give nothing.
 */

/** Elements whose content isn't text. */
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'select'])
/** Elements that begin and end lines. */
const BLOCK =
  /^(address|article|aside|blockquote|body|br|center|dd|details|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|hr|html|legend|li|main|nav|ol|option|p|pre|section|summary|table|tbody|td|tfoot|th|thead|title|tr|ul)$/
const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', copy: '©', reg: '®', hellip: '…' },
  ...{ mdash: '—', ndash: '–', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»' },
  ...{ bull: '•', middot: '·', times: '×', deg: '°', euro: '€', trade: '™', rarr: '→', larr: '←' },
}

export function reduceHtml(html: string, base: string): string {
  const out: string[] = []
  const links: string[] = []
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open < 0) break
    out.push(plain(html.slice(at, open)))
    const tag = tagAt(html, open)
    at = tag.end
    if (tag.kind === 'open' && SILENT.has(tag.name)) at = endOf(html, tag.name, at)
    else if (tag.kind === 'text') out.push('<')
    else out.push(...wordsFor(tag, links, base))
  }
  if (at < html.length) out.push(plain(html.slice(at)))
  return tidy(out.join(''))
}

interface Tag {
  readonly kind: 'open' | 'close' | 'comment' | 'text'
  readonly name: string
  readonly source: string
  readonly end: number
}

/** The tag that begins at `open`; a `<` that begins none is text. */
function tagAt(html: string, open: number): Tag {
  if (html.startsWith('<!--', open)) {
    const close = html.indexOf('-->', open + 4)
    return { kind: 'comment', name: '', source: '', end: close < 0 ? html.length : close + 3 }
  }
  const [, slash, name] = /^<(\/?)([a-zA-Z][a-zA-Z0-9]{0,20})/.exec(html.slice(open, open + 24)) ?? []
  if (name === undefined && !/^<[!?]/.test(html.slice(open, open + 2))) {
    return { kind: 'text', name: '', source: '', end: open + 1 }
  }
  const close = html.indexOf('>', open)
  const end = close < 0 ? html.length : close + 1
  if (name === undefined) return { kind: 'comment', name: '', source: '', end }
  const source = html.slice(open, Math.min(end, open + 4000))
  return { kind: slash === '/' ? 'close' : 'open', name: name.toLowerCase(), source, end }
}

/** Behind the end tag of an element whose content isn't text; otherwise the end of the page. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[^>]{0,100}>`, 'gi')
  end.lastIndex = from
  return end.exec(html) === null ? html.length : end.lastIndex
}

/** Line ends, list marks, and links as `[text](address)`. */
function wordsFor(tag: Tag, links: string[], base: string): readonly string[] {
  if (tag.name === 'a') return [tag.kind === 'open' ? openLink(tag, links, base) : closeLink(links)]
  if (tag.kind === 'open' && tag.name === 'li') return ['\n- ']
  if (tag.kind === 'open' && /^h[1-6]$/.test(tag.name)) return [`\n\n${'#'.repeat(Number(tag.name[1]))} `]
  if (tag.name === 'td' || tag.name === 'th') return [' ']
  return BLOCK.test(tag.name) ? ['\n'] : []
}

function openLink(tag: Tag, links: string[], base: string): string {
  const [, , quoted, , single, bare] =
    /\shref\s{0,5}=\s{0,5}("([^"]*)"|('([^']*)')|([^\s"'>]+))/i.exec(tag.source) ?? []
  const url = absolute(decode(quoted ?? single ?? bare ?? ''), base)
  links.push(url)
  return url === '' ? '' : '['
}

function closeLink(links: string[]): string {
  const url = links.pop() ?? ''
  return url === '' ? '' : `](${url})`
}

/** '' for what leads nowhere else. */
function absolute(href: string, base: string): string {
  if (href === '' || href.startsWith('#')) return ''
  try {
    const url = new URL(href, base)
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : ''
  } catch {
    return ''
  }
}

function plain(text: string): string {
  return decode(text.replaceAll(/\s+/g, ' '))
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,10}));/g

function decode(text: string): string {
  return text.replaceAll(REFERENCE, (whole: string, ...groups: readonly (string | undefined)[]) => {
    const [decimal, hex, name] = groups
    if (name !== undefined) return (Object.hasOwn(NAMED, name) ? NAMED[name] : undefined) ?? whole
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : ''
  })
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' ').trim())
  return lines
    .filter((line, at) => line !== '' || (lines[at - 1] ?? '') !== '')
    .filter((line) => line !== '-' && !/^#{1,6}$/.test(line))
    .join('\n')
    .trim()
}
