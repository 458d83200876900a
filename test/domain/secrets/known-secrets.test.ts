/** Masking by value: which values of an environment are secrets, in which forms they are found, whole and streamed. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import {
  callPlain,
  learnSecrets,
  maskKnown,
  maskSure,
  maskSureIn,
} from '../../../src/domain/secrets/known-secrets.ts'
import { openMasker, openMaskStream } from '../../../src/domain/secrets/mask-literals.ts'
import { redactStream } from '../../../src/domain/secrets/redact.ts'
import { formsOf, isSecretValue } from '../../../src/domain/secrets/secret-values.ts'
import { learnSettingsText } from '../../../src/files/config/config-secrets.ts'

const SECRET: readonly (readonly [string, string])[] = [
  ['PIN', '4711'],
  ['DOOR', '4711'],
  ['WORK_KEY', 'abcd'],
  ['dbPassword', 'shop'],
  ['FOO', 'hunter2'],
  ['FOO', 'swordfish'],
  ['MOTTO', 'two words'],
  ['DATABASE_URL', 'postgres://u:pw@db/x'],
  ['HOOK_URL', 'https://hooks.example/T0001/B0002abcd/x9Yk2mQpLr7sTu4vWz'],
  ['API_HOST', 'a9Yk2mQpLr7sTu4vWz1'],
  ['NEO_TELEGRAM__TOKEN', 'swordfish'],
  ['NEO_NODE', 'a9Yk2mQpLr7sTu4vWz1'],
]
const PLAIN: readonly (readonly [string, string])[] = [
  ['NODE_ENV', 'test'],
  ['PORT', '4000'],
  ['PIN', '12'],
  ['DEBUG', 'true'],
  ['FOO', 'true'],
  ['SECRET', 'false'],
  ['FOO', 'localhost'],
  ['FOO', '/usr/local/bin'],
  ['FOO', '2026'],
  ['LANG', 'en_US.UTF-8'],
  ['MAX_TOKENS', '4000'],
  ['KEY_FILE', '/run/secrets/key.pem'],
  ['BASE_URL', 'http://127.0.0.1:4010/v1'],
  ['APP_NAME', 'bookshop'],
  ['SSH_AUTH_SOCK', '/tmp/agent.17'],
  ['VERSION', '1.10.2'],
  ['TOKEN', '$OTHER'],
  ['NEO_NODE', 'second'],
  ['NEO_AGENTS__DEFAULT__WORKER', 'exec:claude'],
]

test.each(SECRET)('isSecretValue() is true of %s=%s', (name, value) => {
  expect(isSecretValue(name, value)).toBe(true)
})

test.each(PLAIN)('isSecretValue() is false of %s=%s', (name, value) => {
  expect(isSecretValue(name, value)).toBe(false)
})

const VALUE = `qu"ote d\\o'llar & $5 ü`
const forms: Readonly<Record<string, string>> = {
  plain: VALUE,
  'in JSON': JSON.stringify({ a: VALUE }),
  'in JSON in JSON': JSON.stringify(JSON.stringify([VALUE])),
  'in an address': `https://x.example/?q=${encodeURIComponent(VALUE)}`,
  'in a form': new URLSearchParams({ a: 'ab cd ef' }).toString(),
  'in base64': Buffer.from(VALUE).toString('base64'),
  'in base64url': Buffer.from(VALUE).toString('base64url'),
  'inside longer base64': Buffer.from(`user:${VALUE}:x`).toString('base64'),
  'in hex': Buffer.from(VALUE).toString('hex'),
  'in single quotes': VALUE.replaceAll("'", "'\\''"),
  'in double quotes': VALUE.replaceAll(/["\\$`]/g, '\\$&'),
  'in HTML': VALUE.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
}

beforeAll(() => {
  learnSecrets({ VALUE, SPACED: 'ab cd ef', PIN: '4711', APP_TITLE: 'Otter Shop 9' })
  learnSettingsText(
    'KEY="-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGXb0mVxq\nAwEHoUQDQgAEJ0\n-----END EC PRIVATE KEY-----"\n{"inner": "json-Value-77",\n',
  )
})

test.each(Object.keys(forms))('a value is masked %s', (form) => {
  const shown = maskKnown(`before ${forms[form]} after`)
  expect(shown).toMatch(/^before .*\*\*\*.* after$/)
  expect(shown).not.toMatch(/ote d|ab[ +]cd|b3RlIGRc/)
})

test('a key is masked line by line, and values of other files of settings too', () => {
  expect(maskKnown('x MHcCAQEEIIGXb0mVxq y\nAwEHoUQDQgAEJ0\njson-Value-77')).toBe('x *** y\n***\n***')
})

test('a short value is masked where it stands alone, not inside a longer number', () => {
  expect(maskKnown('pin=4711, e4711; 147112 471.1')).toBe('pin=***, e***; 147112 471.1')
})

test('a name that a person calls plain is not masked, and is again when the list is empty', () => {
  callPlain(['APP_TITLE'])
  expect(maskKnown('Otter Shop 9')).toBe('Otter Shop 9')
  callPlain([])
  expect(maskKnown('Otter Shop 9')).toBe('***')
})

test('a stream shows what the whole text shows, however it is cut', () => {
  const literals = ['abc', 'abcdef', 'defabcab', 'bcd efgh ij', 'aaaaaaaaab', 'ccab']
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', ' ', ...literals),
    maxLength: 30,
  })
  const masker = openMasker(literals)
  const law = fc.property(text, fc.array(fc.nat(8), { minLength: 1, maxLength: 9 }), (whole, sizes) => {
    const stream = openMaskStream(() => masker)
    let shown = ''
    for (let at = 0, turn = 0; at < whole.length; turn += 1) {
      const size = (sizes[turn % sizes.length] ?? 0) + 1
      shown += stream.push(whole.slice(at, at + size))
      at += size
    }
    expect(shown + stream.end()).toBe(masker.mask(whole))
  })
  fc.assert(law, { seed: 8, numRuns: 2000 })
})

test('redactStream() shows no half of a value or of a token', () => {
  const shown: string[] = []
  const stream = redactStream((text) => shown.push(text))
  for (const char of `say ${VALUE} and ghp_${'a1'.repeat(12)} now`) stream.push(char)
  stream.end()
  expect(shown.join('')).toBe('say *** and *** now')
})

test('a text of one megabyte is masked in one pass, whatever the values are', () => {
  const values = Array.from({ length: 200 }, (_, at) => `${at * 7919}${'ab'.repeat(20 + at)}${at}`)
  const masker = openMasker(values.flatMap((value) => [...formsOf(value)]))
  const text = `${7 * 7919}${'ab'.repeat(26)}x`.repeat(16 * 1024)
  expect(masker.mask(text) === text).toBe(true)
})

test('a plain word under a name that says nothing stays readable in names and titles', () => {
  learnSecrets({ PROJECT: 'winter-garden', SEED_WORD: 'periwinkle', DOOR: 'gate88' })
  const text = 'rooms/winter-garden/periwinkle-gate88.md'
  expect(maskKnown(text)).toBe('rooms/***/***-***.md')
  expect(maskSure(text)).toBe('rooms/winter-garden/***-***.md')
  expect(maskSureIn([{ [text]: text }])).toEqual([{ [maskSure(text)]: maskSure(text) }])
})
