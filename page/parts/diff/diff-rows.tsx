/**
 * The rows of a file, in one column or two. Rows are grouped into chunks, and the browser lays out only the chunks that
 * are near the screen. Arrow keys go from line to line, Enter comments.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { changedParts } from './diff-changed.ts'
import { CommentBox } from './diff-comment-box.tsx'
import { type Comments, NO_COMMENTS } from './diff-comments.ts'
import { useColours } from './diff-colours.ts'
import { LineNumber, LineText, type RowsOf, type Side, sideOf } from './diff-line.tsx'
import { type DiffFile, type DiffRow, pairRows, type RowPair } from './diff-parse.ts'
import { count, visible } from '../text.ts'

export type Layout = 'inline' | 'split'

interface FileRowsProps {
  readonly file: DiffFile
  readonly layout: Layout
  readonly comments: Comments
}

const CHUNK = 60
const SHOWN_AT_FIRST = 1_500

export function FileRows({ file, layout, comments }: FileRowsProps) {
  const [most, setMost] = useState(SHOWN_AT_FIRST)
  const [opened, setOpened] = useState<string | null>(null)
  const items = useMemo(() => itemsOf(file, layout), [file, layout])
  const colours = useColours(file)
  const changed = useMemo(() => changedParts(file), [file])
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => letTabIn(element.current), [items])
  useEffect(() => listenForLineKeys(element.current), [])
  const onComment = (row: DiffRow, side: Side) => {
    const line = (side === 'old' ? row.old : row.new) ?? 0
    if (comments.at({ path: file.path, side, line }) === undefined)
      comments.put({ path: file.path, side, line, quote: row.text, text: '' })
    setOpened(`${side}${line}`)
  }
  const rows: RowsOf = { colours, changed, onComment: comments === NO_COMMENTS ? null : onComment }
  const shown = items.slice(0, most)
  return (
    <div class={`diff-rows ${layout}`} ref={element}>
      {chunks(shown).map((chunk, index) => (
        <div key={index} class="diff-chunk">
          {chunk.map((item) => (
            <Item
              key={item.key}
              item={item}
              of={{ rows, comments, path: file.path, opened, close: () => setOpened(null) }}
            />
          ))}
        </div>
      ))}
      {items.length > most ? (
        <button type="button" class="link show-more" onClick={() => setMost(most + SHOWN_AT_FIRST)}>
          Show more ({count(items.length - most, 'line')} left)
        </button>
      ) : null}
    </div>
  )
}

type RowItem =
  | { readonly key: string; readonly section: string }
  | { readonly key: string; readonly pair: RowPair; readonly isSplit: boolean }

function itemsOf({ hunks }: DiffFile, layout: Layout): readonly RowItem[] {
  return hunks.flatMap(({ section, rows }, index) => {
    const pairs = layout === 'split' ? pairRows(rows) : rows.map((row) => ({ left: row, right: row }))
    return [
      { key: `h${index}`, section },
      ...pairs.map((pair, at) => ({ key: `h${index}r${at}`, pair, isSplit: layout === 'split' })),
    ]
  })
}

function chunks(items: readonly RowItem[]): readonly (readonly RowItem[])[] {
  const parts: (readonly RowItem[])[] = []
  for (let at = 0; at < items.length; at += CHUNK) parts.push(items.slice(at, at + CHUNK))
  return parts
}

interface ItemOf {
  readonly rows: RowsOf
  readonly comments: Comments
  readonly path: string
  readonly opened: string | null
  readonly close: () => void
}

function Item({ item, of }: { readonly item: RowItem; readonly of: ItemOf }) {
  if ('section' in item)
    return (
      <div class="diff-section">
        <span aria-hidden="true">⋯</span> {visible(item.section)}
      </div>
    )
  const { left, right } = item.pair
  return (
    <>
      {item.isSplit ? <SplitRow pair={item.pair} rows={of.rows} /> : <InlineRow row={left} rows={of.rows} />}
      <CommentsUnder sides={commentSides(item.isSplit ? [left, right] : [left])} of={of} />
    </>
  )
}

function commentSides(rows: readonly (DiffRow | null)[]): readonly (readonly [Side, number])[] {
  const sides = new Map<string, readonly [Side, number]>()
  for (const row of rows) {
    if (row === null) continue
    const side = sideOf(row)
    const line = side === 'old' ? row.old : row.new
    if (line !== null) sides.set(`${side}${line}`, [side, line])
  }
  return [...sides.values()]
}

interface CommentsUnderProps {
  readonly sides: readonly (readonly [Side, number])[]
  readonly of: ItemOf
}

function CommentsUnder({ sides, of: { comments, path, opened, close } }: CommentsUnderProps) {
  return (
    <>
      {sides.map(([side, line]) => {
        const comment = comments.at({ path, side, line })
        const key = `${side}${line}`
        return comment === undefined ? null : (
          <CommentBox
            key={key}
            comment={comment}
            comments={comments}
            isNew={opened === key}
            onClose={close}
          />
        )
      })}
    </>
  )
}

function InlineRow({ row, rows }: { readonly row: DiffRow | null; readonly rows: RowsOf }) {
  if (row === null) return null
  const side = sideOf(row)
  return (
    <div class={`diff-row ${row.kind}`}>
      {side === 'old' ? (
        <LineNumber row={row} side="old" onComment={rows.onComment} />
      ) : (
        <span class="line-number">{row.old}</span>
      )}
      {side === 'new' ? (
        <LineNumber row={row} side="new" onComment={rows.onComment} />
      ) : (
        <span class="line-number" />
      )}
      <LineText row={row} of={rows} />
    </div>
  )
}

function SplitRow({ pair: { left, right }, rows }: { readonly pair: RowPair; readonly rows: RowsOf }) {
  return (
    <div class="diff-row">
      {left === null ? (
        <span class="side none" />
      ) : (
        <span class={`side ${left.kind}`}>
          {left.kind === 'del' ? (
            <LineNumber row={left} side="old" onComment={rows.onComment} />
          ) : (
            <span class="line-number">{left.old}</span>
          )}
          <LineText row={left} of={rows} />
        </span>
      )}
      {right === null ? (
        <span class="side none" />
      ) : (
        <span class={`side ${right.kind}`}>
          <LineNumber row={right} side="new" onComment={rows.onComment} />
          <LineText row={right} of={rows} />
        </span>
      )}
    </div>
  )
}

/** Tab reaches the rows of a file once: at the line that had the focus last, at first the first one. */
function letTabIn(rows: HTMLElement | null): void {
  if (rows?.querySelector('button.line-number[tabindex="0"]') !== null) return
  const first = rows.querySelector<HTMLElement>('button.line-number')
  if (first !== null) first.tabIndex = 0
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }

function listenForLineKeys(rows: HTMLElement | null): void {
  rows?.addEventListener('focusin', ({ target }) => {
    if (isLine(target)) keepTabPlace(rows, target)
  })
  rows?.addEventListener('keydown', (event) => {
    const step = STEPS[event.key]
    if (step === undefined || !isLine(event.target)) return
    const lines = [...rows.querySelectorAll<HTMLElement>('button.line-number')]
    const next = Math.min(lines.length - 1, Math.max(0, lines.indexOf(event.target) + step))
    event.preventDefault()
    lines[next]?.focus()
  })
}

function isLine(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.matches('button.line-number')
}

function keepTabPlace(rows: HTMLElement, line: HTMLElement): void {
  for (const other of rows.querySelectorAll<HTMLElement>('button.line-number[tabindex="0"]'))
    other.tabIndex = -1
  line.tabIndex = 0
}
