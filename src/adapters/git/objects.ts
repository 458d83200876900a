/**
 * Writes git objects in process: no process start for a blob, a tree or a commit.
 * Takes bytes; gives object ids (SHA-1). Where attributes or autocrlf convert a path, git itself writes the blob.
 * Invariant 1: an object is on disk (fsync) before it gets its final name: `writeObject` gives its id only then; those of
 * a batch are synced side by side when it lands, which a disk does in the time of one or two.
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
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import type { Repository } from './repository.ts'
import { gitText } from './run.ts'
import { syncFile } from './sync-file.ts'

export type ObjectType = 'blob' | 'tree' | 'commit'

/** The id that git gives an object of these bytes. */
export function objectId(type: ObjectType, bytes: Buffer): string {
  return hash('sha1', Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]))
}

/** Fast: these objects are small, and are packed by git later. */
const LEVEL = 1

type Store = Pick<Repository, 'commonDir'>

export function writeObject(repository: Store, type: ObjectType, bytes: Buffer): string {
  const oid = objectId(type, bytes)
  const { path, temp } = pathsOf(repository, oid)
  if (existsSync(path)) return oid
  try {
    const file = writeTemp(temp, type, bytes)
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temp, path)
  } catch (error) {
    if (existsSync(temp)) unlinkSync(temp)
    throw error
  }
  return oid
}

/** Objects that are wanted together, none before all are on disk. */
export interface Batch {
  /** Gives the id at once; git finds the object once the batch has landed. */
  add(type: ObjectType, bytes: Buffer): string
  land(): Promise<void>
  /** Takes away what has not landed. */
  drop(): void
}

/** Open at once: a first commit of many files must not run out of handles. */
const SIDE_BY_SIDE = 32

export function openBatch(repository: Store): Batch {
  const waiting = new Map<string, { readonly path: string; readonly temp: string }>()
  return {
    add(type, bytes) {
      const oid = objectId(type, bytes)
      const paths = pathsOf(repository, oid)
      if (waiting.has(oid) || existsSync(paths.path)) return oid
      waiting.set(oid, paths)
      closeSync(writeTemp(paths.temp, type, bytes))
      return oid
    },
    async land() {
      const temps = [...waiting.values()].map(({ temp }) => temp)
      for (let at = 0; at < temps.length; at += SIDE_BY_SIDE)
        await Promise.all(temps.slice(at, at + SIDE_BY_SIDE).map(syncFile))
      for (const [oid, { temp, path }] of waiting) {
        renameSync(temp, path)
        waiting.delete(oid)
      }
    },
    drop() {
      for (const { temp } of waiting.values()) rmSync(temp, { force: true })
      waiting.clear()
    },
  }
}

function pathsOf({ commonDir }: Store, oid: string): { readonly path: string; readonly temp: string } {
  const dir = join(commonDir, 'objects', oid.slice(0, 2))
  return { path: join(dir, oid.slice(2)), temp: join(dir, `tmp_obj_${randomBytes(6).toString('hex')}`) }
}

/** Gives the handle of the file, which is whole but not synced. */
function writeTemp(temp: string, type: ObjectType, bytes: Buffer): number {
  const packed = deflateSync(Buffer.concat([Buffer.from(`${type} ${bytes.length}\0`), bytes]), {
    level: LEVEL,
  })
  const file = openTemp(temp)
  try {
    for (let at = 0; at < packed.length; ) at += writeSync(file, packed, at)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** The folder is there but for the first objects of a repository. */
function openTemp(temp: string): number {
  try {
    return openSync(temp, 'wx', 0o444)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    mkdirSync(dirname(temp), { recursive: true })
    return openSync(temp, 'wx', 0o444)
  }
}

/** Writes a blob as `git add` would store the file at this path. */
export async function writeBlob(
  repository: Repository,
  of: { readonly path: string; readonly bytes: Buffer; readonly batch: Batch },
): Promise<string> {
  const { path, bytes, batch } = of
  if (!(await converts(repository))) return batch.add('blob', bytes)
  return gitText(repository, ['hash-object', '-w', '--stdin', `--path=${path}`], { input: bytes })
}

const CONVERTING = /\b(text|eol|crlf|filter|ident|working-tree-encoding)\b/
const known = new Map<string, { readonly stamp: string; readonly converts: boolean }>()

/** True where attributes or configuration may change bytes on their way into git. */
export async function converts(repository: Repository): Promise<boolean> {
  const { top, commonDir } = repository
  const files = [join(top, '.gitattributes'), join(commonDir, 'info', 'attributes')]
  // The configuration itself: git writes it anew, unchanged, whenever it deletes a branch.
  const stamp = [...files.map(stampOf), textOf(join(commonDir, 'config'))].join(' ')
  const before = known.get(top)
  if (before?.stamp === stamp) return before.converts
  const attributes = files.map(textOf).some((text) => CONVERTING.test(text.replace(/^#.*$/gm, '')))
  const autocrlf = await gitText(repository, ['config', '--get', 'core.autocrlf'], { ok: [0, 1] })
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
