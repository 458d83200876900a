/**
 * Writes git objects in process: no process start for a blob, a tree or a commit.
 * Takes bytes; gives object ids (SHA-1). Each object is on disk (fsync) under its final name before its id is given.
 * Where attributes or autocrlf convert a path, git itself writes the blob.
 */
import { hash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { Repository } from './repository.ts'
import { gitText } from './run.ts'

export type ObjectType = 'blob' | 'tree' | 'commit'

/** The id that git gives an object of these bytes. */
export function objectId(type: ObjectType, bytes: Buffer): string {
  return hash('sha1', Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]))
}

/** Fast: these objects are small, and are packed by git later. */
const LEVEL = 1

export function writeObject(
  repository: Pick<Repository, 'commonDir'>,
  type: ObjectType,
  bytes: Buffer,
): string {
  const oid = objectId(type, bytes)
  const dir = join(repository.commonDir, 'objects', oid.slice(0, 2))
  const path = join(dir, oid.slice(2))
  if (existsSync(path)) return oid
  mkdirSync(dir, { recursive: true })
  const temp = join(dir, `tmp_obj_${randomBytes(6).toString('hex')}`)
  try {
    writeWhole(
      temp,
      deflateSync(Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]), { level: LEVEL }),
    )
    renameSync(temp, path)
  } catch (error) {
    if (existsSync(temp)) unlinkSync(temp)
    throw error
  }
  return oid
}

function writeWhole(path: string, bytes: Buffer): void {
  const file = openSync(path, 'wx', 0o444)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Writes a blob as `git add` would store the file at this path. */
export async function writeBlob(repository: Repository, path: string, bytes: Buffer): Promise<string> {
  if (!(await converts(repository))) return writeObject(repository, 'blob', bytes)
  return gitText(repository.top, ['hash-object', '-w', '--stdin', `--path=${path}`], { input: bytes })
}

const CONVERTING = /\b(text|eol|crlf|filter|ident|working-tree-encoding)\b/
const known = new Map<string, { readonly stamp: string; readonly converts: boolean }>()

/** True where attributes or configuration may change bytes on their way into git. */
async function converts({ top, commonDir }: Repository): Promise<boolean> {
  const files = [join(top, '.gitattributes'), join(commonDir, 'info', 'attributes')]
  // The configuration itself: git writes it anew, unchanged, whenever it deletes a branch.
  const stamp = [...files.map(stampOf), textOf(join(commonDir, 'config'))].join(' ')
  const before = known.get(top)
  if (before?.stamp === stamp) return before.converts
  const attributes = files.map(textOf).some((text) => CONVERTING.test(text.replace(/^#.*$/gm, '')))
  const autocrlf = await gitText(top, ['config', '--get', 'core.autocrlf'], { ok: [0, 1] })
  const answer = attributes || (autocrlf !== '' && autocrlf !== 'false')
  known.set(top, { stamp, converts: answer })
  return answer
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? '-' : `${stat.mtimeMs}/${stat.size}`
}

function textOf(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
