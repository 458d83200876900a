/** Which names and values are secrets, and that each written form of one is found. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMasker } from '../../../src/domain/secrets/mask-literals.ts'
import {
  formsOf,
  isSecretName,
  isSecretValue,
  isSureSecret,
} from '../../../src/domain/secrets/secret-values.ts'

test.each([
  ...[
    'PIN',
    'WORK_KEY',
    'dbPassword',
    'apiKey',
    'API_KEY',
    'GITHUB_TOKEN',
    'github-token',
    'COOKIE',
    'a.secret',
  ],
  ...[
    'JWT',
    'DB_PW',
    'SALT',
    'WEBHOOK',
    'STRIPE_SIGNING',
    'CARD_CVC',
    'my2ndPassword',
    'KEYS',
    'PASSWORD_LENGTH',
  ],
])('isSecretName(%j)', (name) => expect(isSecretName(name)).toBe(true))

test.each([
  ...['KEY_FILE', 'TOKEN_LIMIT', 'MAX_TOKENS', 'MONKEY', 'SECRETARY', 'KEYBOARD', 'PATH', ''],
  ...['TOKEN_TYPE', 'SECRET_PATH', 'keySize', 'PASSPORT', 'LOG_TOKEN', 'NUM_KEYS', 'DEFAULT_KEY', 'AUTH_URL'],
])('isSecretName(%j) is false', (name) => {
  expect(isSecretName(name)).toBe(false)
})

test.each([
  ['PROJECT', 'garden', false],
  ['PROJECT', 'garden-house', false],
  ['PROJECT', 'two words', false],
  ['PROJECT', 'сад', false],
  ['PROJECT', 'garden2', true],
  ['PROJECT', 'a@b', true],
  ['PROJECT_KEY', 'garden', true],
])('isSureSecret(%j, %j) is %s', (name, value, is) => expect(isSureSecret(name, value)).toBe(is))

test.each([
  ...[
    '',
    'abc',
    '   ab ',
    '***',
    '$\u007bOTHER}',
    '$OTHER',
    'changeme',
    'TRUE',
    'en_US.UTF-8',
    '127.0.0.1:80',
    '::1',
  ],
  ...['~/keys', './a/b', '/etc/ssl/key.pem', 'https://host.example/path', 'host.example.com:443', 'password'],
])('isSecretValue() of any name and %j is false', (value) => {
  for (const name of ['FOO', 'API_KEY', 'PASSWORD', 'PORT']) expect(isSecretValue(name, value)).toBe(false)
})

test.each([
  ['FOO', '123', false],
  ['FOO', '1234', true],
  ['FOO', '2026', false],
  ['FOO', '1999', false],
  ['FOO', '8080', false],
  ['FOO', '5000', false],
  ['FOO', '52431', true],
  ['FOO', '-1234', false],
  ['FOO', '3.14159', false],
  ['FOO', 'ab12', true],
  ['FOO', 'abcd', false],
  ['FOO', 'abcdef', true],
  ['FOO_TIMEOUT', '52431', false],
  ['FOO_TIMEOUT', 'a1b2c3d4e5f6a7b8', true],
  ['FOO_FILE', '/srv/a1b2c3d4e5f6a7b8/x', true],
  ['FOO_URL', 'https://h.example/a1b2c3d4e5f6a7b8', true],
  ['FOO_URL', 'https://user:pw@h.example/', true],
  ['FOO_URL', 'https://token@h.example/', true],
  ['FOO_URL', 'https://:@h.example/', false],
  ['NEO_X', 'swordfish', false],
  ['NEO_X_TOKEN', 'swordfish', true],
])('isSecretValue(%j, %j) is %s', (name, value, is) => expect(isSecretValue(name, value)).toBe(is))

const hex = (text: string, between: string, before = '') =>
  [...new TextEncoder().encode(text)].map((byte) => before + byte.toString(16).padStart(2, '0')).join(between)

/** Each is put into a text of another kind. */
const WAYS: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => `x ${value} y`,
  'in JSON': (value) => JSON.stringify({ x: value }),
  'in JSON in JSON': (value) => JSON.stringify(JSON.stringify({ x: value })),
  'in an address': (value) => `https://h/?k=${encodeURIComponent(value)}&x=1`,
  'in a form': (value) => new URLSearchParams({ k: value }).toString(),
  'in quotes of a shell': (value) => `'${value.replaceAll("'", "'\\''")}'`,
  'in HTML': (value) =>
    `<b>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</b>`,
  'in an attribute': (value) =>
    `<a x="${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')}">`,
  'in base 64': (value) => Buffer.from(value).toString('base64'),
  'in base 64 for addresses': (value) => Buffer.from(value).toString('base64url'),
  'in base 64 of a longer text': (value) => Buffer.from(`user:${value}:more text`).toString('base64'),
  'in base 64 with a line end': (value) => Buffer.from(`${value}\n`).toString('base64'),
  'in hex': (value) => hex(value, ''),
  'in hex in capitals': (value) => hex(value, ' ').toUpperCase(),
  'in hex with colons': (value) => hex(value, ':'),
  'in a string of a program': (value) => hex(value, '', '\\x'),
}

test.each(Object.keys(WAYS))('a value is found %s, whatever it is', (way) => {
  const value = fc
    .string({ unit: fc.constantFrom(...'abcXYZ0189_-+/&<>"\'$ é漢'), minLength: 9, maxLength: 30 })
    .filter((text) => text.trim() === text)
  fc.assert(
    fc.property(value, (secret) => {
      const text = WAYS[way]?.(secret) ?? ''
      const masked = openMasker(formsOf(secret)).mask(text)
      expect(masked).toContain('***')
      expect(masked).not.toContain(secret)
    }),
  )
})

test('a value of several lines is found line by line, without its frame and its short lines', () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${'a1B2'.repeat(16)}\nshort\n${'c3D4'.repeat(8)}\n-----END PRIVATE KEY-----`
  const { mask } = openMasker(formsOf(key))
  expect(mask(`x ${'c3D4'.repeat(8)} y`)).toBe('x *** y')
  expect(mask('short -----BEGIN PRIVATE KEY-----')).toBe('short -----BEGIN PRIVATE KEY-----')
  expect(mask(Buffer.from(key).toString('base64').slice(0, 76))).toContain('***')
})

test('no form is shorter than four characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (value) => {
      for (const form of formsOf(value)) expect(form.length).toBeGreaterThanOrEqual(4)
    }),
  )
})
