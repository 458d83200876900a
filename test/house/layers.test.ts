/** The layers of the house: which folder may import which, and that the core is pure. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Source, sources, target } from './source.ts'

/** Top to bottom; an import may go to the same layer or to one below. Adapters stand beside. */
const LAYERS = [
  ['main', 'src/main.ts'],
  ['cli', 'src/cli/'],
  ['compose', 'src/compose.ts'],
  ['mind', 'src/mind.ts'],
  ['doors', 'src/doors/'],
  ['bus', 'src/bus/'],
  ['neo', 'src/neo/'],
  ['hub', 'src/hub/'],
  ['memory', 'src/memory/'],
  ['flow', 'src/flow/'],
  ['work', 'src/work/'],
  ['formats', 'src/formats/'],
  ['ports', 'src/ports'],
  ['core/rules', 'src/core/rules/'],
  ['core/model', 'src/core/model/'],
] as const
const ADAPTERS = 'src/adapters/'
const FORMATS_LIBRARIES = ['yaml', 'zod', 'gray-matter']
const IMPURE =
  /\basync\b|\bawait\b|\bPromise\b|\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bprocess\b|\bset(?:Timeout|Interval|Immediate)\b|\bconsole\b|\bfetch\(|\bperformance\b|\bglobalThis\b|\bBuffer\b/

const all = sources('src')

function rank(path: string): number {
  return LAYERS.findIndex(([, prefix]) => path.startsWith(prefix))
}

function offences(files: readonly Source[], wrong: (file: Source, to: string) => boolean): readonly string[] {
  return files.flatMap((file) =>
    file.imports
      .map((specifier) => target(file.path, specifier))
      .filter((to) => wrong(file, to))
      .map((to) => `${file.path} → ${to}`),
  )
}

const inAdapters = (file: Source) => file.path.startsWith(ADAPTERS)
const below = (prefix: string) => all.filter((file) => file.path.startsWith(prefix))

test('src holds no file outside the layers', () => {
  const stray = all.filter((file) => rank(file.path) < 0 && !inAdapters(file))
  expect(stray.map((file) => file.path)).toEqual([])
})

test('imports point down or sideways, never up', () => {
  const layered = all.filter((file) => !inAdapters(file))
  const up = offences(
    layered,
    (file, to) => to.startsWith('src/') && rank(to) >= 0 && rank(to) < rank(file.path),
  )
  expect(up).toEqual([])
})

/** Names of the layers that the files below some paths import, their own apart; `core` for both halves of it. */
function layersOf(prefixes: readonly string[]): readonly string[] {
  const layer = (path: string) => (path.startsWith(ADAPTERS) ? 'adapters' : (LAYERS[rank(path)]?.[0] ?? path))
  const files = all.filter(({ path }) => prefixes.some((prefix) => path.startsWith(prefix)))
  const own = new Set(files.map(({ path }) => layer(path)))
  const targets = files.flatMap((file) => file.imports.map((specifier) => target(file.path, specifier)))
  const found = targets.filter((to) => to.startsWith('src/')).map(layer)
  return [...new Set(found.filter((name) => !own.has(name)).map((name) => name.split('/')[0] ?? ''))].sort()
}

const ROWS = readFileSync('ARCHITECTURE.md', 'utf8').matchAll(/^\| (`src\/[^|]+) \|[^|]*\| ([^|]+) \|/gm)
const MAY = [...ROWS].map(([, folders = '', may = '']): [string, string] => [folders, may])

test.each(MAY.filter(([, may]) => may !== 'everything below'))(
  'ARCHITECTURE.md says what %s imports',
  (folders, may) => {
    const own = [...folders.matchAll(/`([^`*]+)/g)].map(([, prefix = '']) => prefix)
    const names = new Set(['adapters', ...LAYERS.map(([name]) => name.split('/')[0])])
    const said = may.split(', ').map((name) => name.split('/')[0] ?? '')
    expect(layersOf(own.filter((prefix) => prefix.startsWith('src/')))).toEqual(
      said.filter((name) => names.has(name)).sort(),
    )
  },
)

test('adapters are imported by compose.ts alone, apart from each other', () => {
  const others = all.filter((file) => !inAdapters(file) && file.path !== 'src/compose.ts')
  expect(offences(others, (_, to) => to.startsWith(ADAPTERS))).toEqual([])
})

test('adapters know ports and core, and nothing above', () => {
  const known = [ADAPTERS, 'src/ports', 'src/core/']
  const wrong = offences(
    all.filter(inAdapters),
    (_, to) => to.startsWith('src/') && !known.some((prefix) => to.startsWith(prefix)),
  )
  expect(wrong).toEqual([])
})

test('doors share what lies in doors/shared, and never import each other', () => {
  const doorOf = (path: string) => /^src\/doors\/(\w+)\//.exec(path)?.[1]
  const wrong = offences(below('src/doors/'), (file, to) => {
    const [own, other] = [doorOf(file.path), doorOf(to)]
    return own !== undefined && other !== undefined && other !== own && other !== 'shared'
  })
  expect(wrong).toEqual([])
})

test('core imports nothing outside itself', () => {
  expect(offences(below('src/core/'), (_, to) => !to.startsWith('src/core/'))).toEqual([])
})

test('core is synchronous and takes time, chance and environment as arguments', () => {
  const impure = below('src/core/').flatMap((file) =>
    file.code.split('\n').flatMap((line, index) => (IMPURE.test(line) ? [`${file.path}:${index + 1}`] : [])),
  )
  expect(impure).toEqual([])
})

test('formats import core and the three libraries of texts, and do no input or output', () => {
  const wrong = offences(
    below('src/formats/'),
    (_, to) =>
      !to.startsWith('src/formats/') &&
      !to.startsWith('src/core/') &&
      !FORMATS_LIBRARIES.includes(to.split('/')[0] ?? ''),
  )
  const asynchronous = below('src/formats/').filter((file) => /\basync\b|\bawait\b/.test(file.code))
  expect([...wrong, ...asynchronous.map((file) => file.path)]).toEqual([])
})

test('relative imports name the file, extension included', () => {
  const short = all.flatMap((file) =>
    file.imports
      .filter((to) => to.startsWith('.') && !to.endsWith('.ts'))
      .map((to) => `${file.path} → ${to}`),
  )
  expect(short).toEqual([])
})

test('builtins of node are imported by their node: names', () => {
  const bareNames =
    /^(?:fs|path|os|child_process|crypto|url|util|events|stream|timers|buffer|process)(?:\/|$)/
  expect(offences(all, (_, to) => bareNames.test(to))).toEqual([])
})
