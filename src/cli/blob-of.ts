/** Git blob ids, computed without git. */
import { createHash } from 'node:crypto'

/** The git blob id of bytes, by which the file store compares; computed here so that such commands don't start git. */
export function blobOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
