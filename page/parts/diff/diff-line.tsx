/** One side of a row: number, sign, and text with its colours. The number is the button for a comment. */
import type { ParsedToken } from 'sugar-high/core'
import type { Part } from './diff-changed.ts'
import type { Colours } from './diff-colours.ts'
import type { DiffRow } from './diff-parse.ts'
import { visible } from '../text.ts'

export type Side = 'old' | 'new'

/** What all rows of a file share. */
export interface RowsOf {
  readonly colours: Colours
  readonly changed: ReadonlyMap<DiffRow, Part>
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

export function LineText({ row, of }: { readonly row: DiffRow; readonly of: RowsOf }) {
  const tokens = of.colours.get(row) ?? [{ type: 'identifier', value: row.text }]
  return (
    <code class="line-text" data-sign={SIGNS[row.kind]}>
      <Coloured tokens={tokens} changed={of.changed.get(row) ?? NONE} />
      {row.hasNoEnd ? <span class="soft no-end">no line break at the end</span> : null}
    </code>
  )
}

const NONE: Part = [0, 0]

interface ColouredProps {
  readonly tokens: readonly Pick<ParsedToken, 'type' | 'value'>[]
  readonly changed: Part
}

function Coloured({ tokens, changed: [from, to] }: ColouredProps) {
  let at = 0
  return (
    <>
      {tokens.flatMap(({ type, value }, index) => {
        const begin = at
        at += value.length
        const cuts = [0, from - begin, to - begin, value.length].map((cut) =>
          Math.min(Math.max(cut, 0), value.length),
        )
        return cuts.slice(1).map((end, part) => {
          const text = value.slice(cuts[part], end)
          const names = [PLAIN.has(type) ? '' : `c-${type}`, part === 1 ? 'changed' : ''].filter(Boolean)
          if (text === '' || names.length === 0) return visible(text)
          return (
            <span key={`${index} ${part}`} class={names.join(' ')}>
              {visible(text)}
            </span>
          )
        })
      })}
    </>
  )
}

const PLAIN: ReadonlySet<string> = new Set(['identifier', 'space', 'break', 'sign', 'jsxliterals'])
