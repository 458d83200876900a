/** What a room remembers about a query: with its source, by words without an index, and within its bounds. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import {
  attachFiles,
  attachRecall,
  fileLines,
  NOTHING_RECALLED,
  recallFrom,
  recallWithFiles,
} from '../../../src/engine/agents/recall-answers.ts'
import type { World } from '../../../src/ports/world.ts'

function desk(memories: Readonly<Record<string, string>> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'neo-recall-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const folder = join(home, 'rooms/shop/memories')
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(memories)) writeFileSync(join(folder, name), text)
  const world = { files: openFiles() } as unknown as World
  const recall = (query: string, limit = 5) => recallFrom({ home, world }, { room: 'shop', query, limit })
  return { home, world, recall }
}

const memory = (text: string, tags = '') => `---\ntype: note\ntags: [${tags}]\n---\n${text}\n`
const sources = (answer: string) =>
  [...answer.matchAll(/^\[rooms\/shop\/memories\/(.*)\]$/gm)].map(([, name]) => name)

describe('recallFrom() without an index', () => {
  const known = () =>
    desk({
      'a.md': memory('The cart uses cents.'),
      'b.md': memory('The cart rounds prices.', 'money'),
      'c.md': memory('Größe zählt.'),
      'broken.md': '---\ntags: [\n',
      'notes.txt': 'cart prices',
    })

  test.each([
    ['cart prices', ['b.md', 'a.md']],
    ['MONEY', ['b.md']],
    ['größe', ['c.md']],
    ['nothing', []],
    ['...', ['a.md', 'b.md', 'c.md']],
  ])('about %j finds %j', (query, found) => {
    const answer = known().recall(query)
    expect(sources(answer)).toEqual(found)
    if (found.length === 0) expect(answer).toBe(NOTHING_RECALLED)
  })

  test('gives at most the limit, and the beginning of a long one', () => {
    expect(sources(known().recall('cart', 1))).toEqual(['a.md'])
    const { recall } = desk({ 'long.md': memory(`cart ${'x'.repeat(5_000)}`) })
    expect(recall('cart')).toHaveLength('[rooms/shop/memories/long.md]\n'.length + 1_000)
  })

  test('finds nothing in a room without memories', () => {
    expect(desk().recall('cart')).toBe(NOTHING_RECALLED)
  })
})

test('recallFrom() asks the index that is attached, and searches by words while it has no answer', () => {
  const { world, recall } = desk({ 'a.md': memory('The cart uses cents.') })
  let answers = true
  attachRecall(world, ({ query }) => (answers ? [{ source: 'x.md:3', text: `about ${query}` }] : null))
  expect(recall('cart')).toBe('[x.md:3]\nabout cart')
  answers = false
  expect(sources(recall('cart'))).toEqual(['a.md'])
})

test('recallWithFiles() adds files of the workspace, if any are known', () => {
  const { home, world } = desk()
  const of = { room: 'shop', query: 'cart', limit: 3 }
  expect(recallWithFiles({ home, world }, of)).toBe(NOTHING_RECALLED)
  attachFiles(world, ({ limit }) => (limit === 5 ? [{ path: 'src/cart.ts', about: 'the cart' }] : []))
  expect(recallWithFiles({ home, world }, of)).toBe(
    `${NOTHING_RECALLED}\n\nFiles of the workspace that may be about it:\n- src/cart.ts: the cart`,
  )
})

test.each([
  [100, '- a.ts\n- b.ts: the second'],
  [24, '- a.ts'],
  [6, ''],
])('fileLines() within %d letters', (letters, text) => {
  const found = fileLines(
    [
      { path: 'a.ts', about: '' },
      { path: 'b.ts', about: 'the second' },
    ],
    letters,
  )
  expect(found).toBe(text)
})

test('fileLines() cuts a line that is too long', () => {
  expect(fileLines([{ path: 'a.ts', about: 'x'.repeat(500) }], 1_000)).toHaveLength(200)
})
