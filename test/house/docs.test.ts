/** What the documents say is so: links lead somewhere, commands exist, invariants have their tests. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { keyReference, undescribedKeys } from '../../scripts/key-reference.ts'
import { filesBelow, sources } from './source.ts'

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...['docs', 'examples', 'src', 'bench'].flatMap(filesBelow).filter((path) => path.endsWith('.md')),
]
const texts = new Map(
  documents.filter((path) => existsSync(path)).map((path) => [path, readFileSync(path, 'utf8')]),
)
const textOf = (path: string) => texts.get(path) ?? ''

test.each(['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md'])('%s exists', (path) => {
  expect(existsSync(path)).toBe(true)
})

test.each([...texts.keys()])('%s has only links that lead somewhere', (path) => {
  const links = [...withoutFences(textOf(path)).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '')
  expect(links.filter((link) => !/^[a-z]+:/.test(link) && !leads(path, link))).toEqual([])
})

test('README.md and the program want the same git', () => {
  const all = [textOf('README.md'), ...sources('src').map(({ text }) => text)].join('\n')
  const wanted = [...all.matchAll(/(?:git|want) (2\.\d+) or newer/g)].map(([, version]) => version)
  expect(wanted.length).toBeGreaterThan(3)
  expect(new Set(wanted).size).toBe(1)
})

const withCommands = [...texts.keys()].filter((path) =>
  /^(?:README|CONTRIBUTING|docs\/[\w-]+|examples\/(?:.+\/)?README)\.md$/.test(path),
)

test.each(withCommands)('%s names only commands that neo --help knows', (path) => {
  const named = commandsIn(textOf(path))
  expect(named.filter((words) => !known(helpOf(''), words))).toEqual([])
})

test('CONTRIBUTING.md says of every package that is depended on what it is for', () => {
  const of = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>
  const names = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.keys(of[kind] ?? {}),
  )
  const libraries = textOf('CONTRIBUTING.md').split('| library |').slice(1).join('')
  const said = new Set(libraries.split(/[\s,;|]+/))
  expect(names.filter((name) => !said.has(name))).toEqual([])
})

test('docs/README.md lists every page of docs', () => {
  const listed = new Set(
    [...textOf('docs/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page),
  )
  const pages = [...texts.keys()].filter((path) => /^docs\/(?!README)[\w-]+\.md$/.test(path))
  expect(pages.filter((path) => !listed.has(path.slice('docs/'.length)))).toEqual([])
})

test.each([...texts.keys()].filter((path) => path.startsWith('docs/')))(
  '%s names only tests that exist',
  (path) => {
    const named = textOf(path).match(/\btest\/[\w./-]+\.ts\b/g) ?? []
    expect(named.filter((file) => !existsSync(file))).toEqual([])
  },
)

test('scripts/bundle.mjs names only files that exist', () => {
  const [parts = ''] = readFileSync('scripts/bundle.mjs', 'utf8').split('const INSIDE')
  const named = [...parts.matchAll(/'([a-z][\w/-]+\.ts)'/g)].map(([, file = '']) => file)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((file) => !existsSync(join('src', file)))).toEqual([])
})

test('docs/decisions/README.md lists every decision, and each is short', () => {
  const pages = [...texts.keys()].filter((path) => /^docs\/decisions\/\d/.test(path))
  const index = textOf('docs/decisions/README.md')
  expect(pages.filter((path) => !index.includes(`](${path.slice('docs/decisions/'.length)})`))).toEqual([])
  expect(pages.filter((path) => textOf(path).trimEnd().split('\n').length > 25)).toEqual([])
})

test('docs/reference.md is what the shapes of files say, and each key is described', () => {
  expect(readFileSync('docs/reference.md', 'utf8')).toBe(keyReference())
  expect(undescribedKeys()).toEqual([])
})

test('ARCHITECTURE.md stays below 200 lines', () => {
  expect(textOf('ARCHITECTURE.md').trimEnd().split('\n').length).toBeLessThan(200)
})

test('every invariant of ARCHITECTURE.md names a test that exists', () => {
  const invariants = invariantsOf(textOf('ARCHITECTURE.md'))
  expect(invariants.length).toBeGreaterThan(0)
  expect(invariants.filter((line) => !guarded(line))).toEqual([])
})

function leads(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? from : join(dirname(from), path)
  if (!existsSync(file)) return false
  if (anchor === undefined || !file.endsWith('.md')) return true
  const headings = [...readFileSync(file, 'utf8').matchAll(/^#+ +(.+)$/gm)]
  return headings.some((heading) => slug(heading[1] ?? '') === anchor)
}

function slug(heading: string): string {
  const plain = heading.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '')
  return plain.trim().replace(/\s/g, '-')
}

function withoutFences(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '')
}

/** `neo word word` in code: spans, fences and indented lines. */
function commandsIn(text: string): readonly (readonly string[])[] {
  const called = text.matchAll(/(?:^|[`$(]|&& |node |npx )\s*(?:neo|dist\/main\.js) ([a-z]+(?: [a-z]+)?)/gm)
  return [...called].map((match) => (match[1] ?? '').split(' '))
}

function known(top: string, [first = '', second]: readonly string[]): boolean {
  if (!lists(top, first)) return false
  if (second === undefined) return true
  const own = helpOf(first)
  return !/^commands:/im.test(own) || lists(own, second)
}

function lists(help: string, word: string): boolean {
  return new RegExp(`^ {2,}(?:neo )?${word}(?:[ |,\\n]|$)`, 'm').test(help)
}

const helps = new Map<string, string>()

/** Of a command; of the program for ''. */
function helpOf(command: string): string {
  const words = command === '' ? [] : [command]
  const help =
    helps.get(command) ?? execFileSync('node', ['dist/main.js', ...words, '--help'], { encoding: 'utf8' })
  helps.set(command, help)
  return help
}

/** The numbered items below the heading that speaks of invariants, each with its continuation lines. */
function invariantsOf(text: string): readonly string[] {
  const section = /^#+ [^\n]*invariant[^\n]*\n([\s\S]*?)(?=^#+ |$(?![\s\S]))/im.exec(text)?.[1] ?? ''
  return section
    .split(/^(?=\d+\. )/m)
    .filter((item) => /^\d+\. /.test(item))
    .map((item) => item.replace(/\s+/g, ' ').trim())
}

/** Each item names test files; a title in double quotes after a file must be in that file. */
function guarded(item: string): boolean {
  const named = [...item.matchAll(/`(test\/[\w./-]+\.ts)`(?:[:,]? "([^"]+)")?/g)]
  return named.length > 0 && named.every(([, path = '', title]) => existsSync(path) && holds(path, title))
}

function holds(path: string, title: string | undefined): boolean {
  return title === undefined || readFileSync(path, 'utf8').includes(title)
}
