/** What a search found, and why: the words that match are marked, the rest is said in words. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Empty } from '../../parts/controls.tsx'
import { count, visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { kindName, scoreWord, speakerWord } from './memory-words.ts'
import type { MemoryPlace } from './use-memories.ts'

interface Hit {
  readonly score: number
  readonly snippet: string
  /** `path:line` */
  readonly source: string
  /** '' for the whole home. */
  readonly room: string
  readonly memoryId: string
  readonly kind: string
  readonly createdAt: string | null
  readonly words: readonly string[]
}

interface Found {
  readonly results: readonly Hit[]
  readonly total: number
  readonly note: string
}

interface HitsProps {
  readonly words: string
  readonly room: string
  readonly scope: string
  readonly stamp: unknown
  readonly places: readonly MemoryPlace[]
}

const MOST = 50

export function Hits({ words, room, scope, stamp, places }: HitsProps) {
  const [isAll, setAll] = useState(false)
  useEffect(() => setAll(false), [words])
  const [found, setFound] = useState<Found | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const params = {
      ...{ query: words, limit: MOST },
      ...(room === '' ? {} : { roomId: room }),
      ...(scope === '' ? {} : { scopeId: scope }),
    }
    call<Found>('memory.search', params, stop.signal).then(
      (result) => {
        setFound(result)
        setError(null)
      },
      (failure: Error) => stop.signal.aborted || setError(failure.message),
    )
    return () => stop.abort()
  }, [words, room, scope, stamp])
  if (error !== null) return <Empty title={error} />
  if (found === null) return <div aria-busy="true" />
  const hits =
    scope === '' ? found.results : found.results.filter((hit) => hit.source.startsWith(`${scope}/`))
  const strong = hits.filter((hit) => hit.words.length > 0 || hit.score >= GOOD_SCORE)
  const good = strong.length === 0 ? hits : strong
  return (
    <>
      <p class="soft small memory-note" role="status">
        {hits.length === 0 ? '' : `Best first. `}
        {visible(found.note)}
      </p>
      {hits.length === 0 ? (
        <Empty title="Nothing found.">
          <p class="soft">
            Try other words, or another room. Private conversations are searched when you choose them.
          </p>
        </Empty>
      ) : null}
      <ol class="memory-list" aria-label="Results">
        {(isAll ? hits : good).map((hit) => (
          <li key={hit.source} class="memory-entry">
            <HitRow hit={hit} place={placeName(places, hit, scope)} scope={scope} />
          </li>
        ))}
      </ol>
      {!isAll && good.length < hits.length ? (
        <Button onClick={() => setAll(true)}>
          Show {count(hits.length - good.length, 'weaker match', 'weaker matches')}
        </Button>
      ) : null}
    </>
  )
}

/** A hit without a common word needs this score to be shown at once. */
const GOOD_SCORE = 0.4

function placeName(places: readonly MemoryPlace[], { room, source }: Hit, scope: string): string {
  if (scope !== '' && source.startsWith(`${scope}/`)) return scope
  return room === '' ? 'Whole home' : (places.find(({ roomId }) => roomId === room)?.name ?? room)
}

interface RowProps {
  readonly hit: Hit
  readonly place: string
  readonly scope: string
}

function HitRow({ hit, place, scope }: RowProps) {
  const { kind, score, createdAt, words } = hit
  const { text, speaker } = said(hit)
  return (
    <article>
      <a class="hit-link wrap" href={placeOf(hit, scope)}>
        <Marked text={text} words={words} />
      </a>
      <p class="soft small row">
        <span>{visible(place)}</span>
        <span>{kindName(kind)}</span>
        {speaker === '' ? null : <span>{visible(speakerWord(speaker))}</span>}
        <span title={`Score ${score.toFixed(2)} of 1`}>
          {words.length === 0
            ? 'found by its meaning'
            : `${scoreWord(score)}: ${words.map((word) => `“${visible(word)}”`).join(', ')}`}
        </span>
        {createdAt === null ? null : <Time at={createdAt} />}
      </p>
    </article>
  )
}

const FACT = /^- (?:\d{4}-\d{2}-\d{2}: )?(?:\*\*(.+?)\*\* )?\(([^)]*)\): (.*?)(?: — \d{4}-\d{2}-\d{2}.*)?$/
const NOTE = /^- \d{2}:\d{2} \[([^\]]*)\] (.*?)(?: \([\w.-]+:\d+\))?$/

/** Without marks and bookkeeping. */
function said({ kind, snippet }: Hit): { readonly text: string; readonly speaker: string } {
  const [, key, by = '', value] = FACT.exec(snippet) ?? []
  if (value !== undefined) return { text: key === undefined ? value : `${key}: ${value}`, speaker: by }
  const [, speaker = '', note] = NOTE.exec(snippet) ?? []
  if (note !== undefined) return { text: note, speaker }
  return { text: kind === 'talk' ? snippet : snippet.replace(/^(?:#{1,6}|[-*+])\s+/, ''), speaker: '' }
}

function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  const shown = visible(text)
  if (words.length === 0) return <>{shown}</>
  const parts = words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[^\p{L}\p{N}\s]/gu, '\\$&'))
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(${parts.join('|')})(?![\\p{L}\\p{N}])|(${wide(parts)})`,
    'giu',
  )
  const pieces = shown.split(pattern).filter((piece) => piece !== undefined && piece !== '')
  const isMatch = new Set(words.map((word) => word.toLowerCase()))
  return (
    <>
      {pieces.map((piece, at) =>
        isMatch.has(piece.toLowerCase()) ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
      )}
    </>
  )
}

/** Words of scripts without spaces may stand anywhere. */
function wide(parts: readonly string[]): string {
  const found = parts.filter((part) =>
    /[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}\\]/u.test(part),
  )
  return found.length === 0 ? '(?!)' : found.join('|')
}

/** Where a hit is to be read. */
function placeOf({ source, room, kind, memoryId }: Hit, scope: string): string {
  if (kind === 'task') return addressOf('task', memoryId)
  if (kind === 'session') return addressOf('session', memoryId)
  if (kind === 'talk') return `/chat/${encodeURIComponent(room === '' ? 'lobby' : room)}`
  if (kind === 'file') return addressOf('file', source.replace(/:\d+$/, ''))
  const place =
    source.startsWith(`${scope}/`) && scope !== '' ? { scope } : { room: room === '' ? 'lobby' : room }
  const show = kind === 'daily' ? { show: 'notes' } : kind === 'history' ? { show: 'older' } : {}
  const at = kind === 'memory' ? source.replace(/:\d+$/, '') : source
  return `/memory?${new URLSearchParams({ ...place, ...show, at }).toString()}`
}
