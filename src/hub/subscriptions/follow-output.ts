/**
 * What the steps of a session write while they run, for those who listen to `session:ID:output`. Invariant 1: secrets are
 * masked before anybody gets a piece: only whole lines are masked and told, and a private key is masked until its end.
 * Invariant 2: a flood costs no more than its end: what is skipped is counted, not read. Invariant 3: folders are looked
 * at only while somebody listens. When the session has ended, its folders are gone; its transcript has the end of each.
 */
import { join } from 'node:path'
import { redact } from '../../domain/secrets/redact.ts'
import type { HubEnv } from '../env.ts'

/** A piece of what a step wrote. */
export interface OutputPiece {
  /** As `call` of the transcript names it, or `tool-<turn>-<call>` for a command of an agent. */
  readonly step: string
  readonly text: string
  /** Bytes that were left out before it. */
  readonly skipped: number
}

export interface Outputs {
  follow(id: string): void
  /** The end of what each step has written so far. */
  state(id: string): readonly OutputPiece[]
  close(): void
}

const LOOK_MS = 150
/** Of a step that has written before somebody listens. */
const FIRST_BYTES = 64 * 1024
/** Of one look. What is before it is skipped. */
const MOST_BYTES = 256 * 1024
/** A line without an end is sent after this many looks without a change. */
const PATIENT_LOOKS = 7
const STEP = /^[\w.-]{1,100}$/

export function openOutputs(env: HubEnv): Outputs {
  const sessions = new Map<string, SessionOutput>()
  let cancel: (() => void) | null = null

  function look(): void {
    cancel = null
    const known = new Set(env.channels.names())
    for (const [id, output] of sessions) {
      if (!known.has(channelOf(id))) sessions.delete(id)
      else if (env.channels.listens(channelOf(id))) tell(id, output)
    }
    if ([...sessions.keys()].some((id) => env.channels.listens(channelOf(id)))) again()
  }

  function tell(id: string, output: SessionOutput): void {
    for (const piece of output.read()) env.channels.publish(channelOf(id), piece)
  }

  function again(): void {
    cancel ??= env.context.world.clock.after(LOOK_MS, look)
  }

  return {
    follow(id) {
      const known = sessions.get(id)
      // What was written while nobody listened comes first, for those who come back.
      if (known === undefined) sessions.set(id, new SessionOutput(env, id))
      else tell(id, known)
      again()
    },
    state: (id) => sessions.get(id)?.ends() ?? [],
    close() {
      cancel?.()
      sessions.clear()
    },
  }
}

function channelOf(id: string): string {
  return `session:${id}:output`
}

class SessionOutput {
  private readonly steps = new Map<string, StepOutput>()
  private readonly env: HubEnv
  private readonly dir: string

  constructor(env: HubEnv, id: string) {
    this.env = env
    this.dir = join(env.context.dir, 'sessions', id, 'steps')
    this.read()
  }

  read(): readonly OutputPiece[] {
    const { files } = this.env.context.world
    return files
      .names(this.dir)
      .filter((step) => STEP.test(step))
      .flatMap((step) => {
        const output = this.steps.get(step) ?? new StepOutput(this.env, join(this.dir, step, 'out'))
        this.steps.set(step, output)
        const { text, skipped } = output.read()
        return text === '' && skipped === 0 ? [] : [{ step, text, skipped }]
      })
  }

  ends(): readonly OutputPiece[] {
    return [...this.steps]
      .filter(([, { end }]) => end !== '')
      .map(([step, { end, before }]) => ({ step, text: end, skipped: before }))
  }
}

class StepOutput {
  /** The last text that was sent, for later subscribers. */
  end = ''
  /** Bytes before it. */
  before = 0
  private offset: number
  private rest = Buffer.alloc(0)
  private quiet = 0
  private isInKey = false
  private readonly env: HubEnv
  private readonly path: string

  constructor(env: HubEnv, path: string) {
    this.env = env
    this.path = path
    this.offset = Math.max(0, (this.size() ?? 0) - FIRST_BYTES)
    this.before = this.offset
    // What begins in the middle of a line could be the rest of a secret.
    if (this.offset > 0) this.skipLine()
  }

  read(): Pick<OutputPiece, 'text' | 'skipped'> {
    const skipped = this.skipFlood()
    const part = this.part(MOST_BYTES)
    if (part !== null && part.length > 0) {
      this.offset += part.length
      this.quiet = 0
      this.rest = Buffer.concat([this.rest, part])
    } else this.quiet += 1
    const text = this.masked(this.lines())
    const end = this.end + text
    this.end = end.slice(-FIRST_BYTES)
    this.before += end.length - this.end.length
    return { text, skipped }
  }

  private skipFlood(): number {
    const left = (this.size() ?? 0) - this.offset
    if (left <= 2 * MOST_BYTES) return 0
    const skipped = left - MOST_BYTES + this.rest.length
    this.offset += left - MOST_BYTES
    this.rest = Buffer.alloc(0)
    this.end = ''
    this.before = this.offset
    return skipped + this.skipLine()
  }

  private skipLine(): number {
    const part = this.part(MOST_BYTES)
    const end = part?.indexOf(NEWLINE) ?? -1
    const length = end === -1 ? 0 : end + 1
    this.offset += length
    return length
  }

  /** Whole lines, or what waits for long; a progress bar ends its lines with a return. */
  private lines(): string {
    const end = Math.max(this.rest.lastIndexOf(NEWLINE), this.rest.lastIndexOf(RETURN)) + 1
    const isAll = this.rest.length - end > FIRST_BYTES || this.quiet === PATIENT_LOOKS
    const cut = isAll ? this.rest.length : end
    const text = this.rest.toString('utf8', 0, cut)
    this.rest = Buffer.from(this.rest.subarray(cut))
    return text
  }

  private masked(text: string): string {
    if (!this.isInKey && !text.includes('PRIVATE KEY')) return redact(text)
    const whole = this.isInKey ? `${KEY_BEGIN}${text}` : text
    this.isInKey = whole.lastIndexOf('-----BEGIN ') > whole.lastIndexOf('-----END ')
    return redact(whole)
  }

  private part(bytes: number): Buffer | null {
    return this.env.context.world.files.readPart(this.path, this.offset, bytes)
  }

  private size(): number | null {
    return this.env.context.world.files.stat(this.path, 'file')?.size ?? null
  }
}

const KEY_BEGIN = '-----BEGIN PRIVATE KEY-----\n'
const NEWLINE = 10
const RETURN = 13
