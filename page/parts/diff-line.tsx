/** One side of a row: number, sign, and text with its colours. The number is the button for a comment. */
import type { ParsedToken } from 'sugar-high/core'
import type { Colours } from './diff-colours.ts'
import type { DiffRow } from './diff-parse.ts'
import { visible } from './text.ts'

export type Side = 'old' | 'new'

/** What all rows of a file share. */
export interface RowsOf {
  readonly colours: Colours
  /** Null: it is only read. */
  readonly onComment: ((row: DiffRow, side: Side) => void) | null
}

const SIGNS = { same: ' ', add: '+', del: '-' } as const

/** The side on which a comment on the row stands. */
export function sideOf({ kind }: DiffRow): Side {
  return kind === 'del' ? 'old' : 'new'
}

interface NumberProps {
  readonly row: DiffRow
  readonly side: Side
  readonly onComment: RowsOf['onComment']
}

export function LineNumber({ row, side, onComment }: NumberProps) {
  const line = side === 'old' ? row.old : row.new
  if (line === null || onComment === null) return <span class="line-number">{line}</span>
  const removed = side === 'old' ? 'removed ' : ''
  return (
    <button
      type="button"
      class="line-number"
      tabIndex={-1}
      aria-label={`Comment on ${removed}line ${line}`}
      onClick={() => onComment(row, side)}
    >
      {line}
    </button>
  )
}

export function LineText({ row, colours }: { readonly row: DiffRow; readonly colours: Colours }) {
  return (
    <code class="line-text" data-sign={SIGNS[row.kind]}>
      <Coloured text={row.text} tokens={colours.get(row)} />
      {row.hasNoEnd ? <span class="soft no-end">no line break at the end</span> : null}
    </code>
  )
}

interface ColouredProps {
  readonly text: string
  readonly tokens: readonly ParsedToken[] | undefined
}

function Coloured({ text, tokens }: ColouredProps) {
  if (tokens === undefined) return <>{visible(text)}</>
  return (
    <>
      {tokens.map(({ type, value }, index) =>
        PLAIN.has(type) ? (
          visible(value)
        ) : (
          <span key={index} class={`c-${type}`}>
            {visible(value)}
          </span>
        ),
      )}
    </>
  )
}

const PLAIN: ReadonlySet<string> = new Set(['identifier', 'space', 'break', 'sign', 'jsxliterals'])
