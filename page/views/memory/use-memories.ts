/** What is remembered, a page at a time; fetched again when the channel says that something is new. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { EntryView } from '../../../src/hub/methods/memory/memory-browse.ts'
import { query } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'

export type MemoryEntry = EntryView

export interface MemoryPlace {
  readonly roomId: string | null
  readonly scopeId: string | null
  readonly name: string
  readonly count: number
}

export interface MemoryPage {
  readonly entries: readonly MemoryEntry[]
  readonly total: number
  readonly next: string | null
  readonly places: readonly MemoryPlace[]
}

export const SHOWN = [
  { name: 'facts', label: 'Facts', kinds: ['memory', 'fact'] },
  { name: 'notes', label: 'Notes', kinds: ['daily'] },
  { name: 'older', label: 'Older values', kinds: ['history'] },
] as const
export type Shown = (typeof SHOWN)[number]

export interface Memories {
  /** Null until it is here. */
  readonly page: MemoryPage | null
  readonly error: string | null
  /** The entry that the address names (`at`); null for none. */
  readonly at: string | null
  readonly reload: () => Promise<void>
  readonly more: () => Promise<void>
}

interface Wanted {
  readonly room: string
  readonly scope: string
  readonly shown: Shown
  /** When this changes, it is fetched again. */
  readonly stamp: unknown
}

const PAGE = 100
/** An entry that an address names is looked for among so many. */
const MOST = 500

export function useMemories({ room, scope, shown, stamp }: Wanted): Memories {
  const [page, setPage] = useState<MemoryPage | null>(null)
  const [error, setError] = useState<string | null>(null)
  const wanted = useRef('')
  const at = query.value.get('at')
  const params = {
    ...(room === '' ? {} : { roomId: room }),
    ...(scope === '' ? {} : { scopeId: scope }),
    kinds: shown.kinds,
  }
  const key = JSON.stringify(params)
  const load = async (limit: number) => {
    wanted.current = key
    const found = await call<MemoryPage>('memory.browse', { ...params, limit })
    if (wanted.current !== key) return
    setPage(found)
    setError(null)
  }
  const reload = () => load(Math.min(MOST, Math.max(at === null ? PAGE : MOST, page?.entries.length ?? 0)))
  useEffect(() => {
    if (stamp !== undefined) reload().catch((failure: Error) => setError(failure.message))
  }, [key, stamp, at === null])
  const more = async () => {
    if (page === null) return
    const next = await call<MemoryPage>('memory.browse', { ...params, limit: PAGE, cursor: page.next })
    if (wanted.current === key) setPage({ ...next, entries: [...page.entries, ...next.entries] })
  }
  return { page, error, at, reload, more }
}
