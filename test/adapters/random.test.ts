import { expect, test } from 'vitest'
import { systemRandom } from '../../src/adapters/machine.ts'

test('id() gives the prefix and six digits of base 36', () => {
  const random = systemRandom()
  for (const prefix of ['t', 'r', 's', 'a'] as const)
    expect(random.id(prefix)).toMatch(new RegExp(`^${prefix}-[0-9a-z]{6}$`))
})

test('id() uses every digit', () => {
  const random = systemRandom()
  const digits = new Set(Array.from({ length: 500 }, () => random.id('t').slice(2)).join(''))
  expect(digits.size).toBe(36)
})
