/** The data of a timeline: pages of audit.timeline by cursor, and what is new at the top. */
import { useRef, useState } from 'preact/hooks'
import type { ResultOf } from '../../../src/hub/method-table.ts'
import { call } from '../../store/rpc.ts'
import { useRefresh } from '../use-refresh.ts'

type Page = ResultOf<'audit.timeline'>
export type TimelineEvent = Page['events'][number]

interface Asked {
  readonly about: Readonly<Record<string, unknown>>
  readonly version: string
  /** Whether new events may be shown at once. */
  readonly isAtTop: () => boolean
}

interface State {
  readonly key: string
  /** Newest first. */
  readonly events: readonly TimelineEvent[]
  readonly cursor: string | null
  readonly unread: readonly string[]
  /** New ones, that wait until they are asked for. */
  readonly waiting: readonly TimelineEvent[]
}

const PAGE = 50
/** Bursts of changes cost one question. */
const PAUSE_MS = 250

export function useTimeline({ about, version, isAtTop }: Asked) {
  const [state, setState] = useState<State | null>(null)
  const [error, setError] = useState<string | null>(null)
  const loading = useRef<Promise<void> | null>(null)
  const key = JSON.stringify(about)
  const ask = async (signal: AbortSignal) => {
    try {
      const page = await call<Page>('audit.timeline', { ...about, limit: PAGE }, signal)
      setError(null)
      setState((before) => withNewest(before, { key, page, isAtTop: isAtTop() }))
    } catch (failure) {
      if (!signal.aborted) setError(failure instanceof Error ? failure.message : String(failure))
    }
  }
  useRefresh(ask, { key, version, pauseMs: PAUSE_MS })
  const load = async () => {
    if (state === null || state.cursor === null) return
    const page = await call<Page>('audit.timeline', { ...about, limit: PAGE, cursor: state.cursor })
    setState((before) => (before?.cursor === state.cursor ? withOlder(before, page) : before))
  }
  return {
    events: state?.events ?? null,
    waiting: state?.waiting.length ?? 0,
    unread: state?.unread ?? [],
    hasMore: state?.cursor !== null && state !== null,
    error,
    more: () => {
      // Scrolling and the button may ask at once.
      loading.current ??= load().finally(() => {
        loading.current = null
      })
      return loading.current
    },
    showWaiting: () =>
      setState((before) =>
        before === null ? null : { ...before, events: [...before.waiting, ...before.events], waiting: [] },
      ),
  }
}

interface Newest {
  readonly key: string
  readonly page: Page
  readonly isAtTop: boolean
}

/** If there is a gap to what is known, the list begins again. */
function withNewest(before: State | null, { key, page, isAtTop }: Newest): State {
  const events = page.events.toReversed()
  const fresh: State = { key, events, cursor: page.cursor, unread: page.unread, waiting: [] }
  if (before === null || before.key !== key) return fresh
  const known = new Set([...before.waiting, ...before.events].map(placeOf))
  const added = events.filter((event) => !known.has(placeOf(event)))
  if (added.length === events.length && page.cursor !== null)
    return isAtTop ? fresh : { ...before, waiting: added }
  const waiting = [...added, ...before.waiting]
  return isAtTop ? { ...before, events: [...waiting, ...before.events], waiting: [] } : { ...before, waiting }
}

function withOlder(before: State, page: Page): State {
  const known = new Set(before.events.map(placeOf))
  const older = page.events.toReversed().filter((event) => !known.has(placeOf(event)))
  return { ...before, events: [...before.events, ...older], cursor: page.cursor }
}

/** Unique: a commit, or a line of a file. */
export function placeOf({ commit, file, at, kind }: TimelineEvent): string {
  return commit ?? file ?? `${at} ${kind}`
}
