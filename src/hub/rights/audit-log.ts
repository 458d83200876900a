/**
 * The audit log, `<git dir>/neo/audit.jsonl`: every decision of policy, one line each, chained by hash. Invariant 1:
 * each line holds the hash of the one before, so that a line taken out or changed shows. Invariant 2: no values of
 * parameters are written, only names of keys and ids, and those redacted. Invariant 3: a full file is set aside whole,
 * and the chain goes on in the next; of the files that were set aside, the newest KEPT stay.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { redact } from '../../domain/secrets/redact.ts'
import type { Files } from '../../ports/files-port.ts'
import type { Clock } from '../../ports/world.ts'
import { parseLines } from '../../store/keyed-log.ts'

export interface AuditEntry {
  /** As `neo.created_by`; a room's Neo with the room. */
  readonly who: string
  readonly method: string
  readonly act: string
  readonly room: string | null
  /** Ids that the call names. */
  readonly about: Readonly<Record<string, string>>
  readonly effect: 'allow' | 'ask' | 'deny'
  readonly rule: string
  readonly reason: string
  readonly ask?: string
  readonly approvedBy?: string
}

export interface AuditLine extends AuditEntry {
  readonly at: string
  readonly prev: string
  readonly hash: string
}

export interface Audit {
  /** On the disk before it returns (`later`: in the file, on the disk a moment after). Throws NeoError (`disk`). */
  record(entry: AuditEntry, sync?: 'later'): AuditLine
  /** The last lines, oldest first. */
  last(count: number): readonly AuditLine[]
}

/** Set aside at this size: about 20,000 decisions. */
const MOST_BYTES = 8 * 1024 * 1024
/** With the one that is written to, at most 168 MB: about 400,000 decisions. */
const KEPT = 20
/** One that was not set aside in time is, too. */
const MOST_ASIDE = 32 * MOST_BYTES
const BEGIN = '0'.repeat(64)

export function openAudit(parts: {
  files: Files
  clock: Clock
  dir: string
  blobId: (bytes: Buffer) => string
}): Audit {
  const { files, clock, dir } = parts
  const path = join(dir, 'audit.jsonl')
  let known = { bytes: -1, hash: BEGIN }

  /** Another process may have written since: then its last line is read first. */
  function tail(): { bytes: number; hash: string } {
    const bytes = files.stat(path)?.size ?? 0
    if (bytes === known.bytes) return known
    const hash =
      linesAt(files, path).at(-1)?.hash ?? (known.bytes === -1 ? lastAside(files, dir) : known.hash)
    return { bytes, hash }
  }

  return {
    record(entry, sync = undefined) {
      let at = tail()
      if (at.bytes >= MOST_BYTES) at = { bytes: setAside(parts, path), hash: at.hash }
      const said = { at: new Date(clock.now()).toISOString(), ...cleaned(entry), prev: at.hash }
      const line: AuditLine = { ...said, hash: hashOf(said) }
      const text = JSON.stringify(line)
      files.append(path, text, sync)
      known = { bytes: at.bytes + Buffer.byteLength(text) + 1, hash: line.hash }
      return line
    },
    last: (count) => linesAt(files, path).slice(-count),
  }
}

/**
 * The first line whose chain is broken, 1-based; null if the chain holds. `prev` is the hash before the first.
 * Two processes that write at one moment both follow the line before: one of the last few is followed.
 */
export function brokenAt(lines: readonly AuditLine[], prev?: string): number | null {
  const before = [prev ?? lines[0]?.prev]
  for (const [index, { hash, ...said }] of lines.entries()) {
    const follows = before.slice(-AT_ONCE).includes(said.prev)
    if (!follows || hashOf(said) !== hash) return index + 1
    before.push(hash)
  }
  return null
}

/** More processes than this do not write within one moment. */
const AT_ONCE = 8

function hashOf(said: Omit<AuditLine, 'hash'>): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex')
}

function linesAt(files: Files, path: string): readonly AuditLine[] {
  const read = files.read(path, MOST_ASIDE)
  if (read.kind !== 'file') return []
  return parseLines(read.bytes.toString('utf8')).values.filter(isLine)
}

function isLine(value: unknown): value is AuditLine {
  return typeof value === 'object' && value !== null && 'hash' in value && typeof value.hash === 'string'
}

function lastAside(files: Files, dir: string): string {
  const name = asideNames(files, dir).at(-1)
  return name === undefined ? BEGIN : (linesAt(files, join(dir, name)).at(-1)?.hash ?? BEGIN)
}

function asideNames(files: Files, dir: string): readonly string[] {
  return files
    .names(dir)
    .filter((name) => /^audit-\d{4,}\.jsonl$/.test(name))
    .toSorted((a, b) => numberOf(a) - numberOf(b))
}

/** 0 if the name has no number. Numbers continue after the last one, even if earlier files are gone. */
function numberOf(name: string): number {
  return Number(/\d+/.exec(name)?.[0] ?? 0)
}

/** Gives the size of the new, empty file. */
function setAside(
  { files, dir, blobId }: { files: Files; dir: string; blobId: (bytes: Buffer) => string },
  path: string,
): number {
  const read = files.read(path, MOST_ASIDE)
  if (read.kind !== 'file') return 0
  const number = numberOf(asideNames(files, dir).at(-1) ?? '') + 1
  const aside = join(dir, `audit-${String(number).padStart(4, '0')}.jsonl`)
  if (files.save(aside, read.bytes, null).kind === 'saved') files.remove(path, blobId(read.bytes))
  for (const name of asideNames(files, dir).slice(0, -KEPT)) {
    const old = files.read(join(dir, name), MOST_ASIDE)
    if (old.kind === 'file') files.remove(join(dir, name), blobId(old.bytes))
  }
  return 0
}

function cleaned(entry: AuditEntry): AuditEntry {
  const about = Object.fromEntries(Object.entries(entry.about).map(([key, id]) => [key, plain(id)]))
  return { ...entry, about, reason: plain(entry.reason) }
}

/** Longer ids are no ids of Neo. */
const ID_LENGTH = 200

function plain(text: string): string {
  return redact(text).slice(0, ID_LENGTH)
}
