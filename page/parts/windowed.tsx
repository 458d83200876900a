/**
 * A long list of rows of one height: only the visible ones are in the document. The list scrolls by itself.
 * Invariant: a row keeps its key and its place, so scrolling, focus and typed text survive an update.
 */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

interface WindowedProps<T> {
  readonly items: readonly T[]
  /** Pixels, gap included. */
  readonly height: number
  readonly keyOf: (item: T) => string
  readonly children: (item: T) => ComponentChildren
  readonly label: string
}

/** Rows beyond the edges, so that fast scrolling shows no gap. */
const EXTRA = 6

export function Windowed<T>({ items, height, keyOf, children, label }: WindowedProps<T>) {
  const element = useRef<HTMLUListElement>(null)
  const [[from, to], setRange] = useState<readonly [number, number]>([0, 30])
  useLayoutEffect(() => {
    const list = element.current
    if (list === null) return
    const measure = () => {
      const first = Math.max(0, Math.floor(list.scrollTop / height) - EXTRA)
      const last = Math.ceil((list.scrollTop + list.clientHeight) / height) + EXTRA
      setRange(([a, b]) => (a === first && b === last ? [a, b] : [first, last]))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(list)
    list.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      list.removeEventListener('scroll', measure)
    }
  }, [height])
  const shown = items.slice(from, to)
  return (
    <ul class="windowed" ref={element} aria-label={label} tabIndex={-1}>
      <li class="spacer" aria-hidden="true" style={{ height: `${from * height}px` }} />
      {shown.map((item, index) => (
        <li
          key={keyOf(item)}
          style={{ height: `${height}px` }}
          aria-setsize={items.length}
          aria-posinset={from + index + 1}
        >
          {children(item)}
        </li>
      ))}
      <li
        class="spacer"
        aria-hidden="true"
        style={{ height: `${Math.max(0, items.length - to) * height}px` }}
      />
    </ul>
  )
}
