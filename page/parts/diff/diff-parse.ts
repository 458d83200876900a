/** Reads a unified diff of git into files, hunks and rows. Pure. What it doesn't know stays visible as a note. */

export interface DiffRow {
  readonly kind: 'same' | 'add' | 'del'
  /** Line numbers on each side; null on the side that lacks the line. */
  readonly old: number | null
  readonly new: number | null
  readonly text: string
  /** The last line of the file has no line break. */
  readonly hasNoEnd: boolean
}

export interface Hunk {
  /** The function or section that git names after the line numbers. */
  readonly section: string
  readonly rows: readonly DiffRow[]
}

export interface DiffFile {
  readonly path: string
  /** The earlier path of a renamed or copied file. */
  readonly from: string | null
  readonly change: 'modified' | 'added' | 'deleted' | 'renamed' | 'copied'
  readonly isBinary: boolean
  /** Such as `mode 100644 → 100755`; '' for none. */
  readonly note: string
  readonly added: number
  readonly removed: number
  readonly hunks: readonly Hunk[]
}

export function parseDiff(text: string): readonly DiffFile[] {
  const lines = text.split('\n')
  const starts = lines.flatMap((line, at) => (line.startsWith('diff --git ') ? [at] : []))
  return starts.map((start, index) => parseFile(lines.slice(start, starts[index + 1])))
}

interface Head extends Pick<DiffFile, 'from' | 'change' | 'isBinary'> {
  readonly old: string | null
  readonly new: string | null
  readonly oldMode: string
  readonly newMode: string
}

function parseFile(lines: readonly string[]): DiffFile {
  const body = lines.findIndex((line) => line.startsWith('@@ '))
  const head = readHead(body === -1 ? lines : lines.slice(0, body))
  const hunks = body === -1 ? [] : readHunks(lines.slice(body))
  const counted = (kind: DiffRow['kind']) =>
    hunks.reduce((sum, { rows }) => sum + rows.filter((row) => row.kind === kind).length, 0)
  return {
    path: head.new ?? head.old ?? '',
    from: head.from,
    change: head.change,
    isBinary: head.isBinary,
    note: head.oldMode !== '' && head.newMode !== '' ? `mode ${head.oldMode} → ${head.newMode}` : '',
    added: counted('add'),
    removed: counted('del'),
    hunks,
  }
}

const NO_HEAD = { from: null, change: 'modified', isBinary: false, oldMode: '', newMode: '' } as const

function readHead(lines: readonly string[]): Head {
  const [old, fresh] = namesIn((lines[0] ?? '').slice('diff --git '.length))
  let head: Head = { ...NO_HEAD, old, new: fresh }
  for (const line of lines.slice(1)) {
    const found = HEAD_LINES.find(([start]) => line.startsWith(start))
    if (found !== undefined) head = { ...head, ...found[1](line.slice(found[0].length), head) }
  }
  return head
}

/** What each line of a file's head says. */
const HEAD_LINES: readonly (readonly [start: string, read: (rest: string, head: Head) => Partial<Head>])[] = [
  ['new file mode ', () => ({ change: 'added' })],
  ['deleted file mode ', () => ({ change: 'deleted' })],
  ['old mode ', (rest) => ({ oldMode: rest })],
  ['new mode ', (rest) => ({ newMode: rest })],
  ['rename from ', (rest) => ({ change: 'renamed', from: unquoted(rest) })],
  ['copy from ', (rest) => ({ change: 'copied', from: unquoted(rest) })],
  ['rename to ', (rest) => ({ new: unquoted(rest) })],
  ['copy to ', (rest) => ({ new: unquoted(rest) })],
  ['Binary files ', () => ({ isBinary: true })],
  ['GIT binary patch', () => ({ isBinary: true })],
  ['--- ', (rest, head) => ({ old: sidePath(rest) ?? head.old })],
  ['+++ ', (rest, head) => ({ new: sidePath(rest) ?? head.new })],
]

/** Null for `/dev/null`. Git ends a name that has spaces with a tab. */
function sidePath(text: string): string | null {
  const path = unquoted(text.replace(/\t$/, ''))
  return path === '/dev/null' ? null : path.slice(2)
}

/** Both names of a `diff --git` line. Only files without lines need it; then both are the same, or quoted. */
function namesIn(text: string): readonly [string | null, string | null] {
  if (text.startsWith('"')) {
    const [, first = ''] = /^("(?:[^"\\]|\\.)*") /.exec(text) ?? []
    const second = text.slice(first.length + 1)
    return [unquoted(first).slice(2), unquoted(second).slice(2)]
  }
  const half = (text.length - 1) / 2
  const name = text.slice(2, half)
  return text.slice(half + 3) === name ? [name, name] : [null, null]
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** Undoes git's quotes around names with special bytes: `"a/\303\244"`. */
function unquoted(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"')) return text
  const bytes: number[] = []
  for (const [part] of text.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]+/g)) {
    if (!part.startsWith('\\')) bytes.push(...new TextEncoder().encode(part))
    else if (part.length === 4) bytes.push(Number.parseInt(part.slice(1), 8))
    else bytes.push(ESCAPES[part.slice(1)] ?? part.charCodeAt(1))
  }
  return new TextDecoder().decode(new Uint8Array(bytes))
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$/
const KINDS: Readonly<Record<string, DiffRow['kind']>> = { ' ': 'same', '+': 'add', '-': 'del' }

function readHunks(lines: readonly string[]): readonly Hunk[] {
  const hunks: { section: string; rows: DiffRow[] }[] = []
  let [old, fresh] = [0, 0]
  for (const line of lines) {
    const [, oldStart, newStart, section = ''] = HUNK.exec(line) ?? []
    if (oldStart !== undefined) {
      ;[old, fresh] = [Number(oldStart), Number(newStart)]
      hunks.push({ section, rows: [] })
      continue
    }
    const rows = hunks.at(-1)?.rows ?? []
    const kind = KINDS[line.slice(0, 1)]
    if (line.startsWith('\\')) markNoEnd(rows)
    else if (kind !== undefined) {
      const sides = { old: kind === 'add' ? null : old++, new: kind === 'del' ? null : fresh++ }
      rows.push({ kind, ...sides, text: line.slice(1), hasNoEnd: false })
    }
  }
  return hunks
}

function markNoEnd(rows: DiffRow[]): void {
  const last = rows.pop()
  if (last !== undefined) rows.push({ ...last, hasNoEnd: true })
}

export interface RowPair {
  readonly left: DiffRow | null
  readonly right: DiffRow | null
}

/** For two columns: removed lines stand beside the added ones that replace them. */
export function pairRows(rows: readonly DiffRow[]): readonly RowPair[] {
  const pairs: RowPair[] = []
  for (let at = 0; at < rows.length; ) {
    const row = rows[at]
    if (row?.kind === 'same') {
      pairs.push({ left: row, right: row })
      at += 1
      continue
    }
    const removed = run(rows, at, 'del')
    const added = run(rows, at + removed.length, 'add')
    for (let side = 0; side < Math.max(removed.length, added.length); side++)
      pairs.push({ left: removed[side] ?? null, right: added[side] ?? null })
    at += removed.length + added.length
  }
  return pairs
}

function run(rows: readonly DiffRow[], from: number, kind: DiffRow['kind']): readonly DiffRow[] {
  let to = from
  while (rows[to]?.kind === kind) to += 1
  return rows.slice(from, to)
}
