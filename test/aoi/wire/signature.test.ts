/** The signature profile against RFC 9421: one request has one reading. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  parseSignature,
  type SignedParts,
  signatureBase,
  signedHeaders,
} from '../../../src/aoi/wire/signature.ts'

const base64url = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'
const ids = 'abcdefghijklmnopqrstuvwxyz0123456789-'
const text = (letters: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...letters), minLength, maxLength })
const base64 = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((of) => Buffer.from(of).toString('base64'))
const parts: fc.Arbitrary<SignedParts> = fc.record({
  method: fc.constantFrom('GET', 'POST'),
  path: text(`${ids}/._~`, 0, 60).map((path) => `/${path}`),
  digest: base64(32),
  to: text(ids, 1, 64),
  epoch: text(base64url, 1, 64),
  created: fc.integer({ min: 1, max: 999_999_999_999 }),
  nonce: text(base64url, 16, 64),
  keyid: text(ids, 1, 64),
})

const EXAMPLE: SignedParts = {
  method: 'POST',
  path: '/aoi/v1/rpc',
  digest: 'RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=',
  to: 'qa-bob',
  epoch: 'e1',
  created: 1618884473,
  nonce: 'abcdefghijklmnop',
  keyid: 'eng-alice',
}
const SIGNATURE = Buffer.alloc(64, 7).toString('base64')
const headers = signedHeaders(EXAMPLE, SIGNATURE)
const parse = (more: Record<string, string>) =>
  parseSignature({ method: 'POST', path: '/aoi/v1/rpc', headers: { ...headers, ...more } })

test('signatureBase() is as RFC 9421 writes it', () => {
  expect(signatureBase(EXAMPLE)).toBe(
    [
      '"@method": POST',
      '"@path": /aoi/v1/rpc',
      '"content-digest": sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:',
      '"neo-to": qa-bob',
      '"neo-epoch": e1',
      '"@signature-params": ("@method" "@path" "content-digest" "neo-to" "neo-epoch");created=1618884473' +
        ';nonce="abcdefghijklmnop";keyid="eng-alice";alg="ecdsa-p256-sha256"',
    ].join('\n'),
  )
})

test('parseSignature() reads what signedHeaders() wrote', () => {
  fc.assert(
    fc.property(parts, base64(64), (given, signature) => {
      const read = parseSignature({ ...given, headers: signedHeaders(given, signature) })
      expect(read).toEqual({ kind: 'signed', parts: given, signature })
    }),
  )
})

test('no two different requests have the same signature base', () => {
  fc.assert(
    fc.property(parts, parts, (one, other) => {
      expect(signatureBase(one) === signatureBase(other)).toBe(JSON.stringify(one) === JSON.stringify(other))
    }),
  )
})

const input = headers['signature-input'] ?? ''
const MALFORMED: readonly (readonly [string, Record<string, string>])[] = [
  ['two labels', { 'signature-input': `${input}, ${input.replace('neo=', 'sig1=')}` }],
  ['the label twice', { 'signature-input': `${input}, ${input}` }],
  ['another label', { 'signature-input': input.replace('neo=', 'sig1=') }],
  ['a component less', { 'signature-input': input.replace(' "neo-epoch"', '') }],
  ['a component more', { 'signature-input': input.replace('("@method"', '("@method" "@authority"') }],
  [
    'components in another order',
    { 'signature-input': input.replace('"@method" "@path"', '"@path" "@method"') },
  ],
  ['a component with a parameter', { 'signature-input': input.replace('"@path"', '"@path";req') }],
  ['no created', { 'signature-input': input.replace(/created=\d+;/, '') }],
  ['two created', { 'signature-input': input.replace(';nonce', ';created=1;nonce') }],
  ['a created with a zero in front', { 'signature-input': input.replace('created=', 'created=0') }],
  ['a negative created', { 'signature-input': input.replace('created=', 'created=-') }],
  ['a huge created', { 'signature-input': input.replace('created=', 'created=99999') }],
  ['an expiry', { 'signature-input': `${input};expires=1` }],
  ['a short nonce', { 'signature-input': input.replace('abcdefghijklmnop', 'abc') }],
  ['a long nonce', { 'signature-input': input.replace('abcdefghijklmnop', 'a'.repeat(65)) }],
  ['a quote in the nonce', { 'signature-input': input.replace('abcdefghijklmnop', 'abcdefghijklm\\"nop') }],
  ['an id that is a path', { 'signature-input': input.replace('eng-alice', '../alice') }],
  ['an id in upper case', { 'signature-input': input.replace('eng-alice', 'Eng-Alice') }],
  ['another algorithm', { 'signature-input': input.replace('ecdsa-p256-sha256', 'hmac-sha256') }],
  ['more spaces', { 'signature-input': input.replace(';nonce', '; nonce') }],
  ['an empty input', { 'signature-input': '' }],
  ['two signatures', { signature: `neo=:${SIGNATURE}:, neo=:${SIGNATURE}:` }],
  ['a short signature', { signature: 'neo=:AAAA:' }],
  ['another digest', { 'content-digest': 'sha-512=:AAAA:' }],
  ['two digests', { 'content-digest': `${headers['content-digest']}, ${headers['content-digest']}` }],
  ['two receivers', { 'neo-to': 'qa-bob, qa-eve' }],
  ['no receiver', { 'neo-to': '' }],
  ['an epoch that is too long', { 'neo-epoch': 'e'.repeat(65) }],
]

test.each(MALFORMED)('parseSignature() refuses %s', (_, more) => {
  expect(parse(more)).toMatchObject({ kind: 'malformed' })
})

test.each([
  ['POST', '/aoi/v1/rpc?a=b'],
  ['POST', '/aoi/v1/rpc#a'],
  ['POST', 'http://x/aoi/v1/rpc'],
  ['POST', '/aoi%2fv1'],
  ['PUT', '/aoi/v1/rpc'],
  ['POST', ''],
])('parseSignature() refuses %s "%s"', (method, path) => {
  expect(parseSignature({ method, path, headers })).toMatchObject({ kind: 'malformed' })
})

test('parseSignature() knows a request without a signature', () => {
  expect(parseSignature({ method: 'POST', path: '/', headers: { 'neo-to': 'a' } })).toEqual({
    kind: 'unsigned',
  })
  expect(parseSignature({ method: 'POST', path: '/', headers: { signature: 'x' } }).kind).toBe('malformed')
})

test('parseSignature() ends soon for any header', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 16_000 }), (value) => {
      expect(parse({ 'signature-input': value }).kind).toBe('malformed')
    }),
  )
})
