/** Every folder of src is explained: its README.md lists exactly the files that lie there. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { expect, test } from 'vitest'
import { sources } from './source.ts'

/** A list item or table row that begins with a file's name, relative to the README. */
const LISTED = /^\s*(?:[-*]|\|)\s*`([\w./-]+\.ts)`/gm

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

test.each(readmes)('%s/README.md lists exactly the files of its folder', (dir) => {
  const text = readFileSync(`${dir}/README.md`, 'utf8')
  const listed = [...text.matchAll(LISTED)].map((match) => match[1] ?? '').sort()
  const there = files.filter((path) => homes.get(path) === dir).map((path) => relative(dir, path))
  expect(listed).toEqual(there.sort())
})
