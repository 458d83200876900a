/** What `npm install` of the published package must give: settings of the checkout do not reach there. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>

test('package.json has no overrides, since npm ignores those of a dependency', () => {
  expect(json('package.json')['overrides']).toBeUndefined()
})

test('no locked package that is always installed refuses Node 20.19', () => {
  const packages = json('package-lock.json')['packages'] as Record<string, { engines?: { node?: string } }>
  const refusing = Object.entries(packages).filter(([, { engines }]) => least(engines?.node) > 20)
  expect(refusing.map(([path]) => path)).toEqual([])
})

test('the package holds its documents', () => {
  expect(json('package.json')['files']).toEqual(expect.arrayContaining(['docs', 'README.md', 'CHANGELOG.md']))
})

/** The lowest major version that a range of engines allows; 0 where it names none. */
function least(range: string | undefined): number {
  const majors = (range ?? '')
    .split('||')
    .map((one) => Number(/(?:>=|\^|~|^)\s*v?(\d+)/.exec(one.trim())?.[1] ?? 0))
  return Math.min(...majors)
}
