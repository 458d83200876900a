/**
 * How well memory finds: `npx tsx bench/recall/recall.ts [tuned|apart|all]`. Questions about facts that were written here, among
 * distractors, by words only, by meaning only, and by both as memory does it; recall@5 and MRR by kind.
 * `apart.tsv` was written first, and nothing was ever tuned on it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFiles } from '../../src/adapters/disk/files.ts'
import { openIndexStores } from '../../src/adapters/sqlite/stores.ts'
import { termsOf } from '../../src/core/rules/recall-words.ts'
import { indexedOf } from '../../src/memory/index-sync.ts'
import { type Meaning, openMeaning } from '../../src/memory/meaning.ts'
import { searchIndex } from '../../src/memory/search.ts'
import type { IndexStore, Passage, Scored } from '../../src/ports-memory.ts'
import { distractors } from './distractors.ts'

interface Pair {
  readonly set: string
  readonly kind: string
  readonly fact: string
  readonly question: string
}

type Way = 'words' | 'meaning' | 'both'
const WAYS: readonly Way[] = ['words', 'meaning', 'both']
const CANDIDATES = 100
const FIRST = 5

const which = process.argv[2] ?? 'all'
const dir = mkdtempSync(join(tmpdir(), 'neo-recall-'))
try {
  await main()
} finally {
  rmSync(dir, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const pairs = ['tuned', 'apart'].flatMap(pairsOf)
  const meaning = openMeaning(openFiles(), 'local')
  const store = await openIndexStores().open(join(dir, 'index.db'), meaning.name)
  if ('wrong' in store) throw new Error(`${store.wrong}; ${store.next}`)
  const facts = [...pairs.map(({ fact }) => fact), ...distractors()]
  fill(store, meaning, facts)
  const asked = pairs.filter(({ set }) => which === 'all' || set === which)
  console.log(`${facts.length} facts, ${asked.length} questions (${which})`)
  const kinds = [...new Set(asked.map(({ kind }) => kind))]
  const english = kinds.filter((kind) => kind !== 'japanese')
  const ranks = asked.map((pair) => ranksOf(store, meaning, pair))
  if (process.argv.includes('--misses')) tellMisses(asked, ranks)
  for (const kind of [...kinds, 'English', 'all']) {
    const of = kind === 'all' ? kinds : kind === 'English' ? english : [kind]
    const some = ranks.filter((_, at) => of.includes(asked[at]?.kind ?? ''))
    const cells = WAYS.map((way) => figures(some.map((one) => one[way])))
    console.log(`${kind.padEnd(11)} ${String(some.length).padStart(4)}  ${cells.join('   ')}`)
  }
  store.close()
}

function pairsOf(set: string): readonly Pair[] {
  const lines = readFileSync(new URL(`${set}.tsv`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => {
    const [kind = '', fact = '', question = ''] = line.split('\t')
    return { set, kind, fact, question }
  })
}

function fill(store: IndexStore, meaning: Meaning, facts: readonly string[]): void {
  const mark = { part: 'shop', size: 1, mtimeMs: 1, ctimeMs: 1, ino: 1, hash: 'x', offset: 0 }
  const all = facts.map((text, at) => {
    const passage: Passage = {
      source: `rooms/shop/memories/${at}.md`,
      part: 'shop',
      kind: 'memory',
      type: 'note',
      id: String(at),
      tags: [],
      at: '',
      line: 1,
      weight: 1,
      text,
    }
    return { mark: { ...mark, path: passage.source }, passages: [indexedOf(passage, meaning)] }
  })
  store.put(all, 'replace')
}

/** The 1-based rank of the fact by each way; 0 where it is not found. */
function ranksOf(store: IndexStore, meaning: Meaning, { fact, question }: Pair): Record<Way, number> {
  const filter = { parts: null }
  const words = store.words(termsOf(question), filter, CANDIDATES)
  const vector = meaning.of(question)
  const near = vector === null ? [] : store.near(vector, filter, CANDIDATES)
  const rankIn = (list: readonly Scored[]) => {
    const texts = store.passages(list.map(({ id }) => id))
    return list.findIndex(({ id }) => texts.get(id)?.text === fact) + 1
  }
  const { hits } = searchIndex(store, meaning, { ...filter, query: question, limit: CANDIDATES })
  const both = hits.findIndex(({ passage }) => passage.text === fact) + 1
  return { words: rankIn(words), meaning: rankIn(near), both }
}

function figures(ranks: readonly number[]): string {
  const found = ranks.filter((rank) => rank > 0 && rank <= FIRST).length / ranks.length
  const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / ranks.length
  return `${found.toFixed(3)} ${mrr.toFixed(3)}`
}

function tellMisses(asked: readonly Pair[], ranks: readonly Record<Way, number>[]): void {
  for (const [at, { kind, fact, question, set }] of asked.entries()) {
    const { words, meaning, both } = ranks[at] ?? { words: 0, meaning: 0, both: 0 }
    // Of what is kept apart, only figures are looked at.
    if (set === 'tuned' && (both === 0 || both > FIRST))
      console.log(`${kind}: ${question} → ${fact} (${words}/${meaning}/${both})`)
  }
}
