/**
 * Bytes of files as text, for tools that show and change texts. Invariant 1: `bytesOf(textOf(bytes))` gives the same
 * bytes.
 */
import { redact } from '../../domain/secrets/redact.ts'

/** Bytes in which a NUL says that a file is no text. */
const LOOKED_AT = 8192
const MASK = '***'
/** A masked value in place of a secret, as redact.ts leaves it. */
const MASKED =
  /(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_ ]?key|access[-_]?key|credentials?|bearer|authorization)["']?\s?(?:=>|[=:])?\s?["']?\*\*\*(?!\*)(?=["']?(?:[\s,;)}\]]|$))|:\/\/[^\s/:@]{0,100}:\*\*\*@/gi

export function textOf(bytes: Buffer): { readonly text: string } | { readonly wrong: string } {
  if (bytes.subarray(0, LOOKED_AT).includes(0)) return { wrong: `is a binary file of ${bytes.length} bytes` }
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) }
  } catch {
    return { wrong: `is a file of ${bytes.length} bytes that is not UTF-8 text` }
  }
}

export function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'utf8')
}

/**
 * Why a text must not replace another: it has masks (`***`) in the place of secrets, because it was written from what
 * was shown of the file. Null if it may.
 */
export function maskRefusal(old: string, fresh: string): string | null {
  const why = `would get "${MASK}" instead of a secret that was masked when the file was shown`
  const hides = old !== '' && redact(old) !== old
  if (hides && count(fresh, MASK) > count(old, MASK)) return why
  return (fresh.match(MASKED)?.length ?? 0) > (old.match(MASKED)?.length ?? 0) ? why : null
}

function count(text: string, part: string): number {
  return text.split(part).length - 1
}
