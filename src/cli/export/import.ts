/**
 * `neo import FILE DIR`: restores a home from the file of an export. Like a clone, it is not trusted. Invariants: 1. the
 * home is built in a folder beside DIR, and appears there only after every hash was checked; a damaged or changed file
 * leaves nothing behind; 2. no path of the file leads out of that folder; 3. nothing in it is run.
 */

import { closeSync, fstatSync, lstatSync, mkdtempSync, openSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import { type AuditLine, brokenAt } from '../../hub/rights/audit-log.ts'
import { usage } from '../cli-failure.ts'
import { ensureFolder } from '../edit-file.ts'
import { onInterrupt } from '../signals.ts'
import type { Call } from '../spec.ts'
import { type ArchiveReader, type Entry, openArchiveReader, refused } from './archive.ts'
import { contentText } from './contents.ts'
import { type Head, refreshIndex, restoreRepository } from './export-repository.ts'
import { passphraseFor, readSeal, type Seal, type Sealing, unsealing } from './seal.ts'
import { suspicion } from './secrets.ts'
import { Staging } from './staging.ts'

export async function importHome(call: Call): Promise<number> {
  const [name = '', to = ''] = call.args
  const { cwd } = call.around
  const target = resolve(cwd, to)
  if (lstatSync(target, { throwIfNoEntry: false }) !== undefined)
    throw usage(`Cannot import into "${to}": it already exists`, `neo import ${name} NEW`)
  ensureFolder(`Cannot import into "${to}"`, target)
  const fd = opened(resolve(cwd, name), name)
  const interrupt = onInterrupt(call, 'Stopping; nothing is imported.')
  const root = mkdtempSync(join(dirname(target), `.${basename(target)}.import-`))
  try {
    const archive = openArchiveReader({ fd, size: fstatSync(fd).size, name })
    const taken = await takeAll(call, { archive, root, name, signal: interrupt.signal })
    renameSync(join(root, 'home'), target)
    printImport(call, target, { ...taken, secrets: suspicion(target, call.around.env) })
    return 0
  } finally {
    interrupt.release()
    closeSync(fd)
    rmSync(root, { recursive: true, force: true })
    call.out.progress(null)
  }
}

function opened(path: string, name: string): number {
  try {
    const fd = openSync(path, 'r')
    if (fstatSync(fd).isFile()) return fd
    closeSync(fd)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isGone = code === 'ENOENT' || code === 'ENOTDIR'
    throw new NeoError(
      isGone ? 'missing' : 'disk',
      `Cannot read "${name}": ${isGone ? 'no such file' : code === 'EACCES' ? 'permission denied' : String(code)}`,
      { next: 'neo import FILE DIR, with a file from neo export' },
    )
  }
  throw new NeoError('failed', `Cannot import "${name}": it is not a file`)
}

interface Taking {
  readonly archive: ArchiveReader
  readonly root: string
  readonly name: string
  readonly signal: AbortSignal
}

interface Taken {
  readonly files: number
  readonly state: number
  readonly sealed: 'opened' | 'left out' | 'none'
  /** Where the chain of the audit log is broken; null if it is not. */
  readonly broken: string | null
}

async function takeAll(call: Call, of: Taking): Promise<Taken> {
  const { archive, root, name, signal } = of
  const { env } = call.around
  const staging = new Staging(root, name)
  const counts = { files: 0, state: 0 }
  let sealed: Taken['sealed'] = 'none'
  for await (const entry of archive.entries()) {
    if (signal.aborted) throw new NeoError('failed', 'Import interrupted')
    if (counts.files % 100 === 0) call.out.progress(`${counts.files} files`)
    if (entry.head.kind === 'private') sealed = await takeSealed(call, { ...of, staging, entry })
    else await staging.take(entry)
    if (entry.head.kind === 'state') counts.state++
    if (entry.head.kind === 'file' || entry.head.kind === 'link') counts.files++
  }
  const home = staging.finish()
  call.out.progress('git history')
  await restoreRepository(home, { bundle: staging.bundle, head: headIn(archive.about, name) }, env)
  staging.moveState(join(home, '.git', 'neo'))
  await refreshIndex(home, env)
  return { ...counts, sealed, broken: brokenAudit(join(home, '.git', 'neo')) }
}

function headIn({ head }: ArchiveReader['about'], name: string): Head {
  const { ref, commit } = (head ?? {}) as Readonly<Record<string, unknown>>
  const isRef = ref === null || (typeof ref === 'string' && /^refs\/heads\/[\w][\w./-]*$/.test(ref))
  const isCommit = commit === null || (typeof commit === 'string' && /^[0-9a-f]{40,64}$/.test(commit))
  if (!isRef || !isCommit) throw refused(name, 'its header was changed')
  return { ref, commit }
}

interface TakingSealed extends Taking {
  readonly staging: Staging
  readonly entry: Entry
}

/** Decrypted into a file first: nothing of it is used before its tag was checked. */
async function takeSealed(call: Call, of: TakingSealed): Promise<Taken['sealed']> {
  const { entry, staging, name, root } = of
  const seal = readSeal(entry.head.seal)
  if (seal === null) throw refused(name, 'its private part is encrypted in an unknown way')
  if (call.isSet('withoutPrivate')) {
    for await (const _ of entry.body());
    return 'left out'
  }
  const opening = await unsealing(seal as Seal, await passphraseFor(call, 'once'))
  const path = join(root, 'opened')
  await staging.copy(openedBody(entry, opening, name), path)
  const fd = openSync(path, 'r')
  try {
    const inner = openArchiveReader({ fd, size: fstatSync(fd).size, name })
    for await (const one of inner.entries()) {
      if (!one.head.path.startsWith('scopes/'))
        throw refused(name, `"${one.head.path}" is not a private file`)
      await staging.take(one, 'private')
    }
  } finally {
    closeSync(fd)
    rmSync(path, { force: true })
  }
  return 'opened'
}

async function* openedBody(entry: Entry, opening: Sealing, name: string): AsyncGenerator<Buffer> {
  for await (const chunk of entry.body()) yield opening.update(chunk)
  try {
    yield opening.final()
  } catch {
    throw refused(name, 'the passphrase is wrong, or the private part was changed')
  }
}

/** Where the chain of the audit log was broken before the export; the log is imported as it is. */
function brokenAudit(dir: string): string | null {
  const files = composeFiles()
  for (const name of files.names(dir).filter((one) => /^audit.*\.jsonl$/.test(one))) {
    const read = files.read(join(dir, name), 64 * 1024 * 1024)
    const text = read.kind === 'file' ? read.bytes.toString('utf8') : ''
    const lines = text.split('\n').filter((line) => line !== '')
    try {
      const at = brokenAt(lines.map((line) => JSON.parse(line) as AuditLine))
      if (at !== null) return `${name}:${at}`
    } catch {
      return name
    }
  }
  return null
}

function printImport(call: Call, target: string, taken: Taken & { readonly secrets: string | null }): void {
  const { files, state, sealed, broken, secrets } = taken
  call.out.data('import', { home: target, files, state, private: sealed, auditBrokenAt: broken, secrets })
  call.out.line(target, `${contentText(files, state)}; all hashes are correct`)
  if (broken !== null) call.out.note(`The chain of the audit log was broken before the export: ${broken}`)
  if (sealed === 'opened') call.out.note('Private conversations are restored.')
  if (sealed === 'left out') call.out.note('Left out: private conversations (--without-private).')
  if (secrets !== null)
    call.out.note(
      `These files may contain secrets: ${secrets}. Remove the secrets and replace them with new ones.`,
    )
  call.out.note(
    `To use it, trust it first: neo trust --show --home ${target}, then neo trust --home ${target}`,
  )
  call.out.note(
    `Secrets are not exported: create ${join(target, '.env')} again, then run neo doctor --home ${target}`,
  )
}
