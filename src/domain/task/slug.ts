/**
 * Short names made of titles: for branches in ASCII, for files with the letters of every script. Invariant 1: a name
 * is at most `maxBytes` long in UTF-8, cut at a character's edge, without `-` at either end. Invariant 2: no known
 * secret is in it: a file name is in git, a branch name is pushed.
 */
import { maskSure } from '../secrets/known-secrets.ts'

/** File systems allow 255 bytes; id and `.md` and temp names need the rest. */
export const FILE_SLUG_BYTES = 80

/** A slug of a-z, 0-9 and `-`, for branch names; accents are taken off, other scripts left out. */
export function slugOf(title: string, maxBytes: number): string {
  const plain = maskSure(title)
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
  return cut(plain.replaceAll(/[^a-z0-9]+/g, '-'), maxBytes)
}

/** A slug of letters, marks and digits of any script, for file names. */
export function fileSlugOf(title: string, maxBytes: number = FILE_SLUG_BYTES): string {
  const plain = maskSure(title).normalize('NFC').toLowerCase()
  return cut(plain.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-').normalize('NFC'), maxBytes)
}

/** Takes `-` off the start, whole characters up to the limit, and `-` off the end. */
function cut(slug: string, maxBytes: number): string {
  let bytes = 0
  let kept = ''
  for (const char of slug.replace(/^-+/, '')) {
    bytes += bytesOf(char)
    if (bytes > maxBytes) break
    kept += char
  }
  return kept.replace(/-+$/, '')
}

/** Length of one character in UTF-8; only those outside the basic plane are two units long. */
function bytesOf(char: string): number {
  if (char.length === 2) return 4
  return char < '\u0080' ? 1 : char < '\u0800' ? 2 : 3
}
