/** A person edits a text with masks in it: a secret comes back only where it is clear which one it is. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { restoreMasked } from '../../../src/domain/secrets/restore-masked.ts'

const REAL = `timezone: UTC
providers:
  own:
    api_key: sk-one # mine
  other:
    api_key: sk-two
http: { token: abc, more: def }
plain: yes`
const SEEN = `timezone: UTC
providers:
  own:
    api_key: *** # mine
  other:
    api_key: ***
http: { token: ***, more: *** }
plain: yes`

const edited = (change: (text: string) => string) => restoreMasked(REAL, SEEN, change(SEEN))

test('a text that was not changed gets all its secrets back', () => {
  expect(edited((text) => text)).toBe(REAL)
})

test.each<[string, (text: string) => string, (real: string) => string]>([
  ['another line was changed', (t) => t.replace('UTC', 'Asia/Tokyo'), (r) => r.replace('UTC', 'Asia/Tokyo')],
  ['a line was removed', (t) => t.replace('plain: yes', ''), (r) => r.replace('plain: yes', '')],
  ['lines were moved', (t) => `plain: yes\n${t}`, (r) => `plain: yes\n${r}`],
  [
    'a secret was replaced by a new one',
    (t) => t.replace('key: *** #', 'key: new #'),
    (r) => r.replace('sk-one', 'new'),
  ],
  [
    'a masked line is there twice',
    (t) => `${t}\n    api_key: *** # mine`,
    (r) => `${r}\n    api_key: sk-one # mine`,
  ],
  [
    'the rest of a line with two secrets was changed',
    (t) => t.replace('more: ***', 'most: ***'),
    (r) => r.replace('more: def', 'most: def'),
  ],
])('secrets come back if %s', (_, change, wanted) => {
  expect(edited(change)).toBe(wanted(REAL))
})

test.each<[string, (text: string) => string, string]>([
  [
    'the key of the line was renamed',
    (t) => t.replace('api_key: *** # mine', 'token: ***'),
    '    token: ***',
  ],
  [
    'two lines have the key, and one was changed',
    (t) => t.replace('# mine', '# ours'),
    '    api_key: *** # ours',
  ],
  ['a mask was added', (t) => t.replace('token: ***', 'token: ******'), 'http: { token: ******, more: *** }'],
  ['a mask was removed', (t) => t.replace(', more: ***', ''), 'http: { token: *** }'],
  ['a mask was written by hand', (t) => `${t}\nnew: ***`, 'new: ***'],
])('a mask stays if %s', (_, change, line) => {
  expect(edited(change).split('\n')).toContain(line)
})

test('equal lines with different secrets are not told apart', () => {
  const both = restoreMasked(
    'a:\n  key: one\nb:\n  key: two',
    'a:\n  key: ***\nb:\n  key: ***',
    'x:\n  key: ***',
  )
  expect(both).toBe('x:\n  key: ***')
})

test('a secret over several lines is left masked, as no line is known', () => {
  expect(restoreMasked('a: |\n  one\n  two\nb: 1', 'a: ***\nb: 1', 'a: ***\nb: 2')).toBe('a: ***\nb: 2')
})

test('what is saved unchanged is what was there, and no secret appears that was not in the text', () => {
  const key = fc.constantFrom('a', 'b', 'c')
  const line = fc.tuple(key, fc.constantFrom('s1', 's2', 's3'), fc.boolean())
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.array(key, { maxLength: 6 }), (lines, keys) => {
      const real = lines.map(([name, secret]) => `${name}: ${secret}`).join('\n')
      const seen = lines.map(([name, secret, hides]) => `${name}: ${hides ? '***' : secret}`).join('\n')
      const isClear = new Set(lines.map(([name]) => name)).size === lines.length
      if (isClear) expect(restoreMasked(real, seen, seen)).toBe(real)
      const other = restoreMasked(real, seen, keys.map((name) => `${name}: ***`).join('\n'))
      for (const [at, one] of other.split('\n').entries())
        if (keys.length > 0 && !one.includes('***')) {
          expect(lines.some(([name, secret, hides]) => hides && one === `${name}: ${secret}`)).toBe(true)
          expect(one.startsWith(`${keys[at]}:`)).toBe(true)
        }
    }),
  )
})
