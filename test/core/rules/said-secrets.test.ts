/** Lines that people say in twelve languages: of those with a secret none is kept, of those near the topic few are masked. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { maskSecrets } from '../../../src/core/rules/distill-secrets.ts'

const linesOf = (name: string) =>
  readFileSync(join(import.meta.dirname, 'said', name), 'utf8')
    .split('\n')
    .filter(Boolean)

const secretLines = linesOf('secret-lines.txt').map((line) => {
  const [said = '', secret = ''] = line.split(' | ')
  return { said, secret }
})

test('no secret of the lines that hold one is kept', () => {
  const kept = secretLines.filter(({ said, secret }) => maskSecrets(said).text.includes(secret))
  expect(kept.map(({ said }) => said)).toEqual([])
})

test('what was masked is named, and masking again changes nothing', () => {
  for (const { said } of secretLines) {
    const { text, keys } = maskSecrets(said)
    expect(keys.length).toBeGreaterThan(0)
    expect(maskSecrets(text)).toEqual({ text, keys: [] })
  }
})

test('of the lines that only speak of secrets at most 3 in 100 are masked', () => {
  const lines = linesOf('harmless-lines.txt')
  const masked = lines.filter((line) => maskSecrets(line).text !== line)
  expect(masked.length / lines.length).toBeLessThanOrEqual(0.03)
})
