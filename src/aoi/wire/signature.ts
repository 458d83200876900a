/**
 * HTTP message signatures (RFC 9421) in one fixed profile: these components in this order, these parameters, the label
 * `neo`. What is written otherwise is refused, so a request has exactly one reading.
 */

const COMPONENTS = '("@method" "@path" "content-digest" "neo-to" "neo-epoch")'
const ALGORITHM = 'ecdsa-p256-sha256'

/** What a signature covers. */
export interface SignedParts {
  readonly method: string
  /** Without a query: the profile has no component for it. */
  readonly path: string
  /** Standard base64 of the SHA-256 of the body. */
  readonly digest: string
  /** The agent that shall get it. */
  readonly to: string
  readonly epoch: string
  /** Epoch seconds. */
  readonly created: number
  readonly nonce: string
  /** The agent that signs. */
  readonly keyid: string
}

export type ParsedSignature =
  | { readonly kind: 'signed'; readonly parts: SignedParts; readonly signature: string }
  | { readonly kind: 'unsigned' }
  | { readonly kind: 'malformed'; readonly why: string }

interface RequestHead {
  readonly method: string
  readonly path: string
  /** Names in lower case; doubled headers are joined, and so never match. */
  readonly headers: Readonly<Record<string, string>>
}

const ID = '[a-z0-9-]{1,64}'
const METHOD = /^(?:GET|POST)$/
const PATH = /^\/[A-Za-z0-9/._~-]{0,255}$/
const DIGEST = /^sha-256=:([A-Za-z0-9+/]{43}=):$/
const TO = new RegExp(`^(${ID})$`)
const EPOCH = /^([A-Za-z0-9_-]{1,64})$/
/** 64 bytes; the last letter has no stray bits, so that a signature has one text. */
const SIGNATURE = /^neo=:([A-Za-z0-9+/]{85}[AQgw]==):$/
const INPUT = new RegExp(
  `^neo=${COMPONENTS.replaceAll(/[()]/g, '\\$&')};created=([1-9][0-9]{0,11});nonce="([A-Za-z0-9_-]{16,64})"` +
    `;keyid="(${ID})";alg="${ALGORITHM}"$`,
)

/** The text that is signed (RFC 9421, 2.5). */
export function signatureBase(parts: SignedParts): string {
  return [
    `"@method": ${parts.method}`,
    `"@path": ${parts.path}`,
    `"content-digest": sha-256=:${parts.digest}:`,
    `"neo-to": ${parts.to}`,
    `"neo-epoch": ${parts.epoch}`,
    `"@signature-params": ${paramsOf(parts)}`,
  ].join('\n')
}

export function signedHeaders(parts: SignedParts, signature: string): Readonly<Record<string, string>> {
  return {
    'content-digest': `sha-256=:${parts.digest}:`,
    'neo-to': parts.to,
    'neo-epoch': parts.epoch,
    'signature-input': `neo=${paramsOf(parts)}`,
    signature: `neo=:${signature}:`,
  }
}

function paramsOf({ created, nonce, keyid }: SignedParts): string {
  return `${COMPONENTS};created=${created};nonce="${nonce}";keyid="${keyid}";alg="${ALGORITHM}"`
}

/** `unsigned`: it has no header of a signature. */
export function parseSignature({ method, path, headers }: RequestHead): ParsedSignature {
  if (headers['signature-input'] === undefined && headers['signature'] === undefined)
    return { kind: 'unsigned' }
  const part = (name: string, pattern: RegExp) => pattern.exec(headers[name] ?? '')?.[1]
  const [, created, nonce, keyid] = INPUT.exec(headers['signature-input'] ?? '') ?? []
  if (created === undefined || nonce === undefined || keyid === undefined) return malformed('signature-input')
  const signature = part('signature', SIGNATURE)
  if (signature === undefined) return malformed('signature')
  const digest = part('content-digest', DIGEST)
  if (digest === undefined) return malformed('content-digest')
  const to = part('neo-to', TO)
  if (to === undefined) return malformed('neo-to')
  const epoch = part('neo-epoch', EPOCH)
  if (epoch === undefined) return malformed('neo-epoch')
  if (!METHOD.test(method) || !PATH.test(path)) return malformed('the path, which must have no query')
  return {
    kind: 'signed',
    parts: { method, path, digest, to, epoch, created: Number(created), nonce, keyid },
    signature,
  }
}

function malformed(what: string): ParsedSignature {
  return { kind: 'malformed', why: `Cannot read ${what}` }
}
