/**
 * A repository's configuration as a confined git sees it: what it needs to read the repository, and no login. Invariant
 * 1: a key that is not listed here is left out, so that headers, helpers, filters, aliases and includes never pass.
 * Invariant 2: an address loses its user and password.
 */

const CORE =
  'repositoryformatversion|filemode|bare|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath|sparsecheckout|sparsecheckoutcone|worktree|bigfilethreshold|trustctime|checkstat|longpaths'
const EXTENSIONS =
  'objectformat|refstorage|worktreeconfig|noop|preciousobjects|relativeworktrees|compatobjectformat'
const KEPT = new RegExp(
  `^(?:core\\.(?:${CORE})|extensions\\.(?:${EXTENSIONS})|user\\.(?:name|email)|remote\\.(?:url|fetch)|branch\\.(?:merge|remote)|submodule\\.(?:url|active|path))$`,
)
/** Keys that may hold an address. */
const ADDRESS = /^(?:remote\.url|submodule\.url|branch\.remote)$/
/** More is left out: it goes through a command line. */
const MOST_LETTERS = 60_000

interface Entry {
  readonly section: string
  /** As in `[remote "origin"]`; '' for none. */
  readonly name: string
  readonly key: string
  /** Null for a key without `=`, which means true. */
  readonly value: string | null
}

export function withoutLogins(text: string): string {
  let rendered = ''
  for (const entry of entriesOf(text)) {
    const full = `${entry.section}.${entry.key}`
    if (!KEPT.test(full)) continue
    const value = ADDRESS.test(full) ? address(entry.value ?? '') : entry.value
    const line = render({ ...entry, value })
    if (rendered.length + line.length > MOST_LETTERS) break
    rendered += line
  }
  return rendered
}

/** An address without user, password, query; those that are no plain address or path are left empty. */
function address(value: string): string {
  const url = /^([a-z][a-z0-9+.-]*:\/\/)(?:[^/?#]*@)?([^?#@]*)/i.exec(value)
  if (url !== null) return `${url[1]}${url[2]}`
  const scp = /^(?:[^@/:]+@)?([^@:/]+:[^?#@]*)$/.exec(value)
  if (scp !== null) return scp[1] ?? ''
  return /[@:?]/.test(value) ? '' : value
}

function render({ section, name, key, value }: Entry): string {
  const head = name === '' ? `[${section}]` : `[${section} "${name.replace(/[\\"]/g, '\\$&')}"]`
  return `${head}\n\t${key}${value === null ? '' : ` = ${quoted(value)}`}\n`
}

function quoted(value: string): string {
  const escaped = value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  return `"${escaped}"`
}

function entriesOf(text: string): readonly Entry[] {
  const entries: Entry[] = []
  let section = ''
  let name = ''
  for (const line of logicalLines(text)) {
    const head = /^\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line)
    if (head !== null) {
      const [, first = '', quotedName] = head
      const [old = '', ...dotted] = first.split('.')
      section = old.toLowerCase()
      name = quotedName?.replace(/\\(.)/g, '$1') ?? dotted.join('.').toLowerCase()
    }
    const rest = head === null ? line : (head[3] ?? '')
    const pair = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?$/.exec(rest)
    if (pair === null || section === '') continue
    const value = pair[2] === undefined ? null : plainValue(pair[2])
    entries.push({ section, name, key: (pair[1] ?? '').toLowerCase(), value })
  }
  return entries
}

/** A backslash at the end of a line joins it with the next one. */
function logicalLines(text: string): readonly string[] {
  return text
    .replaceAll('\r\n', '\n')
    .replace(/(?<!\\)((?:\\\\)*)\\\n/g, '$1')
    .split('\n')
}

/** Quotes and escapes resolved, comment and outer space cut off. */
function plainValue(raw: string): string {
  let value = ''
  let kept = 0
  let isQuoted = false
  for (let at = 0; at < raw.length; at++) {
    const letter = raw.charAt(at)
    if (letter === '"') {
      isQuoted = !isQuoted
      kept = value.length
    } else if (letter === '\\') {
      at += 1
      value += ESCAPES[raw.charAt(at)] ?? raw.charAt(at)
      kept = value.length
    } else if ((letter === '#' || letter === ';') && !isQuoted) {
      break
    } else if (isQuoted || /\S/.test(letter)) {
      value += letter
      kept = value.length
    } else if (value !== '') {
      value += letter
    }
  }
  return value.slice(0, kept)
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' }
