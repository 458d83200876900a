/** The shape of every source file: small enough to see, a short header or none, named exports, no unfinished marks. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type Source, sources } from './source.ts'

const LINES_PER_FILE = 300
const HEADER_LINES = 12

const src = sources('src')
const tests = sources('test')
const everything = [...src, ...tests, ...sources('bench')]

function where(files: readonly Source[], pattern: RegExp): readonly string[] {
  return files.flatMap((file) =>
    file.text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${file.path}:${index + 1}`] : [])),
  )
}

function headerLines(file: Source): number {
  const header = /^(?:#![^\n]*\n)?\/\*\*[\s\S]*?\*\//.exec(file.text)?.[0]
  if (header === undefined) return 0
  return header.replace(/^#![^\n]*\n/, '').split('\n').length
}

test('files have at most 300 lines', () => {
  const long = everything.filter((file) => file.text.trimEnd().split('\n').length > LINES_PER_FILE)
  expect(long.map((file) => file.path)).toEqual([])
})

test('functions have at most 40 lines and 3 positional parameters', () => {
  const args = [
    'lint',
    '--config-path=scripts/biome-limits.json',
    '--reporter=github',
    'src',
    'bench',
    'page',
  ]
  expect(errorsOf('node_modules/.bin/biome', args)).toEqual([])
})

test('headers of source files have at most 12 lines', () => {
  const wrong = src.filter((file) => headerLines(file) > HEADER_LINES)
  expect(wrong.map((file) => `${file.path}: ${headerLines(file)}`)).toEqual([])
})

test('exports are named, and no file is a barrel', () => {
  expect(where([...src, ...tests], /^export default\b|^export \* from|^export \{[^}]*\} from/)).toEqual([])
})

test('sources carry no unfinished marks', () => {
  const marks = new RegExp(['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', '[Nn]ot impl' + 'emented'].join('|'))
  expect(where(src, marks)).toEqual([])
})

test('titles of tests state what is so', () => {
  const title = /^\s*(?:it|test)(?:\.\w+)?\(\s*['"`](?:.*\bshould\b|\S+ (?:works|handles)\b)/
  expect(where(tests, title)).toEqual([])
})

test('tests replace no modules', () => {
  expect(where(tests, new RegExp('\\bvi\\.(?:mo' + 'ck|doMo' + 'ck)\\('))).toEqual([])
})

/** The annotations that a linter prints; none where it is content. */
function errorsOf(program: string, args: readonly string[]): readonly string[] {
  try {
    execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' })
    return []
  } catch (error) {
    const out = String((error as { stdout?: string }).stdout ?? error)
    return out.split('\n').filter((line) => line.startsWith('::error'))
  }
}

test('numbers of things in texts are written by counted(), which knows 1', () => {
  const things = 'bytes|calls|characters|checks|commits|facts|files|letters|lines|rooms|seconds|tasks|words'
  // Always more than one: a constant, or a list that was checked before.
  const isMany =
    /MOST|at most|at least|larger than|longer than|the limit is|limitMs|looked|read\.bytes|(?:found|open|facts|paths)\.length|% 100 === 0|\bbytes\}|done\} bytes|size\} bytes|of \$\{text\.length\}/
  const wrong = sources('src').flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => new RegExp(`\\$\\{[^{}]*\\} (?:${things})\\b`).test(line) && !isMany.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  )
  expect(wrong).toEqual([])
})
