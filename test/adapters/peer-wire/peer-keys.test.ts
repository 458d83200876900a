/** Keys, signatures and certificates of agents. */
import { execFileSync } from 'node:child_process'
import { createPublicKey, generateKeyPairSync, verify as verifyBytes, X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wire } from './peer-sockets.ts'

const { privateKey, publicKey } = wire.newKey()
const spki = (text: string) =>
  createPublicKey({ key: Buffer.from(text.slice(5), 'base64url'), format: 'der', type: 'spki' })

test('newKey() makes a pair whose public key is p256: and the SPKI in base64url', () => {
  expect(publicKey).toMatch(/^p256:[A-Za-z0-9_-]{122}$/)
  expect(wire.publicKeyOf(privateKey)).toBe(publicKey)
  expect(spki(publicKey).asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
})

test('sign() makes 64 bytes that verify() and node accept, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const signature = wire.sign(privateKey, text)
      const bytes = Buffer.from(signature, 'base64')
      expect(bytes).toHaveLength(64)
      expect(wire.verify(publicKey, text, signature)).toBe(true)
      expect(wire.verify(publicKey, `${text}.`, signature)).toBe(false)
      const key = { key: spki(publicKey), dsaEncoding: 'ieee-p1363' as const }
      expect(verifyBytes('sha256', Buffer.from(text), key, bytes)).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test.each([
  ['another key', wire.newKey().publicKey],
  ['no key', ''],
  ['a key with a byte cut off', publicKey.slice(0, -2)],
  ['a key in standard base64', `p256:${Buffer.from(publicKey.slice(5), 'base64url').toString('base64')}`],
  ['a key of another curve', keyText('P-384')],
  ['a key of a curve of the same size', keyText('secp256k1')],
  ['nothing but the prefix', 'p256:'],
  ['another prefix', publicKey.replace('p256', 'p257')],
])('verify() is false with %s', (_, key) => {
  expect(wire.verify(key, 'text', wire.sign(privateKey, 'text'))).toBe(false)
})

test.each(['', 'AAAA', 'A'.repeat(86), `${'A'.repeat(86)}==`, `${'é'.repeat(86)}==`, 'x'.repeat(10_000)])(
  'verify() is false for the signature %j',
  (signature) => {
    expect(wire.verify(publicKey, 'text', signature)).toBe(false)
  },
)

test('publicKeyOf() refuses what is not a P-256 private key', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const other = rsa.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const pem of ['', 'nothing', other, publicKey])
    expect(() => wire.publicKeyOf(pem)).toThrow(expect.objectContaining({ code: 'config' }))
})

test('sha256() is standard base64, as in Content-Digest', () => {
  // RFC 9530, appendix D.
  expect(wire.sha256('{"hello": "world"}\n')).toBe('RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=')
})

test('certificateOf() makes a certificate over the key that verifies itself, for ten years', async () => {
  const pem = await wire.certificateOf(privateKey, 'eng-alice')
  const certificate = new X509Certificate(pem)
  expect(certificate.publicKey.equals(spki(publicKey))).toBe(true)
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.subject).toBe('CN=eng-alice')
  expect(certificate.checkHost('eng-alice')).toBe('eng-alice')
  expect(certificate.ca).toBe(false)
  const years = (Date.parse(certificate.validTo) - Date.now()) / (365.25 * 24 * 3_600_000)
  expect(years).toBeCloseTo(10, 1)
  expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now())
})

test('certificateOf() makes what openssl reads without complaint', async () => {
  const pem = await wire.certificateOf(privateKey, 'eng-alice')
  const text = execFileSync('openssl', ['x509', '-text', '-noout'], { input: pem, encoding: 'utf8' })
  expect(text).toContain('Version: 3')
  expect(text).toContain('DNS:eng-alice')
  expect(text).toContain('ecdsa-with-SHA256')
  const again = execFileSync('openssl', ['x509', '-outform', 'DER'], { input: pem })
  expect(again.equals(new X509Certificate(pem).raw)).toBe(true)
})

test('certificateOf() refuses a name that is not a host name', async () => {
  await expect(wire.certificateOf(privateKey, 'a, O=b')).rejects.toMatchObject({ code: 'config' })
})

function keyText(namedCurve: string): string {
  const key = generateKeyPairSync('ec', { namedCurve }).publicKey
  return `p256:${key.export({ type: 'spki', format: 'der' }).toString('base64url')}`
}
