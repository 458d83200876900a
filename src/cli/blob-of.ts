/**
 * The hash by which the file store compares: git's own id of the bytes. Here so that commands on files need no git.
 */
import { createHash } from 'node:crypto'

export function blobOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}
