/** Whether a certificate is the peer's. A pinned key or certificate may be expired: the pin is what was agreed on. */
import type { X509Certificate } from 'node:crypto'
import type { PeerTrust } from '../../ports/peer-port.ts'
import { isP256, publicKeyText } from './peer-keys.ts'

export interface SeenCertificate {
  readonly publicKey: string | null
  /** `sha256:` and 64 hex digits. */
  readonly certificate: string
}

export function isPinned(trust: PeerTrust): boolean {
  return trust.publicKey !== undefined || trust.certificate !== undefined
}

export function seenIn(certificate: X509Certificate): SeenCertificate {
  const hex = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  return { publicKey: keyOf(certificate), certificate: `sha256:${hex}` }
}

/** Null if it is the peer's; else why not. */
export function mismatch(trust: PeerTrust, seen: SeenCertificate | null): string | null {
  if (seen === null) return 'the server has no certificate'
  if (trust.publicKey !== undefined && trust.publicKey === seen.publicKey) return null
  if (trust.certificate !== undefined && trust.certificate.toLowerCase() === seen.certificate) return null
  const what = trust.publicKey === undefined ? 'certificate' : 'key'
  return `the server has another ${what} than the file of this agent (${seen.publicKey ?? seen.certificate})`
}

/** Keys of other kinds can't be a peer's. */
function keyOf({ publicKey }: X509Certificate): string | null {
  return isP256(publicKey) ? publicKeyText(publicKey) : null
}
