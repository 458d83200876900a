/** A self-signed TLS certificate (X.509 v3, RFC 5280) over a P-256 key, written as DER. */
import { createPublicKey, randomBytes, sign } from 'node:crypto'
import { NeoError } from '../../domain/home/error.ts'
import { parsePrivate } from './peer-keys.ts'

export interface SelfSigned {
  /** PEM, PKCS #8. */
  readonly privateKey: string
  /** Host name, also the subject. */
  readonly name: string
  readonly from: Date
  readonly until: Date
}

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
} as const

const OID = {
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  commonName: [0x55, 0x04, 0x03],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
} as const

const HOST_NAME = /^[A-Za-z0-9.-]{1,64}$/
const YEAR_MS = 365.25 * 24 * 3_600_000
/** Machines whose clock is behind ours must not refuse it. */
const BEFORE_MS = 24 * 3_600_000

export function tenYears(now: number): { readonly from: Date; readonly until: Date } {
  return { from: new Date(now - BEFORE_MS), until: new Date(now + 10 * YEAR_MS) }
}

/** PEM. Throws NeoError `config` if the key is not a P-256 key or the name is not a host name. */
export function selfSigned({ privateKey, name, from, until }: SelfSigned): string {
  if (!HOST_NAME.test(name)) {
    throw new NeoError('config', `Cannot make a certificate: "${name}" is not a host name`)
  }
  const key = parsePrivate(privateKey)
  const algorithm = der(TAG.sequence, der(TAG.oid, Buffer.from(OID.ecdsaWithSha256)))
  const subject = der(
    TAG.sequence,
    der(
      TAG.set,
      der(TAG.sequence, der(TAG.oid, Buffer.from(OID.commonName)), der(TAG.utf8, Buffer.from(name))),
    ),
  )
  const body = der(
    TAG.sequence,
    der(TAG.version, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, serialNumber()),
    algorithm,
    subject,
    der(TAG.sequence, time(from), time(until)),
    subject,
    createPublicKey(key).export({ type: 'spki', format: 'der' }),
    der(TAG.extensions, der(TAG.sequence, ...extensions(name))),
  )
  const signature = bits(sign('sha256', body, key))
  const lines =
    der(TAG.sequence, body, algorithm, signature)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

/** Not for signing other certificates; valid for its name. */
function extensions(name: string): readonly Buffer[] {
  const critical = der(TAG.boolean, Buffer.from([0xff]))
  return [
    der(
      TAG.sequence,
      der(TAG.oid, Buffer.from(OID.basicConstraints)),
      critical,
      der(TAG.octets, der(TAG.sequence)),
    ),
    der(
      TAG.sequence,
      der(TAG.oid, Buffer.from(OID.subjectAltName)),
      der(TAG.octets, der(TAG.sequence, der(TAG.dnsName, Buffer.from(name)))),
    ),
  ]
}

/** Positive, and its first byte is not zero: the shortest form, as DER wants. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}

/** RFC 5280, 4.1.2.5: UTCTime up to 2049, GeneralizedTime from then on. */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return date.getUTCFullYear() < 2050
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(digits))
}

function bits(bytes: Buffer): Buffer {
  return der(TAG.bits, Buffer.from([0]), bytes)
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}
