/**
 * Brings the index up to date with the files: by stat, then by content. Invariants: 1. in small steps, so that nothing waits
 * long; 2. interrupted anywhere, it continues there: a file counts as known when all of it is in; 3. a file or folder that
 * can't be read keeps what is known about it.
 */
import { wordsOf } from '../../domain/memory/recall-words.ts'
import type { Files, Stat } from '../../ports/files-port.ts'
import type { Git } from '../../ports/git-port.ts'
import type { Indexed, IndexStore, Passage, SourceMark } from '../../ports/index-port.ts'
import { talkName } from '../distill/read-transcripts.ts'
import type { Embeddings } from '../search/embeddings.ts'
import { detectChanges, isCalm, isSame, keptStat } from './change-detector.ts'
import { passagesOf, talkOf } from './passages.ts'
import { openSteps, type Places, type Seen, type Steps, sourcesOf } from './sources.ts'

export interface SyncPlaces extends Places {
  readonly files: Pick<Files, 'names' | 'stat' | 'read' | 'readPart'>
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly blobId: Git['blobId']
  readonly meaning: Embeddings
  readonly timezone: string
  /** Places of a room's or conversation's transcripts that are forgotten; absent: none. */
  readonly forgotten?: (part: string) => ReadonlySet<string>
  /** Other files than those of the home, such as a scope's. */
  readonly sources?: typeof sourcesOf
}

export interface SyncReport {
  readonly sources: number
  readonly changed: number
  readonly dropped: number
  readonly ms: number
  /** Why a folder could not be read; '' if all could. */
  readonly closed: string
}

export interface Syncing {
  /** Told now and then how many files were looked at, and how many of them were read. */
  readonly progress?: (looked: number, changed: number) => void
  readonly signal?: AbortSignal
}

const MOST_BYTES = 32 * 1024 * 1024
/** Passages of one transaction. */
const BATCH = 120
/** Of a transcript at a time. */
const PART = 64 * 1024
const PROGRESS_EVERY = 500
/** Vectors that are taken into memory at a time. */
const WARM = 1_000

interface Run {
  readonly places: SyncPlaces
  readonly store: IndexStore
  readonly steps: Steps
  waiting: { mark: SourceMark; passages: Indexed[] }[]
  count: number
  marks: SourceMark[]
}

export async function syncIndex(
  places: SyncPlaces,
  store: IndexStore,
  of: Syncing = {},
): Promise<SyncReport> {
  const began = performance.now()
  const run: Run = { places, store, steps: openSteps(), waiting: [], count: 0, marks: [] }
  const seen = detectChanges(store.sources())
  let changed = 0
  const files = { ...places.files, names: namesHeldBy(store, places) }
  const from = { ...places, ...seen.places, files }
  for await (const batch of (places.sources ?? sourcesOf)(from, run.steps)) {
    for (const one of batch) {
      if (of.signal?.aborted === true) break
      if (await bringUp(run, one, seen.gives(one.path))) changed++
      if (changed % PROGRESS_EVERY === 0) of.progress?.(seen.count(), changed)
      await run.steps.rest()
    }
    if (of.signal?.aborted === true) break
  }
  flush(run)
  const gone = of.signal?.aborted === true ? [] : seen.gone()
  for (let at = 0; at < gone.length; at += BATCH) {
    store.drop(gone.slice(at, at + BATCH))
    await run.steps.rest()
  }
  while (of.signal?.aborted !== true && store.warm(WARM) === WARM) await run.steps.rest()
  const counts = { sources: seen.count(), changed, dropped: gone.length }
  return { ...counts, ms: performance.now() - began, closed: seen.why() }
}

/** True if its content was news. */
async function bringUp(run: Run, seen: Seen, known: SourceMark | undefined): Promise<boolean> {
  if (seen.kind === 'talk') return indexTranscript(run, seen, known)
  const { places } = run
  const read = places.files.read(seen.full, MOST_BYTES)
  if (read.kind !== 'file') return false
  const hash = places.blobId(read.bytes)
  const mark: SourceMark = { ...markOf(seen), ...keptStat(read.stat, places.now()), hash }
  if (known?.hash === hash) {
    run.marks.push(mark)
    return false
  }
  await putAll(run, mark, passagesOf(seen, read.bytes, places.timezone))
  return true
}

function markOf({ path, part, stat }: Seen): Omit<SourceMark, 'hash'> {
  return { path, part, ...keptStat(stat, Number.POSITIVE_INFINITY), offset: 0 }
}

/** A large file goes in by parts; until the last of them its mark says that it is not known yet. */
async function putAll(run: Run, mark: SourceMark, passages: readonly Passage[]): Promise<void> {
  if (passages.length > 0 && run.places.meaning.isClosed()) await run.steps.next()
  if (passages.length <= BATCH) {
    const indexed: Indexed[] = []
    for (const one of passages) {
      indexed.push(indexedOf(one, run.places.meaning))
      await run.steps.rest()
    }
    run.waiting.push({ mark, passages: indexed })
    run.count += indexed.length + 1
    if (run.count >= BATCH) flush(run)
    return
  }
  flush(run)
  for (let at = 0; at < passages.length; at += BATCH) {
    const isLast = at + BATCH >= passages.length
    const some = passages.slice(at, at + BATCH).map((one) => indexedOf(one, run.places.meaning))
    const part = { ...mark, ...(isLast ? {} : { hash: '' }), offset: at + some.length }
    // Another process indexes the same file, and continues.
    if (!run.store.put([{ mark: part, passages: some }], at === 0 ? 'replace' : { after: at })) return
    await run.steps.rest()
  }
}

export function indexedOf(passage: Passage, meaning: Embeddings): Indexed {
  const about = `${passage.text}\n${passage.kind === 'talk' ? '' : passage.tags.join(' ')}`
  return { ...passage, words: wordsOf(about).join(' '), vector: meaning.of(about) }
}

function flush(run: Run): void {
  if (run.waiting.length > 0) run.store.put(run.waiting, 'replace')
  if (run.marks.length > 0) run.store.mark(run.marks)
  run.waiting = []
  run.marks = []
  run.count = 0
}

/** How a transcript begins, and how many of its lines are in: `<id of the first bytes>/<lines>`. */
const FIRST = 512

async function indexTranscript(run: Run, seen: Seen, known: SourceMark | undefined): Promise<boolean> {
  const { files, blobId, meaning } = run.places
  const first = files.readPart(seen.full, 0, FIRST)
  if (first === null) return false
  const headEnd = first.indexOf(10)
  const head = blobId(headEnd < 0 ? first : first.subarray(0, headEnd))
  const [knownHead, knownLines = '0'] = (known?.hash ?? '').split('/')
  const goesOn = known !== undefined && knownHead === head && seen.stat.size >= known.offset
  let offset = goesOn ? known.offset : 0
  let lines = goesOn ? Number(knownLines) : 0
  let isFirst = !goesOn
  let reached = offset
  flush(run)
  for (;;) {
    const bytes = readLines(files, seen.full, offset)
    const read = bytes === null ? null : talkOf(seen, bytes, lines)
    offset += read?.bytes ?? 0
    lines += read?.lines ?? 0
    const isEnd = read === null || read.bytes === 0
    if (isEnd && !isFirst && offset === known?.offset && isSame(known, seen.stat)) return false
    const mark = { ...markOf(seen), hash: `${head}/${lines}`, offset, size: isEnd ? seen.stat.size : -1 }
    const passages = remembered(run, seen, read?.passages ?? []).map((one) => indexedOf(one, meaning))
    const isOurs = run.store.put([{ mark, passages }], isFirst ? 'replace' : { after: reached })
    isFirst = false
    reached = offset
    if (isEnd || !isOurs) return true
    await run.steps.rest()
  }
}

function remembered({ places }: Run, { path, part }: Seen, all: readonly Passage[]): readonly Passage[] {
  const forgotten = all.length === 0 ? undefined : places.forgotten?.(part)
  if (forgotten === undefined || forgotten.size === 0) return all
  const name = talkName(path, part)
  return all.filter(({ line }) => !forgotten.has(`${name}:${line}`))
}

/** Whole lines from an offset; a line longer than a part is read whole, up to a limit, else passed over as it is. */
function readLines(files: SyncPlaces['files'], path: string, offset: number): Buffer | null {
  for (let bytes = PART; bytes <= MOST_BYTES; bytes *= 4) {
    const part = files.readPart(path, offset, bytes)
    if (part === null || part.length === 0) return null
    if (part.includes(10) || part.length < bytes) return part
  }
  return files.readPart(path, offset, MOST_BYTES)
}

type Names = Files['names']

interface Listed {
  readonly names: readonly string[]
  readonly stat: Stat
  readonly at: number
}

const MOST_MS = 60_000
/** Cached folders; others are listed each time. */
const MOST_FOLDERS = 5_000

interface ListingOf {
  readonly files: Pick<Files, 'names' | 'stat'>
  readonly now: () => number
}

const held = new WeakMap<object, Map<string, Listed>>()

/**
 * Names in folders, remembered as long as `by` lives. A listing counts while the folder's stat is what it was before the
 * listing and was not only just changed, and for a minute at most: not every file system keeps stats of folders true.
 */
function namesHeldBy(by: object, { files, now }: ListingOf): Names {
  const known = held.get(by) ?? new Map<string, Listed>()
  held.set(by, known)
  return (dir) => {
    const stat = files.stat(dir, 'folder')
    const old = known.get(dir)
    if (stat !== null && old !== undefined && now() - old.at < MOST_MS && isUnchanged(old.stat, stat))
      return old.names
    known.delete(dir)
    const names = files.names(dir)
    const at = now()
    if (stat !== null && isCalm(stat, at) && known.size < MOST_FOLDERS) known.set(dir, { names, stat, at })
    return names
  }
}

function isUnchanged(old: Stat, stat: Stat): boolean {
  return old.ctimeMs === stat.ctimeMs && old.mtimeMs === stat.mtimeMs && old.ino === stat.ino
}
