/**
 * The entries of a session: the newest page, then each new one as it comes, and older pages on demand. Invariant: each
 * entry is there once, in order, also after the connection was away.
 */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { useChannel } from '../../store/channels.ts'
import { connection } from '../../store/connection.ts'
import { call } from '../../store/rpc.ts'
import type { Entry } from './transcript-items.ts'

interface Page {
  readonly entries: readonly Entry[]
  /** Where older ones are; null: there are none. */
  readonly cursor: string | null
}

export interface UsedTranscript {
  /** Null until the first page is here. */
  readonly entries: readonly Entry[] | null
  readonly error: string | null
  /** Fetches older entries; null if there are none. */
  readonly older: (() => Promise<void>) | null
}

const PAGE = 200
const OLDER = 1_000

export function useTranscript(id: string): UsedTranscript {
  const live = useChannel<readonly Entry[]>(`session:${id}:transcript`)
  const [page, setPage] = useState<Page | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const state = connection.value
  const isHere = live.value.value !== undefined
  // After the channel's snapshot, so that nothing is missed between the two; again after each reconnect.
  useEffect(() => {
    if (state !== 'live' || !isHere) return
    const stop = new AbortController()
    call<Page>('session.transcript', { sessionId: id, limit: PAGE }, stop.signal).then(
      (newest) => setPage((known) => joined(known, newest)),
      (error: Error) => stop.signal.aborted || setFailure(error.message),
    )
    return () => stop.abort()
  }, [id, state, isHere])
  const news = live.value.value
  const entries = useMemo(() => (page === null ? null : merged(page.entries, news ?? [])), [page, news])
  const older = async () => {
    if (page?.cursor === null || page === null) return
    const params = { sessionId: id, limit: OLDER, cursor: page.cursor }
    const before = await call<Page>('session.transcript', params)
    setPage((known) => ({ ...before, entries: merged(before.entries, known?.entries ?? []) }))
  }
  return {
    entries,
    error: live.error.value ?? failure,
    older: page === null || page.cursor === null ? null : older,
  }
}

/** What was known stays if the new page reaches it; else something in between is missing, and the new page counts. */
function joined(known: Page | null, newest: Page): Page {
  const ids = new Set(known?.entries.map((entry) => entry.id))
  const reaches = newest.cursor === null || newest.entries.some((entry) => ids.has(entry.id))
  if (known === null || !reaches) return newest
  return { entries: merged(known.entries, newest.entries), cursor: known.cursor }
}

function merged(first: readonly Entry[], more: readonly Entry[]): readonly Entry[] {
  const ids = new Set(first.map((entry) => entry.id))
  const fresh = more.filter((entry) => !ids.has(entry.id))
  const last = first.at(-1)
  const isInOrder = last === undefined || fresh[0] === undefined || last.ts <= fresh[0].ts
  const all = [...first, ...fresh]
  return isInOrder ? all : all.toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0))
}
