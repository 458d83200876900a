/**
 * `neo export FILE [--private]`: a home in one file. Invariants: 1. the file appears complete or not at all, and replaces
 * no file; 2. private conversations are in it only with `--private`, and then encrypted; 3. if the home changes during
 * the export, it starts again.
 */

import { closeSync, linkSync, openSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { counted } from '../../domain/text/counted.ts'
import { NeoError } from '../../domain/home/error.ts'
import { usage } from '../cli-failure.ts'
import { ensureFolder } from '../edit-file.ts'
import { onInterrupt } from '../signals.ts'
import { type Call, firstOf } from '../spec.ts'
import { type Opened, withWorld } from '../with-world.ts'
import { type ArchiveWriter, openArchiveWriter } from './archive.ts'
import { type Content, type Contents, contentsOf, contentText } from './contents.ts'
import { type Head, headOf, historyTrouble, writeBundle } from './export-repository.ts'
import { newSeal, passphraseFor, sealing } from './seal.ts'
import { learnHome, maskedAt, secretTrouble } from './secrets.ts'

const TRIES = 3

export async function exportHome(call: Call): Promise<number> {
  if (call.text('format') !== null) return (await import('./export-transcripts.ts')).exportTranscripts(call)
  return withWorld(call, async (opened) => {
    const { env, cwd } = call.around
    const target = resolve(cwd, firstOf(call))
    ensureFolder(`Cannot export to "${target}"`, target)
    learnHome(opened.home, opened.world.files, env)
    const trouble = (await historyTrouble(opened.home, env)) ?? (await secretTrouble(opened.home))
    if (trouble !== null)
      throw new NeoError('failed', `Cannot export the home: ${trouble.why}`, { next: trouble.next })
    const passphrase = call.isSet('private') ? await passphraseFor(call, 'twice') : null
    const made = await written(call, opened, { target, passphrase })
    printExport(call, { target, ...made })
    return 0
  })
}

interface Made {
  readonly contents: Contents
  readonly bytes: number
  readonly isPrivate: boolean
}

interface Wanted {
  readonly target: string
  readonly passphrase: string | null
}

async function written(call: Call, opened: Opened, wanted: Wanted): Promise<Made> {
  const { target } = wanted
  const part = join(dirname(target), `.${basename(target)}.${process.pid}.part`)
  const interrupt = onInterrupt(call, 'Stopping; no file is written.')
  try {
    for (let tries = 1; ; tries++) {
      const made = await once(call, opened, { ...wanted, part, signal: interrupt.signal })
      if (made !== 'changed') {
        place(part, target)
        return made
      }
      if (tries === TRIES)
        throw new NeoError('failed', 'Cannot export the home: it keeps changing', {
          next: 'stop the daemon or run neo stop --all, then run the command again',
        })
    }
  } finally {
    interrupt.release()
    for (const end of ['', '.bundle', '.sealed']) rmSync(part + end, { force: true })
    call.out.progress(null)
  }
}

/** A hard link never replaces a file. */
function place(part: string, target: string): void {
  try {
    linkSync(part, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw usage(`Cannot export to "${target}": the file already exists`, 'use another name')
    throw new NeoError('failed', `Cannot export to "${target}": ${String(error)}`, {
      next: 'use another name',
    })
  }
}

interface Once extends Wanted {
  readonly part: string
  readonly signal: AbortSignal
}

async function once(call: Call, { home, dir }: Opened, of: Once): Promise<Made | 'changed'> {
  const { env } = call.around
  const head = await headOf(home, env)
  const bundle = `${of.part}.bundle`
  call.out.progress('git history')
  if (head.commit !== null) await writeBundle(home, bundle, env)
  const contents = await contentsOf({ home, dir }, env)
  const sink = openSink(of.part, of.signal)
  const isPrivate = of.passphrase !== null
  try {
    const writer = openArchiveWriter(sink.put)
    writer.begin(aboutOf(call, { head, contents, isPrivate }))
    if (head.commit !== null) await writer.file({ kind: 'bundle', path: 'history.bundle' }, bundle)
    await addFiles(call, writer, { home, files: contents.files })
    for (const path of contents.state) await addState(writer, path, join(dir, path))
    if (of.passphrase !== null && contents.scopes.length > 0)
      await addSealed(writer, { ...of, dir, scopes: contents.scopes, passphrase: of.passphrase })
    writer.end()
  } finally {
    sink.close()
  }
  const now = await headOf(home, env)
  if (now.commit !== head.commit || now.ref !== head.ref) return 'changed'
  return { contents, bytes: sink.bytes(), isPrivate }
}

function aboutOf(
  call: Call,
  of: { readonly head: Head; readonly contents: Contents; readonly isPrivate: boolean },
): unknown {
  const { scopes } = of.contents
  return {
    at: new Date().toISOString(),
    program: call.around.version,
    head: of.head,
    private: of.isPrivate && scopes.length > 0 ? 'sealed' : 'left out',
  }
}

async function addFiles(
  call: Call,
  writer: ArchiveWriter,
  { home, files }: { readonly home: string; readonly files: readonly Content[] },
): Promise<void> {
  for (const [at, one] of files.entries()) {
    if (at % 100 === 0) call.out.progress(`${at} of ${files.length} files`)
    if (one.kind === 'link') await writer.bytes({ kind: 'link', path: one.path }, Buffer.from(one.target))
    else await writer.file({ kind: 'file', path: one.path, mode: one.mode }, join(home, one.path))
  }
}

/** An export of its own, encrypted as a whole: neither names nor sizes of private files are visible. */
async function addSealed(
  writer: ArchiveWriter,
  of: Omit<Once, 'passphrase'> & {
    readonly dir: string
    readonly scopes: readonly string[]
    readonly passphrase: string
  },
): Promise<void> {
  const seal = newSeal()
  const cipher = await sealing(seal, of.passphrase)
  const path = `${of.part}.sealed`
  const sink = openSink(path, of.signal)
  try {
    const inner = openArchiveWriter((bytes) => sink.put(cipher.update(bytes)))
    inner.begin({})
    for (const scope of of.scopes) await inner.file({ kind: 'state', path: scope }, join(of.dir, scope))
    inner.end()
    sink.put(cipher.final())
  } finally {
    sink.close()
  }
  await writer.file({ kind: 'private', path: 'scopes', seal }, path)
}

/** Masks known secrets, also in transcripts that are older than the secret's name. */
async function addState(writer: ArchiveWriter, path: string, from: string): Promise<void> {
  const masked = maskedAt(from)
  if (masked === null) await writer.file({ kind: 'state', path }, from)
  else await writer.bytes({ kind: 'state', path }, Buffer.from(masked))
}

interface Sink {
  put(bytes: Buffer): void
  bytes(): number
  close(): void
}

/** Readable by its owner only. */
function openSink(path: string, signal: AbortSignal): Sink {
  rmSync(path, { force: true })
  const fd = openSync(path, 'wx', 0o600)
  let count = 0
  return {
    put(bytes) {
      if (signal.aborted) throw new NeoError('failed', 'Export interrupted')
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
      count += bytes.length
    },
    bytes: () => count,
    close: () => closeSync(fd),
  }
}

function printExport(
  call: Call,
  { target, contents, bytes, isPrivate }: Made & { readonly target: string },
): void {
  const { files, state, scopes, left } = contents
  const sealed = isPrivate ? scopes.length : 0
  call.out.data('export', { file: target, bytes, files: files.length, state: state.length, sealed, left })
  call.out.line(target, contentText(files.length, state.length))
  for (const one of left) call.out.note(`Left out: ${one}`)
  call.out.note('Left out: .env, keys, and files that git ignores.')
  if (scopes.length === 0) return
  call.out.note(
    isPrivate
      ? `Included: ${counted(sealed, 'file')} of private conversations, encrypted with the passphrase.`
      : 'Left out: private conversations (use --private to include them).',
  )
}
