/** Embeddings ranks only what its table knows, which is English; every other language is ranked by its words. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { distractors, foreignDistractors } from '../../bench/recall/distractors.ts'
import { LANGUAGES, languagePairs, type Pair } from '../../bench/recall/questions.ts'
import { type FilledIndex, fillIndex, type Ranks, recallAt5, type Way } from '../../bench/recall/ways.ts'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { termsOf, wordsOf } from '../../src/domain/memory/recall-words.ts'
import { openEmbeddings } from '../../src/memory/search/embeddings.ts'

const dir = mkdtempSync(join(tmpdir(), 'neo-languages-'))
const pairs = languagePairs()
let index: FilledIndex
let ranked: readonly { readonly pair: Pair; readonly ranks: Ranks }[] = []

beforeAll(async () => {
  const facts = pairs.map(({ fact }) => fact)
  index = await fillIndex(join(dir, 'index.db'), [...facts, ...distractors(), ...foreignDistractors()])
  ranked = pairs.map((pair) => ({ pair, ranks: index.ranksOf(pair) }))
})

afterAll(() => {
  index.close()
  rmSync(dir, { recursive: true, force: true })
})

function recallOf(way: Way, is: (pair: Pair) => boolean): number {
  return recallAt5(ranked.filter(({ pair }) => is(pair)).map(({ ranks }) => ranks[way]))
}

test.each(LANGUAGES)('%s: words and meaning together find no less than words alone', (language) => {
  const both = recallOf('both', (pair) => pair.language === language)
  expect(both).toBeGreaterThanOrEqual(recallOf('words', (pair) => pair.language === language) - 0.01)
})

test('English paraphrases are found by their meaning', () => {
  const is = ({ language, kind }: Pair) => language === 'en' && kind === 'paraphrase'
  expect(recallOf('both', is)).toBeGreaterThanOrEqual(0.6)
})

test.each([
  'Die Müllabfuhr kommt jeden zweiten Dienstag',
  'El museo cierra los lunes',
  'Le train de nuit part à dix heures',
  'O museu fecha às segundas',
  'Il museo è chiuso di lunedì',
  'Het museum is op maandag gesloten',
  'Muzeum jest zamknięte w poniedziałki',
  'Музей закрыт по понедельникам',
  '博物馆星期一关门',
  'はしごは学校のものだ',
])('%s has no English vector', (text) => {
  expect(openEmbeddings(openFiles(), 'local').of(text)).toBeNull()
})

test('of a script without spaces single characters are found as well as pairs', () => {
  expect(wordsOf('猫が好き')).toEqual(expect.arrayContaining(['猫', '猫が', '好', '好き']))
  expect(termsOf('猫は')).toEqual(['猫は', '猫', 'は'])
})
