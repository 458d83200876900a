/** Every folder of src is explained: its README.md lists exactly the files that lie there. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { sources } from './source.ts'

/** A file's name between backticks, relative to the README; paths from the top of src are about other folders. */
const NAMED = /`([\w./-]+\.ts)`/g
/** Files at the top of src, which any README may speak of. */
const TOP = new Set(['compose.ts', 'main.ts'])

const files = sources('src')
  .map((file) => file.path)
  .filter((path) => dirname(path) !== 'src')
const homes = new Map(files.map((path) => [path, readmeOf(dirname(path))]))
const readmes = [...new Set(homes.values())].filter((dir) => dir !== null).sort()

function readmeOf(dir: string): string | null {
  if (existsSync(`${dir}/README.md`)) return dir
  return dir === 'src' || dir === '.' ? null : readmeOf(dirname(dir))
}

test('every file below a folder of src has a README.md above it', () => {
  expect(files.filter((path) => homes.get(path) === null)).toEqual([])
})

test.each(readmes)('%s/README.md names exactly the files of its folder', (dir) => {
  const text = readFileSync(`${dir}/README.md`, 'utf8')
  const there = files.filter((path) => homes.get(path) === dir).map((path) => relative(dir, path))
  const named = new Set([...text.matchAll(NAMED)].map((match) => match[1] ?? ''))
  const gone = [...named].filter((name) => !name.includes('/') && !TOP.has(name) && !there.includes(name))
  const lost = [...named].filter((name) => name.includes('/') && !isThere(dir, name))
  expect({ unnamed: there.filter((name) => !named.has(name)), gone, lost }).toEqual({
    unnamed: [],
    gone: [],
    lost: [],
  })
})

/** A path is relative to the folder, to src or to the checkout. */
function isThere(dir: string, path: string): boolean {
  return [dir, 'src', '.'].some((from) => existsSync(join(from, path)))
}
