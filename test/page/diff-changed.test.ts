import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changedParts, differing } from '../../page/parts/diff/diff-changed.ts'
import { parseDiff } from '../../page/parts/diff/diff-parse.ts'

test.each([
  ['const price = 1', 'const price = 250', '1', '250'],
  ['  return login.asked', '  return login.asked ?? "/"', '', ' ?? "/"'],
  ['color: red;', 'color: blue;', 'red', 'blue'],
  ['a 🎉 b', 'a 🎈 b', '🎉', '🎈'],
])('of %s → %s the changed words are marked', (old, now, before, after) => {
  const found = differing(old, now)
  expect([old.slice(...(found?.old ?? [])), now.slice(...(found?.new ?? []))]).toEqual([before, after])
})

test('lines that share nothing are not marked', () => {
  expect(differing('import { a } from "b"', 'export default 3')).toBe(null)
})

test('what is outside the marked parts is the same in both lines', () => {
  const line = fc.string({ unit: fc.constantFrom('ab', ' ', '(', '1', 'é', '🎉') })
  fc.assert(
    fc.property(line, line, (old, now) => {
      const found = differing(old, now)
      if (found === null) return
      const outside = (text: string, [from, to]: readonly [number, number]) => [
        text.slice(0, from),
        text.slice(to),
      ]
      expect(outside(old, found.old)).toEqual(outside(now, found.new))
      expect(found.old[0] <= found.old[1] && found.new[0] <= found.new[1]).toBe(true)
    }),
  )
})

test('only replaced lines of a diff have a marked part', () => {
  const [file] = parseDiff(
    [
      'diff --git a/x b/x',
      '--- a/x',
      '+++ b/x',
      '@@ -1,3 +1,4 @@',
      ' same',
      '-size: 1px',
      '+size: 2px',
      '+more',
      ' end',
      '',
    ].join('\n'),
  )
  if (file === undefined) throw new Error('no file was parsed')
  const parts = [...changedParts(file)].map(([{ text }, part]) => [text, text.slice(...part)])
  expect(parts).toEqual([
    ['size: 1px', '1px'],
    ['size: 2px', '2px'],
  ])
})
