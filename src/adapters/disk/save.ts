/**
 * The atomic writer. Callers decide what to write; replace-file.ts makes sure that no bytes of others are lost, and sweeps.
 * Invariants: 1. at every instant, also after a crash, the path has the old bytes or the new ones, whole; 2. a file that
 * is not as expected stays as it is, and so does what changes in the meantime (limits: replace-file.ts); 3. after a
 * failure the old bytes are there and Neo's temp files are gone. One exception: if only the last step fails (fsync of the
 * folder), the new bytes are there and may not survive a power cut; the error says so. If that step may wait (later.ts),
 * a power cut until then may bring the old bytes back, whole.
 */
import { basename, dirname, join } from 'node:path'
import type { SaveResult } from '../../ports/files-port.ts'
import { codeOf, type DiskFs, diskError, quietly } from './fs.ts'
import { ensureFolder, type Later, syncFolder } from './later.ts'
import {
  blobId,
  hasBytes,
  isAt,
  look,
  prepare,
  putBack,
  type Replacing,
  replace,
  type Standing,
  tempName,
  waitForWriters,
} from './replace-file.ts'

export interface Save {
  readonly bytes: Buffer
  /** Blob id that must stand there, null for nothing, `any` for whatever file is there. */
  readonly expect: string | null | { readonly any: true }
  /** Mode of a new file; an existing one keeps its own. */
  readonly mode: number
  /** Mode of folders that have to be made. */
  readonly folderMode: number
  /** Takes the folder's sync; absent: it is synced before `save` returns. Bytes that replace others never wait. */
  readonly later?: Later | undefined
}

export function save(fs: DiskFs, path: string, request: Save): SaveResult {
  const opened = new Set<number>()
  const temps = new Set<string>()
  try {
    const old = look(fs, path, opened)
    if (!fits(old, request.expect)) return { kind: 'changed', hash: old.hash }
    const folder = ensureFolder(fs, dirname(path), { ...request, mode: request.folderMode })
    if (folder !== null) opened.add(folder)
    const step: Step = { path, request, old, folder, opened, temps }
    if (isAny(request.expect)) put(fs, step)
    else if (old.fd === null ? !create(fs, step) : !exchange(fs, { ...step, spare: newTemp(step) })) {
      return { kind: 'changed', hash: look(fs, path, opened).hash }
    }
    return { kind: 'saved', hash: blobId(request.bytes) }
  } catch (error) {
    throw diskError('save', path, error)
  } finally {
    for (const left of temps) quietly(() => fs.unlinkSync(left))
    for (const fd of opened) quietly(() => fs.closeSync(fd))
  }
}

/** Removes a file if its blob id is `expect`. Bytes that came in between are put back and reported as `changed`. */
export function remove(fs: DiskFs, path: string, expect: string): SaveResult {
  const opened = new Set<number>()
  try {
    const old = look(fs, path, opened)
    if (old.fd === null || old.hash !== expect) return { kind: 'changed', hash: old.hash }
    const folder = ensureFolder(fs, dirname(path), { mode: 0o777 })
    if (folder !== null) opened.add(folder)
    const temp = join(dirname(path), tempName(basename(path)))
    fs.renameSync(path, temp)
    if (!isAt(fs, temp, old) || !hasBytes(fs, old)) {
      giveBack(fs, temp, path)
      return { kind: 'changed', hash: look(fs, path, opened).hash }
    }
    quietly(() => fs.unlinkSync(temp))
    syncFolder(fs, folder, path)
    return { kind: 'saved', hash: expect }
  } catch (error) {
    throw diskError('remove', path, error)
  } finally {
    for (const fd of opened) quietly(() => fs.closeSync(fd))
  }
}

/** Writes until all is written; a write that takes nothing is a failure, not a loop. */
export function writeAll(fs: DiskFs, fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) {
    const wrote = fs.writeSync(fd, bytes, done, bytes.length - done)
    if (wrote <= 0) throw new Error(`wrote ${done} bytes, want ${bytes.length}`)
    done += wrote
  }
}

interface Step {
  readonly path: string
  readonly request: Save
  readonly old: Standing
  readonly folder: number | null
  readonly opened: Set<number>
  /** Names that have to go in the end. */
  readonly temps: Set<string>
}

function isAny(expect: Save['expect']): expect is { readonly any: true } {
  return expect !== null && typeof expect === 'object'
}

function fits(old: Standing, expect: Save['expect']): boolean {
  return isAny(expect) ? old.hash !== '' : old.hash === expect
}

function newTemp({ path, temps }: Step): string {
  const temp = join(dirname(path), tempName(basename(path)))
  temps.add(temp)
  return temp
}

/**
 * Replaces whatever file is there: for files that only this process writes. Where the sync may wait, a power cut
 * until then may leave it torn: for files that are written once, and then read as missing.
 */
function put(fs: DiskFs, step: Step): void {
  const temp = writeTemp(fs, step)
  fs.renameSync(temp, step.path)
  step.temps.delete(temp)
  step.request.later?.add(step.path)
  settle(fs, step)
}

/** A link cannot replace anything, so of two that create the same file one gets false. */
function create(fs: DiskFs, step: Step): boolean {
  const temp = writeTemp(fs, step)
  try {
    fs.linkSync(temp, step.path)
    step.temps.delete(temp)
    quietly(() => fs.unlinkSync(temp))
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') return false
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    if (look(fs, step.path, step.opened).hash !== null) return false
    fs.renameSync(temp, step.path)
    step.temps.delete(temp)
  }
  step.request.later?.add(step.path)
  settle(fs, step)
  return true
}

/** Replaces the file that was looked at, and no other. */
function exchange(fs: DiskFs, step: Step & { readonly spare: string }): boolean {
  const { request, temps } = step
  const temp = openTemp(fs, step)
  const what: Replacing = { ...step, since: prepare(fs, step) }
  fill(fs, temp.fd, step)
  if (!replace(fs, temp.name, what)) return false
  temps.delete(temp.name)
  const ours = blobId(request.bytes)
  const back = putBack(fs, ours, what)
  settle(fs, step)
  if (back) {
    temps.delete(what.spare)
    return false
  }
  // Once more: what began before the rename has ended by now.
  const late = waitForWriters(fs, what, newTemp(step))
  if (!putBack(fs, ours, late)) return true
  temps.delete(late.spare)
  settle(fs, step)
  return false
}

/** Makes the rename durable, now or later. */
function settle(fs: DiskFs, { folder, path, request: { later } }: Step): void {
  if (later === undefined) syncFolder(fs, folder, path)
  else later.add(dirname(path))
}

function writeTemp(fs: DiskFs, step: Step): string {
  const { name, fd } = openTemp(fs, step)
  fill(fs, fd, step)
  return name
}

function openTemp(fs: DiskFs, step: Step): { readonly name: string; readonly fd: number } {
  const name = newTemp(step)
  const fd = fs.openSync(name, 'wx', step.old.fd === null ? step.request.mode : 0o600)
  step.opened.add(fd)
  return { name, fd }
}

/** Files of Neo, and new ones: they are synced later, and a power cut until then may tear them. */
function mayBeTorn({ later, expect }: Save): boolean {
  return later !== undefined && (isAny(expect) || expect === null)
}

/** Afterwards the temp file has all its bytes, mode and owner, and is on the disk unless all of it may wait. */
function fill(fs: DiskFs, fd: number, { request, old, opened }: Step): void {
  writeAll(fs, fd, request.bytes)
  if (old.fd !== null) {
    const stat = fs.fstatSync(fd)
    // Only root may give a file away; for everybody else the owner stays who writes.
    if (stat.uid !== old.uid || stat.gid !== old.gid) quietly(() => fs.fchownSync(fd, old.uid, old.gid))
    fs.fchmodSync(fd, old.mode)
  }
  if (!mayBeTorn(request)) fs.fsyncSync(fd)
  const { size } = fs.fstatSync(fd)
  if (size !== request.bytes.length) throw new Error(`wrote ${size} bytes, want ${request.bytes.length}`)
  opened.delete(fd)
  fs.closeSync(fd)
}

function giveBack(fs: DiskFs, temp: string, path: string): void {
  try {
    fs.linkSync(temp, path)
    quietly(() => fs.unlinkSync(temp))
  } catch (error) {
    // A newer file is there: it wins. No links on this file system: a rename does as well.
    if (codeOf(error) === 'EEXIST') quietly(() => fs.unlinkSync(temp))
    else fs.renameSync(temp, path)
  }
}
