/**
 * Output for people (aligned, coloured on a terminal) and for programs (one JSON document). Invariant 1: every text is
 * escaped here and known secrets in it are masked, so no command can forget it. Invariant 2: with `--json`, stdout gets
 * only JSON; notes go to stderr, and are left out with `--quiet`.
 */
import { maskKnown, maskSure, maskSureIn } from '../domain/secrets/known-secrets.ts'
import { cut, shown as escaped, shownLines, widthOf } from './shown-text.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta' | 'blue'
export interface Styled {
  readonly text: string
  readonly style: Style
}
export type Cell = string | Styled

export function dim(text: string): Styled {
  return { text, style: 'dim' }
}

export interface Output {
  readonly mode: 'json' | 'text'
  /** A line on stdout; left out with `--json`. */
  line(...cells: readonly Cell[]): void
  /** A heading above what follows. */
  heading(text: string): void
  /** Text of several lines, e.g. a body or a diff. */
  block(text: string): void
  /** Rows with aligned columns; on a narrow terminal the `flexible` column is cut. */
  table(rows: readonly (readonly Cell[])[], flexible?: number): void
  /** One document: `{"schemaVersion":1,"kind":…,"data":…}`; left out without `--json`. */
  data(kind: string, data: unknown): void
  /** One JSON value on a line, for streams of events. */
  event(value: unknown): void
  /** A note for people, on stderr; left out with `--quiet`. */
  note(...cells: readonly Cell[]): void
  /** Always, on stderr: `neo:`, `why:`, `next:`. */
  error(label: string, text: string): void
  /** A progress line on a terminal's stderr, which the next one replaces; null removes it. */
  progress(text: string | null): void
  readonly isTerminal: boolean
  /** With `--quiet`: print the answer and nothing else. */
  readonly isQuiet: boolean
}

export interface OutputOptions {
  readonly json: boolean
  readonly quiet: boolean
  readonly color: boolean
}

function shown(text: string): string {
  return escaped(maskSure(text))
}

type Paint = (style: Style, text: string) => string

/** Loads the colour library only if a terminal shows the output. */
export async function openOutput(streams: Streams, options: OutputOptions): Promise<Output> {
  const { stdout, stderr } = streams
  const isTerminal = stdout.isTTY === true || stderr.isTTY === true
  const paint = options.color && isTerminal ? await painter() : plain
  return { ...toStdout(stdout, paint, options), ...toStderr(stderr, paint, options) }
}

export interface Streams {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

type OnStdout = Pick<
  Output,
  'mode' | 'isTerminal' | 'isQuiet' | 'line' | 'heading' | 'block' | 'table' | 'data' | 'event'
>

function toStdout(stdout: NodeJS.WriteStream, paints: Paint, options: OutputOptions): OnStdout {
  const isTerminal = stdout.isTTY === true
  const paint = isTerminal ? paints : plain
  const { json } = options
  const say = (text: string): void => {
    if (!json) stdout.write(`${text}\n`)
  }
  return {
    mode: json ? 'json' : 'text',
    isTerminal,
    isQuiet: options.quiet,
    line: (...cells) => say(joined(cells, paint)),
    heading: (text) => say(paint('bold', shown(text))),
    block: (text) => say(shownLines(maskSure(text).replaceAll('\r\n', '\n').replace(/\n$/, ''))),
    table: (rows, flexible) => {
      const columns = isTerminal ? (stdout.columns ?? 80) : null
      if (!json && rows.length > 0)
        stdout.write(tableText(rows, { paint, columns, flexible: flexible ?? -1 }))
    },
    data: (kind, data) => {
      if (json) stdout.write(`${jsonText({ schemaVersion: 1, kind, data }, isTerminal ? 2 : 0)}\n`)
    },
    event: (value) => void stdout.write(`${jsonText(value, 0)}\n`),
  }
}

function toStderr(
  stderr: NodeJS.WriteStream,
  paints: Paint,
  options: OutputOptions,
): Pick<Output, 'note' | 'error' | 'progress'> {
  const isTerminal = stderr.isTTY === true
  const paint = isTerminal ? paints : plain
  let progressing = false
  const clear = (): void => {
    if (progressing) stderr.write('\r\x1b[K')
    progressing = false
  }
  const write = (text: string): void => {
    clear()
    stderr.write(`${text}\n`)
  }
  return {
    note: (...cells) => {
      if (!options.quiet) write(joined(cells, paint))
    },
    error: (label, text) =>
      write(`${paint(label === 'neo' ? 'red' : 'dim', `${label}:`)} ${escaped(maskKnown(text))}`),
    progress: (text) => {
      if (!isTerminal || options.quiet) return
      clear()
      if (text === null) return
      stderr.write(cut(shown(text), (stderr.columns ?? 80) - 1))
      progressing = true
    },
  }
}

async function painter(): Promise<Paint> {
  const { createColors } = (await import('picocolors')).default
  const colors = createColors(true)
  return (style, text) => colors[style](text)
}

function plain(_style: Style, text: string): string {
  return text
}

function joined(cells: readonly Cell[], paint: Paint): string {
  return cells
    .map((cell) => (typeof cell === 'string' ? shown(cell) : paint(cell.style, shown(cell.text))))
    .join(' ')
    .trimEnd()
}

interface Layout {
  readonly paint: Paint
  readonly columns: number | null
  readonly flexible: number
}

const GAP = 2
const LEAST_FLEXIBLE = 12

/** All rows as one text, so that ten thousand rows are one write. */
function tableText(rows: readonly (readonly Cell[])[], layout: Layout): string {
  const widest: number[] = []
  const texts = rows.map((row) =>
    row.map((cell, at) => {
      const text = shown(typeof cell === 'string' ? cell : cell.text)
      widest[at] = Math.max(widest[at] ?? 0, widthOf(text))
      return text
    }),
  )
  const columns = fitted(widest, layout)
  const lines = rows.map((row, index) => {
    const cells = row.map((cell, at) => {
      const text = cut(texts[index]?.[at] ?? '', columns[at] ?? 0)
      const gap = at === row.length - 1 ? '' : ' '.repeat((columns[at] ?? 0) + GAP - widthOf(text))
      return (typeof cell === 'string' ? text : layout.paint(cell.style, text)) + gap
    })
    return `${cells.join('').trimEnd()}\n`
  })
  return lines.join('')
}

/** Width of each column: that of its widest cell; the flexible column gets what the terminal leaves. */
function fitted(widest: readonly number[], { flexible, columns }: Layout): readonly number[] {
  const own = widest[flexible]
  if (columns === null || own === undefined) return widest
  const total = widest.reduce((sum, width) => sum + width, 0) + GAP * (widest.length - 1)
  return widest.with(flexible, Math.max(Math.min(LEAST_FLEXIBLE, own), own - Math.max(0, total - columns)))
}

/** JSON in which C1 control characters and marks of text direction are escaped as well. */
export function jsonText(value: unknown, indent: number): string {
  const rest = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
  const text = JSON.stringify(maskSureIn(value), null, indent)
  return text.replace(rest, (found) => `\\u${(found.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
}

/** A row for each field that is set: its name and its value. */
export function fieldRows(fields: readonly (readonly [name: string, value: Cell | undefined])[]): Cell[][] {
  return fields.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[dim(name), value]]))
}

/** The text of a file below an empty line; nothing if it is blank. */
export function printBody(out: Pick<Output, 'line' | 'block'>, body: string): void {
  if (body.trim() === '') return
  out.line('')
  out.block(body)
}
