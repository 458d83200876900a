/** The layers of the house: which folder may import which, and that the core is pure. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ADAPTERS, type Layer, LAYERS, layerOf, layerRows, PURE } from './layers.ts'
import { type Source, sources, target } from './source.ts'

const IMPURE =
  /\basync\b|\bawait\b|\bPromise\b|\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bprocess\b|\bset(?:Timeout|Interval|Immediate)\b|\bconsole\b|\bfetch\(|\bperformance\b|\bglobalThis\b|\bBuffer\b/

const all = sources('src')

function rank(path: string): number {
  const layer = layerOf(path)
  return layer === null ? -1 : LAYERS.indexOf(layer)
}

function offences(files: readonly Source[], wrong: (file: Source, to: string) => boolean): readonly string[] {
  return files.flatMap((file) =>
    file.imports
      .map((specifier) => target(file.path, specifier))
      .filter((to) => wrong(file, to))
      .map((to) => `${file.path} → ${to}`),
  )
}

const ADAPTERS_PREFIX = ADAPTERS.prefixes[0]
const inAdapters = (file: Source) => layerOf(file.path) === ADAPTERS
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

/** Names of other layers that a layer imports; `core` for both halves of it. */
function importsOf(own: Layer): readonly string[] {
  const files = all.filter(({ path }) => layerOf(path) === own)
  const targets = files.flatMap((file) => file.imports.map((specifier) => target(file.path, specifier)))
  const others = targets.flatMap((to) => (to.startsWith('src/') ? (layerOf(to) ?? []) : []))
  return namesOf(others.filter((layer) => layer !== own).map(({ name }) => name))
}

/** Names of layers, each once, sorted; names of libraries are left out. */
function namesOf(names: readonly string[]): readonly string[] {
  const known = new Set([...LAYERS, ADAPTERS].map(({ name }) => nameOf(name)))
  return [...new Set(names.map(nameOf).filter((name) => known.has(name)))].sort()
}

function nameOf(name: string): string {
  return name.split('/')[0] ?? name
}

test.each([...LAYERS, ADAPTERS].filter(({ imports }) => imports !== 'all'))(
  '$name imports exactly the layers that its row names',
  (layer) => {
    expect(importsOf(layer)).toEqual(namesOf(layer.imports === 'all' ? [] : layer.imports))
  },
)

test('ARCHITECTURE.md prints the table of layers', () => {
  const printed = readFileSync('ARCHITECTURE.md', 'utf8').match(/^\| `src\/[^\n]+/gm)
  expect(printed).toEqual(layerRows())
})

test('adapters are imported by compose.ts alone, apart from each other', () => {
  const others = all.filter((file) => !inAdapters(file) && file.path !== 'src/compose.ts')
  expect(offences(others, (_, to) => to.startsWith(ADAPTERS_PREFIX))).toEqual([])
})

test('adapters know ports and the domain, and nothing above', () => {
  const known = [ADAPTERS_PREFIX, 'src/ports', 'src/domain/']
  const wrong = offences(
    all.filter(inAdapters),
    (_, to) => to.startsWith('src/') && !known.some((prefix) => to.startsWith(prefix)),
  )
  expect(wrong).toEqual([])
})

test('servers share servers/shared, and never import each other', () => {
  const serverOf = (path: string) => /^src\/servers\/(\w+)\//.exec(path)?.[1]
  const wrong = offences(below('src/servers/'), (file, to) => {
    const [own, other] = [serverOf(file.path), serverOf(to)]
    return own !== undefined && other !== undefined && other !== own && other !== 'shared'
  })
  expect(wrong).toEqual([])
})

test.each(PURE)(
  '$prefix imports nothing but itself, purer folders and its libraries',
  ({ prefix, libraries }) => {
    const inside = [prefix, 'src/domain/']
    const wrong = offences(
      below(prefix),
      (_, to) => !inside.some((one) => to.startsWith(one)) && !libraries.includes(to.split('/')[0] ?? ''),
    )
    expect(wrong).toEqual([])
  },
)

test('the domain is synchronous and takes time, chance and environment as arguments', () => {
  const impure = below('src/domain/').flatMap((file) =>
    file.code.split('\n').flatMap((line, index) => (IMPURE.test(line) ? [`${file.path}:${index + 1}`] : [])),
  )
  expect(impure).toEqual([])
})

test('files wait for nothing', () => {
  const waiting = below('src/files/').filter((file) => /\basync\b|\bawait\b/.test(file.code))
  expect(waiting.map((file) => file.path)).toEqual([])
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
