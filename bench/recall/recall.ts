/**
 * How well memory finds: `npx tsx bench/recall/recall.ts [tuned|apart|all] [--misses]`. Questions about facts that were
 * written here, among distractors, by words only, by meaning only, and by both as memory does it; recall@5 and MRR by
 * language and kind. Nothing is ever tuned on `apart`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { distractors, foreignDistractors } from './distractors.ts'
import { languagePairs, type Pair, workPairs } from './questions.ts'
import { fillIndex, isMissed, meanReciprocal, type Ranks, recallAt5, WAYS } from './ways.ts'

const which = process.argv[2] ?? 'all'
const dir = mkdtempSync(join(tmpdir(), 'neo-recall-'))
try {
  await main()
} finally {
  rmSync(dir, { recursive: true, force: true })
}

async function main(): Promise<void> {
  const work = workPairs()
  await tell('work', work, [...work.map(({ fact }) => fact), ...distractors()])
  const pairs = languagePairs()
  const facts = pairs.map(({ fact }) => fact)
  await tell('languages', pairs, [...facts, ...distractors(), ...foreignDistractors()])
}

async function tell(name: string, pairs: readonly Pair[], facts: readonly string[]): Promise<void> {
  const index = await fillIndex(join(dir, `${name}.db`), facts)
  const asked = pairs.filter(({ set }) => which === 'all' || set === which)
  console.log(`\n${name}: ${facts.length} facts, ${asked.length} questions (${which}); ${WAYS.join(', ')}`)
  const ranked = asked.map((pair) => ({ pair, ranks: index.ranksOf(pair) }))
  index.close()
  const groups = [...new Set(ranked.flatMap(({ pair }) => namesOf(pair)))]
  for (const group of groups.toSorted())
    console.log(
      lineOf(
        group,
        ranked.filter(({ pair }) => namesOf(pair).includes(group)),
      ),
    )
  if (process.argv.includes('--misses')) tellMisses(ranked)
}

function namesOf({ language, kind }: Pair): readonly string[] {
  return [language, `${language} ${kind}`]
}

interface Ranked {
  readonly pair: Pair
  readonly ranks: Ranks
}

function lineOf(group: string, of: readonly Ranked[]): string {
  const cells = WAYS.map((way) => {
    const ranks = of.map((one) => one.ranks[way])
    return `${recallAt5(ranks).toFixed(3)} ${meanReciprocal(ranks).toFixed(3)}`
  })
  return `${group.padEnd(14)} ${String(of.length).padStart(4)}  ${cells.join('   ')}`
}

function tellMisses(ranked: readonly Ranked[]): void {
  for (const { pair, ranks } of ranked) {
    // Of what is kept apart, only figures are looked at.
    if (pair.set === 'tuned' && isMissed(ranks.both))
      console.log(
        `${pair.language} ${pair.kind}: ${pair.question} → ${pair.fact} (${WAYS.map((way) => ranks[way]).join('/')})`,
      )
  }
}
