/**
 * The id that git gives bytes (SHA-1 of `blob <length>\0` and the bytes): the hash by which files are compared here,
 * because git already knows it for every committed version.
 */
import { createHash } from 'node:crypto'

/** 40 hexadecimal digits; equal to `git hash-object --no-filters`. */
export function blobId(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
