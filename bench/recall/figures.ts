/**
 * What memory costs: a first indexing of 10,000 memories, a sync in which nothing has changed against a stat of all files,
 * and questions over 100,000 memories; and the longest time for which a sync held up
 * everything else; and what an index adds to a daemon's memory.
 */
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openIndexStores } from '../../src/adapters/sqlite/stores.ts'
import { indexedOf, type SyncPlaces, syncIndex } from '../../src/memory/index/index-sync.ts'
import { openEmbeddings } from '../../src/memory/search/embeddings.ts'
import { searchIndex } from '../../src/memory/search/search-index.ts'
import type { IndexStore, Passage } from '../../src/ports/index-port.ts'
import { inMs, type Line, type Row } from '../row.ts'
import { git, makeHome } from '../home.ts'
import { watchHome } from '../neo.ts'
import { canWeigh } from '../resident.ts'
import { pause, until } from '../time.ts'
import { distractors } from './distractors.ts'

const SYNC_RATIO = 2
const FIRST_MS = 20_000
const QUERY_MS = 50
const STEP_MS = 50
const MORE_MB = 150

export const memoryRow: Row = {
  name: 'memory',
  measures: 'indexing and searching what is remembered',
  async run({ quick }) {
    const dir = mkdtempSync(join(tmpdir(), 'neo-figures-'))
    try {
      const count = quick ? 500 : 10_000
      return [
        ...(await syncing(dir, count)),
        ...(await asking(dir, quick ? 2_000 : 100_000)),
        ...(canWeigh() ? await weighing(count) : []),
      ]
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  },
}

async function syncing(dir: string, count: number): Promise<readonly Line[]> {
  const home = join(dir, 'home')
  const paths = writeHome(home, count)
  const places = placesAt(home)
  const store = await opened(join(home, '.neo/index.db'))
  const held = holding()
  const first = (await syncIndex(places, store)).ms
  const longest = held.longest()
  const rounds = Array.from({ length: 15 }, (_, n) => n)
  const syncs: number[] = []
  const stats: number[] = []
  for (const _ of rounds) {
    stats.push(timed(() => paths.map((path) => lstatSync(path).mtimeMs)))
    syncs.push((await syncIndex(places, store)).ms)
  }
  store.close()
  // The best of each: what other programs take of the processor makes both longer, and the longer one more often.
  const [sync, stat] = [Math.min(...syncs), Math.min(...stats)]
  return [
    goal(`first indexing of ${count} memories`, first, FIRST_MS),
    goal('longest step of it', longest, STEP_MS),
    {
      work: `sync of ${count} unchanged`,
      goal: `≤ ${SYNC_RATIO} × stat of all`,
      floor: inMs(stat),
      measured: `${inMs(sync)} = ${(sync / stat).toFixed(2)} ×`,
      verdict: sync <= SYNC_RATIO * stat ? 'ok' : 'over',
    },
  ]
}

function writeHome(home: string, count: number): readonly string[] {
  const texts = distractors()
  return Array.from({ length: count }, (_, n) => {
    const folder = join(home, `rooms/room-${n % 10}/memories`)
    if (n < 10) mkdirSync(folder, { recursive: true })
    const path = join(folder, `m${n}.md`)
    const text = `${texts[n % texts.length]} and ${texts[(n * 7) % texts.length]}, number ${n}`
    writeFileSync(path, `---\ntype: note\ntags: [t${n % 50}]\nneo:\n  id: m-${n}\n---\n${text}\n`)
    return path
  })
}

function placesAt(home: string): SyncPlaces {
  const files = openFiles()
  const blobId = (bytes: Buffer) =>
    createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  return {
    home,
    dir: join(home, '.git/neo'),
    files,
    blobId,
    meaning: openEmbeddings(files, 'local'),
    timezone: 'UTC',
    now: () => Date.now(),
  }
}

async function opened(path: string): Promise<IndexStore> {
  const store = await openIndexStores().open(path, 'bench')
  if ('wrong' in store) throw new Error(`${store.wrong}; ${store.next}`)
  return store
}

const PUT = 2_000
const QUESTIONS = 200

async function asking(dir: string, count: number): Promise<readonly Line[]> {
  const store = await opened(join(dir, 'large.db'))
  const meaning = openEmbeddings(openFiles(), 'local')
  const texts = distractors()
  for (let from = 0; from < count; from += PUT) {
    const all = Array.from({ length: Math.min(PUT, count - from) }, (_, n) => passageOf(from + n, texts))
    store.put(
      all.map((one) => ({
        mark: {
          path: one.source,
          part: one.part,
          size: 1,
          mtimeMs: 1,
          ctimeMs: 1,
          ino: 1,
          hash: 'x',
          offset: 0,
        },
        passages: [indexedOf(one, meaning)],
      })),
      'replace',
    )
  }
  const times = Array.from({ length: QUESTIONS }, (_, n) => {
    const query = n % 4 === 0 ? `what number ${n * 31} says` : (texts[(n * 13) % texts.length] ?? '')
    const parts = n % 2 === 0 ? null : [`room${n % 10}`, '']
    return timed(() => searchIndex(store, meaning, { query, parts, limit: 10 }))
  }).toSorted((a, b) => a - b)
  store.close()
  const at = (part: number) => times[Math.floor(times.length * part)] ?? 0
  return [
    goal(`question over ${count} memories, p95`, at(0.95), QUERY_MS),
    { work: 'the same, p50', goal: '', floor: '', measured: inMs(at(0.5)), verdict: '-' },
  ]
}

/** What an index of so many memories adds to a daemon at rest. */
async function weighing(count: number): Promise<readonly Line[]> {
  const [without, beside] = [await restingMb(0), await restingMb(count)]
  const more = Math.max(0, beside - without)
  return [
    {
      work: `daemon: memory that an index of ${count} adds`,
      goal: `≤ ${MORE_MB} MB`,
      floor: `${without.toFixed(0)} MB without`,
      measured: `${more.toFixed(0)} MB`,
      verdict: more <= MORE_MB ? 'ok' : 'over',
    },
  ]
}

const CALM_MS = 6_000

async function restingMb(memories: number): Promise<number> {
  const { dir } = makeHome({ tasks: 10, rooms: 10, kind: 'settled' })
  if (memories > 0) {
    writeHome(dir, memories)
    git(dir, ['add', '-A'])
    git(dir, ['commit', '-q', '-m', 'memories'])
  }
  const daemon = await watchHome(dir)
  try {
    await until('the index is whole', () => (passagesIn(dir) >= memories ? true : null), 120_000)
    await pause(CALM_MS)
    return daemon.memory()
  } finally {
    await daemon.end()
  }
}

function passagesIn(home: string): number {
  try {
    const said = readFileSync(join(home, '.neo/memory.json'), 'utf8')
    return (JSON.parse(said) as { readonly passages: number }).passages
  } catch {
    return -1
  }
}

function passageOf(n: number, texts: readonly string[]): Passage {
  const text = `${texts[n % texts.length]} and ${texts[(n * 7) % texts.length]}, number ${n}`
  const rest = { kind: 'memory', type: 'note', tags: [], at: '', line: 1, weight: 1 } as const
  return {
    ...rest,
    source: `rooms/room${n % 10}/memories/${n}.md`,
    part: `room${n % 10}`,
    id: String(n),
    text,
  }
}

/** How long the loop was held up at most since it began, without what other programs took of the processor. */
function holding(): { longest(): number } {
  let longest = 0
  let last = performance.now()
  let used = process.cpuUsage()
  const beat = setInterval(() => {
    const { user, system } = process.cpuUsage(used)
    longest = Math.max(longest, Math.min(performance.now() - last - 1, (user + system) / 1_000))
    last = performance.now()
    used = process.cpuUsage()
  }, 1)
  return {
    longest() {
      clearInterval(beat)
      return longest
    },
  }
}

function timed(work: () => unknown): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

function goal(work: string, ms: number, most: number): Line {
  return { work, goal: `≤ ${inMs(most)}`, floor: '', measured: inMs(ms), verdict: ms <= most ? 'ok' : 'over' }
}
