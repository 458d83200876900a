/** The page's own house: only types from src, small files, and no HTML but the sanitised one. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const files = readdirSync('page', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path: join('page', path), text: readFileSync(join('page', path), 'utf8') }))

function where(pattern: RegExp, except: readonly string[] = []): readonly string[] {
  return files
    .filter(({ path, text }) => !except.includes(path) && pattern.test(text))
    .map(({ path }) => path)
}

test('the page imports only types from src, and functions of domain, which need nothing', () => {
  expect(where(/^import (?!type )(?:\{[^}]*\}|[^'\n]*?) from '(?:\.\.\/)+src\/(?!domain\/)/m)).toEqual([])
})

test('files of the page have at most 300 lines', () => {
  const long = files.filter(({ text }) => text.trimEnd().split('\n').length > 300)
  expect(long.map(({ path }) => path)).toEqual([])
})

test('no file but the one of markdown sets HTML', () => {
  expect(
    where(/dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write/, [
      'page/parts/markdown.tsx',
    ]),
  ).toEqual([])
})

test('no file of the page names another server', () => {
  expect(where(/['"`]https?:\/\/(?!www\.w3\.org)/)).toEqual([])
})
