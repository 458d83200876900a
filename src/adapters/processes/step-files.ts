/**
 * The files of a step's folder and what they mean together: `claim` (who supervises), `began` (its time: the command
 * starts), `out`, `exit` (code and newline), `stopped` (why we ended it). Invariant 1: `stopped` beats `exit`: every
 * reader of the two files says the same. Invariant 2: an exit code counts only with its newline; without it, it is as if
 * absent. Invariant 3: `lost` is said only after the supervisor was found dead and the other files were read once more.
 */
import { isUtf8 } from 'node:buffer'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { maskKnown } from '../../domain/secrets/known-secrets.ts'
import { redact } from '../../domain/secrets/redact.ts'
import type { ProcessId } from '../../ports/process-port.ts'
import { codeOf, syncFile } from '../disk/fs.ts'
import { alive, supervises } from './process-table.ts'

export type StopReason = 'timeout' | 'output-limit' | 'stopped'

export type StepState =
  | { readonly kind: 'absent' }
  /** `claim` is null for the moment in which the supervisor has made the file but not filled it. */
  | { readonly kind: 'running'; readonly claim: ProcessId | null }
  | { readonly kind: 'ended'; readonly exitCode: number }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  | { readonly kind: 'lost' }

const TAIL_BYTES = 4096
/** Read before the tail as well, so that a secret that the cut would halve is seen whole and redacted. */
const TAIL_MARGIN = 4096

/**
 * Reads what a step is. Never throws for missing or torn files.
 * @param before the claim of a supervisor that looked dead: it may have ended between two reads, or have filled it since
 */
export function readStep(dir: string, before?: string): StepState {
  const over = readOver(dir)
  if (over !== null) return over
  const claim = text(join(dir, 'claim'))
  if (claim === null) return { kind: 'absent' }
  if (claim === before) return { kind: 'lost' }
  const id = parseClaim(claim)
  const lives = before !== undefined || (id === null ? supervises(dir) : alive(id))
  return lives ? { kind: 'running', claim: id } : readStep(dir, claim)
}

/** The supervisor that a step's claim names; null without a whole claim. */
export function readClaim(dir: string): ProcessId | null {
  return parseClaim(text(join(dir, 'claim')) ?? '')
}

/**
 * Makes a step's folder, for the owner alone. The supervisor syncs it and the two above it; what is new above them is
 * durable.
 */
export function makeStepDir(dir: string): void {
  const first = mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (first === undefined || first === dir) return
  for (let made = dirname(dir); made !== first; made = dirname(made)) syncPath(dirname(dirname(made)))
}

/** Writes durably why we end a step, once: an earlier reason stays. Throws if the disk refuses. */
export function writeStopped(dir: string, reason: StopReason): void {
  let file: number
  try {
    file = openSync(join(dir, 'stopped'), 'wx', 0o600)
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return
    throw cause
  }
  try {
    writeSync(file, `${reason}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  syncPath(dir)
}

/** Makes sure that an exit code that was read is on disk, so that what follows from it never outlives it. */
export async function keepExit(dir: string): Promise<void> {
  await Promise.all([join(dir, 'exit'), dir].map(syncFile))
}

/** Bytes of output so far. */
export function outputSize(dir: string): number {
  return stat(join(dir, 'out'))?.size ?? 0
}

/** Gives back the disk space of a flood beyond the limit. */
export function cutOutput(dir: string, limit: number): void {
  if (outputSize(dir) > limit) truncateSync(join(dir, 'out'), limit)
}

/** Masks known secrets in the output of a step that has ended: what is on disk is what people and models are shown. */
export function maskOutput(dir: string): void {
  const path = join(dir, 'out')
  const bytes = bytesOf(path)
  if (bytes === null) return
  // What isn't text keeps its other bytes: one character is one byte there.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  const output = bytes.toString(encoding)
  const shown = maskKnown(output)
  if (shown !== output) writeFileSync(path, Buffer.from(shown, encoding))
}

/** Times of files come from a clock that is up to one tick of the slowest kernels behind. */
const TICK_MS = 10
/** Where the disk was too full for `began`: the supervisor's own work before the command takes less. */
const BEFORE_COMMAND_MS = 5000

/** Epoch ms at which the command started, never before it did; null before it starts. */
export function beganAt(dir: string): number | null {
  const began = stat(join(dir, 'began'))
  if (began !== null) return began.mtimeMs + TICK_MS
  const claim = stat(join(dir, 'claim'))
  return claim === null ? null : claim.mtimeMs + BEFORE_COMMAND_MS
}

/** Milliseconds between the claim and the end, by the files' times. */
export function duration(dir: string): number {
  const start = stat(join(dir, 'claim'))?.mtimeMs
  const end = (stat(join(dir, 'stopped')) ?? stat(join(dir, 'exit')))?.mtimeMs
  return start === undefined || end === undefined ? 0 : Math.max(0, Math.round(end - start))
}

/** The end of the output, redacted, at most 4 KiB, cut between characters. */
export function tailOf(dir: string): string {
  let file: number
  try {
    file = openSync(join(dir, 'out'), 'r')
  } catch {
    return ''
  }
  try {
    const { size } = fstatSync(file)
    const want = Math.min(size, TAIL_BYTES + TAIL_MARGIN)
    const bytes = Buffer.alloc(want)
    const got = readSync(file, bytes, 0, want, size - want)
    return lastBytes(redact(bytes.subarray(0, got).toString('utf8')))
  } finally {
    closeSync(file)
  }
}

function lastBytes(value: string): string {
  const bytes = Buffer.from(value)
  let from = Math.max(0, bytes.length - TAIL_BYTES)
  while (from > 0 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1
  return bytes.subarray(from).toString('utf8')
}

function readOver(dir: string): StepState | null {
  const stopped = text(join(dir, 'stopped'))
  if (stopped !== null) return { kind: 'stopped', reason: reasonOf(stopped.trim()) }
  const exit = /^(\d{1,3})\n$/.exec(text(join(dir, 'exit')) ?? '')
  return exit === null ? null : { kind: 'ended', exitCode: Number(exit[1]) }
}

function reasonOf(value: string): StopReason {
  return value === 'timeout' || value === 'output-limit' ? value : 'stopped'
}

function parseClaim(value: string): ProcessId | null {
  const found = /^\{"pid":(\d+),"startTime":"([^"]*)","bootId":"([^"]*)"\}\n$/.exec(value)
  if (found === null) return null
  return { pid: Number(found[1]), startTime: found[2] ?? '', bootId: found[3] ?? '' }
}

function text(path: string): string | null {
  return bytesOf(path)?.toString('utf8') ?? null
}

function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

function stat(path: string): { readonly size: number; readonly mtimeMs: number } | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null
}

function syncPath(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
