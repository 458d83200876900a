/** How well memory finds, by language: words alone, meaning alone and both, of the tuned half and of the half kept apart. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Line, Row } from '../row.ts'
import { distractors, foreignDistractors } from './distractors.ts'
import { LANGUAGES, languagePairs, type Pair, workPairs } from './questions.ts'
import { fillIndex, type Ranks, recallAt5, type Way } from './ways.ts'

const LEAST_PARAPHRASES = 0.6
/** Both ways together may be worse than words alone by this much. */
const LEEWAY = 0.01

interface Ranked {
  readonly pair: Pair
  readonly ranks: Ranks
  /** With a sentence model; null if none is installed, or the question is no paraphrase. */
  readonly reranked: number | null
}

export const recallRow: Row = {
  name: 'recall',
  measures: 'how many answers are among the first five, by language',
  async run() {
    const dir = mkdtempSync(join(tmpdir(), 'neo-recall-'))
    try {
      const work = workPairs()
      const languages = languagePairs()
      const ranked = [
        ...(await rank(join(dir, 'work.db'), work, distractors())),
        ...(await rank(join(dir, 'languages.db'), languages, [...distractors(), ...foreignDistractors()])),
      ]
      return (['tuned', 'apart'] as const).flatMap((set) => linesOf(ranked, set))
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  },
}

async function rank(
  path: string,
  pairs: readonly Pair[],
  company: readonly string[],
): Promise<readonly Ranked[]> {
  const index = await fillIndex(path, [...pairs.map(({ fact }) => fact), ...company])
  const ranked: Ranked[] = []
  for (const pair of pairs) {
    const isAsked = pair.language === 'en' && pair.kind === 'paraphrase'
    const reranked = isAsked ? await index.rerankedOf(pair) : null
    ranked.push({ pair, ranks: index.ranksOf(pair), reranked })
  }
  index.close()
  return ranked
}

function linesOf(all: readonly Ranked[], set: Pair['set']): readonly Line[] {
  const of = all.filter(({ pair }) => pair.set === set)
  const paraphrases = of.filter(({ pair }) => pair.language === 'en' && pair.kind === 'paraphrase')
  const { both } = cellsOf(paraphrases)
  return [
    ...LANGUAGES.map((language) => languageLine(of, language, set)),
    {
      work: `${set}: English paraphrases, ${paraphrases.length} questions`,
      goal: `≥ ${LEAST_PARAPHRASES}`,
      ...shown(paraphrases),
      verdict: both >= LEAST_PARAPHRASES ? 'ok' : 'over',
    },
    ...sentenceLines(paraphrases, set),
  ]
}

/** Nothing if no model is installed. */
function sentenceLines(of: readonly Ranked[], set: Pair['set']): readonly Line[] {
  const ranks = of.flatMap(({ reranked }) => reranked ?? [])
  if (ranks.length === 0) return []
  const recall = recallAt5(ranks)
  return [
    {
      work: `${set}: the same with a sentence model`,
      goal: `≥ ${LEAST_PARAPHRASES}`,
      floor: '',
      measured: recall.toFixed(3),
      verdict: recall >= LEAST_PARAPHRASES ? 'ok' : 'over',
    },
  ]
}

function languageLine(all: readonly Ranked[], language: string, set: Pair['set']): Line {
  const of = all.filter(({ pair }) => pair.language === language)
  const { words, both } = cellsOf(of)
  return {
    work: `${set}: ${language}, ${of.length} questions`,
    goal: `≥ words − ${LEEWAY}`,
    ...shown(of),
    verdict: both >= words - LEEWAY ? 'ok' : 'over',
  }
}

function cellsOf(of: readonly Ranked[]): Readonly<Record<Way, number>> {
  const at = (way: Way) => recallAt5(of.map(({ ranks }) => ranks[way]))
  return { words: at('words'), meaning: at('meaning'), both: at('both') }
}

function shown(of: readonly Ranked[]): Pick<Line, 'floor' | 'measured'> {
  const { words, meaning, both } = cellsOf(of)
  return {
    floor: `words ${words.toFixed(3)}, meaning ${meaning.toFixed(3)}`,
    measured: `both ${both.toFixed(3)}`,
  }
}
