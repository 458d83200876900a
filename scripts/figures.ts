/**
 * The figures of the source: `npm run figures`; with `-- --places`, where the names and phrases are.
 * Sizes, names used more than once, circles of imports, words a sentence in
 * the documents. test/house/size.test.ts holds those that may only fall.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { houseFigures } from '../test/house/figures.ts'
import { oldPhrases, repeatingHeaders } from '../test/house/phrases.ts'

const { lines, files, largest, names, circles, testLines } = houseFigures()
const words = wordsOfSentences()
const phrases = oldPhrases()
const rows: readonly (readonly [string, string])[] = [
  ['lines in src', String(lines)],
  ['files in src', String(files)],
  ['largest folder of src', `${largest.files} files, ${largest.path}`],
  ['names of files used more than once', String(names.length)],
  ['circles of imports', String(circles.length)],
  ['lines of tests to lines of src', (testLines / lines).toFixed(2)],
  ['suites in test/contracts', String(contracts())],
  ['headers that only repeat a signature', String(repeatingHeaders())],
  ['old phrases in src', String(phrases.src.length)],
  ['old phrases in documents', String(phrases.documents.length)],
  ['words a sentence, median', String(words[Math.floor(words.length / 2)] ?? 0)],
  ['sentences over 20 words', `${words.filter((count) => count > 20).length} of ${words.length}`],
]
const width = Math.max(...rows.map(([what]) => what.length))
for (const [what, figure] of rows) console.log(`${what.padEnd(width)}  ${figure}`)
if (process.argv.includes('--places')) for (const place of [...names, ...phrases.src]) console.log(place)

function contracts(): number {
  if (!existsSync('test/contracts')) return 0
  return readdirSync('test/contracts').filter((name) => name.endsWith('.test.ts')).length
}

/** Sorted numbers of words of the sentences in README.md and docs/, without code, tables and generated pages. */
function wordsOfSentences(): readonly number[] {
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'api.md')
  const texts = ['README.md', ...pages.map((name) => `docs/${name}`)].map((path) => proseOf(readFileSync(path, 'utf8')))
  const sentences = texts.flatMap((text) => text.split(/(?<=[.!?:])\s+(?=[A-Z`*“"(])|\n{2,}/))
  return sentences
    .map((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length)
    .filter((count) => count > 2)
    .sort((a, b) => a - b)
}

function proseOf(text: string): string {
  return text
    .replace(/^```[\s\S]*?^```/gm, '\n\n')
    .replace(/^(?: {4}|\||#).*$/gm, '\n')
    .replace(/^\s*[-*\d.]+ /gm, '\n\n')
}
