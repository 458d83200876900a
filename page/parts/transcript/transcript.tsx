/**
 * What a session said and did, live or long ago. Invariant 1: while the end is in view, it stays in view; when somebody
 * has scrolled up, nothing moves, and a button says how much is new. Invariant 2: old items aren't drawn again, and the
 * browser lays out only what is near the screen.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Button, Empty } from '../controls.tsx'
import { count } from '../text.ts'
import { Chunk } from './transcript-item.tsx'
import { type Item, itemsOf } from './transcript-items.ts'
import { useTranscript } from './use-transcript.ts'
import '../../style/transcript.css'

interface TranscriptProps {
  readonly sessionId: string
  /** It runs: calls without a result are at work. */
  readonly isLive: boolean
  /** Whether it begins at its end and stays there. */
  readonly follows?: boolean
}

const CHUNK = 40

export function Transcript({ sessionId, isLive, follows = isLive }: TranscriptProps) {
  const { entries, error, older } = useTranscript(sessionId)
  const items = useMemo(() => itemsOf(entries ?? []), [entries])
  const element = useRef<HTMLElement>(null)
  const chunks = useChunks(items)
  const { news, toEnd } = useEnd(element, { items, follows })
  const keepPlace = useKeptPlace(element, items)
  if (error !== null && entries === null) return <Empty title={error} />
  return (
    <section class="transcript" ref={element} aria-label="Transcript" aria-busy={entries === null}>
      {older === null ? null : (
        <div class="row older">
          <Button
            onClick={async () => {
              keepPlace()
              await older()
            }}
          >
            Show older
          </Button>
        </div>
      )}
      {chunks.map((chunk) => (
        <Chunk key={chunk.number} items={chunk.items} sessionId={sessionId} isLive={isLive} />
      ))}
      {entries !== null && items.length === 0 ? <p class="soft">Nothing was said or done yet.</p> : null}
      {news === 0 ? null : (
        <div class="news">
          <button type="button" class="button primary" onClick={toEnd}>
            {count(news, 'new item')} below
          </button>
        </div>
      )}
    </section>
  )
}

interface NumberedChunk {
  readonly number: number
  readonly items: readonly Item[]
}

/**
 * Counted from the item that was the last one at first: older ones in front don't move the borders, nor does a result
 * that finds its call there.
 */
function useChunks(items: readonly Item[]): readonly NumberedChunk[] {
  const anchor = useRef<string | null>(null)
  return useMemo(() => {
    const found = items.findIndex(({ key }) => key === anchor.current)
    if (found === -1) anchor.current = items.at(-1)?.key ?? null
    const origin = found === -1 ? items.length - 1 : found
    const chunks = new Map<number, Item[]>()
    for (const [at, item] of items.entries()) {
      const number = Math.floor((at - origin - 1) / CHUNK)
      const chunk = chunks.get(number)
      if (chunk === undefined) chunks.set(number, [item])
      else chunk.push(item)
    }
    return [...chunks].map(([number, own]) => ({ number, items: own }))
  }, [items])
}

/** How far from the end counts as at the end. */
const NEAR_PX = 60

function scroller(element: HTMLElement | null): HTMLElement | null {
  return element?.closest<HTMLElement>('.panel, main') ?? null
}

interface End {
  /** Items that came since the end went out of view. */
  readonly news: number
  readonly toEnd: () => void
}

function useEnd(
  element: { readonly current: HTMLElement | null },
  { items, follows }: { readonly items: readonly Item[]; readonly follows: boolean },
): End {
  const isAtEnd = useRef(follows)
  const [seen, setSeen] = useState<string | null>(null)
  const toEnd = () => {
    const place = scroller(element.current)
    if (place !== null) place.scrollTop = place.scrollHeight
  }
  useEffect(() => {
    const place = scroller(element.current)
    if (place === null || element.current === null) return
    const measure = () => {
      isAtEnd.current = place.scrollHeight - place.scrollTop - place.clientHeight < NEAR_PX
      if (isAtEnd.current) setSeen(null)
    }
    // Also when a running command writes more.
    const observer = new ResizeObserver(() => isAtEnd.current && toEnd())
    observer.observe(element.current)
    place.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      place.removeEventListener('scroll', measure)
    }
  }, [])
  const last = items.at(-1)?.key ?? null
  const before = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (!isAtEnd.current && seen === null) setSeen(before.current)
    before.current = last
  }, [last])
  const at = seen === null ? -1 : items.findIndex(({ key }) => key === seen)
  return { news: at === -1 ? 0 : items.length - 1 - at, toEnd }
}

/** Older items come in above what is being read, which stays where it is. Returns what is called before they are fetched. */
function useKeptPlace(element: { readonly current: HTMLElement | null }, items: readonly Item[]): () => void {
  const kept = useRef<{ readonly item: Element; readonly top: number } | null>(null)
  const first = items[0]?.key
  useLayoutEffect(() => {
    const { current } = kept
    kept.current = null
    if (current === null) return
    const place = scroller(element.current)
    const mend = () => {
      if (place !== null) place.scrollTop += current.item.getBoundingClientRect().top - current.top
    }
    mend()
    // Chunks get their real heights when they come near the screen.
    requestAnimationFrame(() => {
      mend()
      requestAnimationFrame(mend)
    })
  }, [first])
  return () => {
    // The first item may be a result that joins its call.
    const item = element.current?.querySelectorAll('.item')[1]
    kept.current = item === undefined ? null : { item, top: item.getBoundingClientRect().top }
  }
}
