/** Certificates that Neo makes itself, read back by node: whose they are, for how long, and for what not. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { peerKeys } from '../../../src/adapters/peer-wire/peer-keys.ts'
import { mismatch, seenIn } from '../../../src/adapters/peer-wire/peer-trust.ts'
import { selfSigned, tenYears } from '../../../src/adapters/peer-wire/self-signed.ts'

const { privateKey, publicKey } = peerKeys().newKey()
const FROM = new Date('2026-01-02T03:04:05Z')
const made = (of: { name?: string; from?: Date; until?: Date } = {}) =>
  new X509Certificate(
    selfSigned({
      privateKey,
      name: 'host.example',
      from: FROM,
      until: new Date('2036-01-02T03:04:05Z'),
      ...of,
    }),
  )

test.each(['a', 'localhost', 'host.example', '127.0.0.1', `${'a'.repeat(60)}.org`])(
  'selfSigned() is for %s alone, signed by its own key, and signs no other',
  (name) => {
    const certificate = made({ name })
    expect(certificate.subject).toBe(`CN=${name}`)
    expect(certificate.issuer).toBe(certificate.subject)
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(certificate.checkHost(name)).toBe(name)
    expect(certificate.checkHost(`x${name}`)).toBeUndefined()
    expect(certificate.ca).toBe(false)
    expect(seenIn(certificate).publicKey).toBe(publicKey)
  },
)

test.each(['2049-12-31T23:59:59Z', '2050-01-01T00:00:00Z', '2126-06-07T08:09:10Z'])(
  'selfSigned() is valid until %s, to the second',
  (until) => {
    const certificate = made({ until: new Date(until) })
    expect([new Date(certificate.validFrom), new Date(certificate.validTo)]).toEqual([FROM, new Date(until)])
  },
)

test('selfSigned() has a new serial number each time, which is a positive number', () => {
  const numbers = Array.from({ length: 50 }, () => made().serialNumber)
  expect(new Set(numbers).size).toBe(50)
  expect(numbers.every((one) => /^[4-7][0-9A-F]{31}$/.test(one))).toBe(true)
})

test.each(['', 'a b', 'a/b', 'ä', 'a\n', 'x'.repeat(65), '*.example'])(
  'selfSigned() refuses the name %j',
  (name) => {
    expect(() => made({ name })).toThrow('is not a host name')
  },
)

test.each([
  ['no key', 'hello'],
  [
    'another curve',
    generateKeyPairSync('ec', { namedCurve: 'secp384r1' })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString(),
  ],
])('selfSigned() refuses %s', (_, key) => {
  expect(() => selfSigned({ privateKey: key, name: 'a', from: FROM, until: FROM })).toThrow('P-256')
})

test('tenYears() begins a day before now', () => {
  const { from, until } = tenYears(FROM.getTime())
  expect([from.toISOString(), until.getUTCFullYear()]).toEqual(['2026-01-01T03:04:05.000Z', 2036])
})

test('mismatch() goes by the key or the certificate that was agreed on, and by nothing else', () => {
  const seen = seenIn(made())
  const other = seenIn(made())
  expect(mismatch({ publicKey }, seen)).toBeNull()
  expect(
    mismatch({ certificate: seen.certificate.toUpperCase().replace('SHA256', 'sha256') }, seen),
  ).toBeNull()
  expect(mismatch({ certificate: other.certificate }, seen)).toContain('another certificate')
  expect(mismatch({ publicKey: 'p256:x', certificate: seen.certificate }, seen)).toBeNull()
  expect(mismatch({ publicKey: 'p256:x' }, seen)).toContain('another key')
  expect(mismatch({ publicKey }, null)).toBe('the server has no certificate')
})
