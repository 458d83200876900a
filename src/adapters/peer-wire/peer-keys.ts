/** P-256 keys, ECDSA signatures with SHA-256 as in RFC 9421 (`ecdsa-p256-sha256`: r and s, 64 bytes), and hashes. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto'
import { NeoError } from '../../domain/home/error.ts'
import type { PeerWire } from '../../ports/peer-port.ts'

type Keys = Pick<PeerWire, 'newKey' | 'publicKeyOf' | 'sign' | 'verify' | 'sha256'>

const PREFIX = 'p256:'
/** Keys that are parsed once: parsing costs as much as a signature. */
const MOST_PARSED = 256
/** A P-256 key in SubjectPublicKeyInfo is 91 bytes. */
const PUBLIC_KEY = /^p256:[A-Za-z0-9_-]{80,200}$/
/** 64 bytes in standard base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{86}==$/

export function peerKeys(): Keys {
  const privateKeys = new Map<string, KeyObject>()
  const publicKeys = new Map<string, KeyObject | null>()
  return {
    newKey() {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      return { privateKey: pem, publicKey: publicKeyText(publicKey) }
    },
    publicKeyOf: (pem) => publicKeyText(createPublicKey(remembered(privateKeys, pem, parsePrivate))),
    sign(pem, text) {
      const key = remembered(privateKeys, pem, parsePrivate)
      return signBytes('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64')
    },
    verify(text, signed, signature) {
      const key = remembered(publicKeys, text, parsePublic)
      if (key === null || !SIGNATURE.test(signature)) return false
      const bytes = Buffer.from(signature, 'base64')
      return verifyBytes('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, bytes)
    },
    sha256: (text) => createHash('sha256').update(text).digest('base64'),
  }
}

/** As in peer files: `p256:` and the SubjectPublicKeyInfo (DER) in base64url. */
export function publicKeyText(key: KeyObject): string {
  return PREFIX + key.export({ type: 'spki', format: 'der' }).toString('base64url')
}

export function isP256(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
}

/** Throws NeoError `config` if it is not a P-256 key. */
export function parsePrivate(pem: string): KeyObject {
  const wrong = (cause?: unknown) =>
    new NeoError('config', 'Cannot read the agent key: it is not a P-256 private key (PEM, PKCS #8)', {
      cause,
    })
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch (error) {
    throw wrong(error)
  }
  if (!isP256(key)) throw wrong()
  return key
}

/** Null if it is malformed or not a P-256 key. Only the one canonical text of a key is accepted. */
function parsePublic(text: string): KeyObject | null {
  if (!PUBLIC_KEY.test(text)) return null
  try {
    const key = createPublicKey({
      key: Buffer.from(text.slice(PREFIX.length), 'base64url'),
      format: 'der',
      type: 'spki',
    })
    return isP256(key) && publicKeyText(key) === text ? key : null
  } catch {
    return null
  }
}

function remembered<T>(known: Map<string, T>, text: string, parse: (text: string) => T): T {
  const before = known.get(text)
  if (before !== undefined) return before
  const made = parse(text)
  const [oldest] = known.keys()
  if (known.size >= MOST_PARSED && oldest !== undefined) known.delete(oldest)
  known.set(text, made)
  return made
}
