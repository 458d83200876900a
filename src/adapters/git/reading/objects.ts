/**
 * Writes git objects in process: no process start for a blob, a tree or a commit. Invariant 1: an object is on disk
 * (fsync) before it gets its final name: `writeObject` gives its id only then; those of a batch are synced side by side
 * when it lands, which a disk does in the time of one or two.
 */
import { hash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { codeOf, syncFile } from '../../disk/fs.ts'
import type { Repository } from '../git-repository.ts'

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
    if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(dirname(temp), { recursive: true })
    return openSync(temp, 'wx', 0o444)
  }
}
