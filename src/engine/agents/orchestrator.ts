/**
 * The orchestrator (Neo) as the engine sees it, and its turns in this process. It takes a turn when judgement is needed;
 * src/orchestrator/ implements it. The key of a handled trigger is saved with its subject, so that no trigger wakes it
 * twice. Invariants: 1. a room has one turn at a time, in the background; one that throws is retried with growing
 * pauses; 2. without an orchestrator there are no turns, and rules alone decide.
 */
import { whyOf } from '../../domain/home/error.ts'
import type { Trigger, TurnFact } from '../../domain/plan/decision.ts'
import type { Facts, Snapshot } from '../../domain/plan/snapshot.ts'
import type { ScopeAt, ScopeSpeaker } from '../../domain/policy/scope-types.ts'
import { grownWait } from '../../domain/text/grown-wait.ts'
import type { Clock } from '../../ports/world.ts'
import type { ActedLog } from '../commit/acted-log.ts'

/** One turn in a conversation, with the rights of the sender. */
export interface ScopeTurn {
  readonly scope: Pick<ScopeAt, 'name' | 'keeps' | 'folder' | 'state'>
  readonly room: string
  readonly speaker: ScopeSpeaker
  /** Each with a unique key. */
  readonly messages: readonly Trigger[]
}

/** Conversations with people; each runs one turn at a time. */
export interface ScopeOrchestrator {
  /** Throws nothing that a model can cause. Only the returned reply is shown. */
  talk(turn: ScopeTurn, signal: AbortSignal): Promise<TurnResult>
  /** Closes the conversation after the running turn; the transcript stays. */
  renew(scope: ScopeTurn['scope']): Promise<void>
  /** Stops the running turn, if any. */
  stop(scope: string): 'stopped' | 'idle'
  /** Complete transcripts. */
  closed(scope: ScopeTurn['scope']): readonly ClosedFile[]
  /** Drops it from memory after the running turn: its files were changed or removed. */
  drop(scope: string): Promise<void>
}

export interface TurnResult {
  /** `done`: `reply` may be empty. `waits`: no model or budget now; retry later. */
  readonly kind: 'done' | 'waits'
  readonly reply: string
  /** Epoch ms from which to try again; for `waits`. */
  readonly retryAt?: number
  readonly why?: string
  /** Too many turns: a message from a person ends the wait. */
  readonly brake?: 'yes'
}

export interface TurnTaker {
  /** One turn for a room over all its triggers. Throws nothing that a model can cause. */
  turn(room: string, triggers: readonly Trigger[], signal: AbortSignal): Promise<TurnResult>
  /** Complete transcripts, to be moved into their rooms. */
  closed(): readonly ClosedFile[]
}

export interface ClosedFile {
  readonly room: string
  /** File name in `rooms/<room>/transcripts/`. */
  readonly name: string
  /** Absolute path. */
  readonly path: string
}

/** Made over the daemon's Context. */
export interface Orchestrator extends TurnTaker {
  /** Absent without channels, and before it is loaded. */
  readonly scopes?: ScopeOrchestrator | undefined
  /** After each look of a round: tells clients what has changed, so that nobody waits for commits. */
  saw(snapshot: Snapshot): void
  /** After each round: tells clients what has changed, and carries out approved calls; returns how many. */
  afterRound(snapshot: Snapshot): Promise<number>
  close(): void
}

interface TurnsOptions {
  readonly acted: ActedLog
  readonly clock: Clock
  readonly changed: () => void
  readonly trouble: (room: string, why: string) => void
}

const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 3_600_000

export class Turns {
  private readonly options: TurnsOptions
  private readonly rooms = new Map<string, TurnFact>()
  private readonly failures = new Map<string, number>()
  private readonly running = new Set<Promise<void>>()
  private readonly abort = new AbortController()
  private attached: Orchestrator | null = null

  constructor(options: TurnsOptions) {
    this.options = options
  }

  /** Sets the orchestrator; before, there are no turns. */
  attach(orchestrator: Orchestrator): void {
    this.attached = orchestrator
  }

  orchestrator(): Orchestrator | null {
    return this.attached
  }

  facts(modelReady: boolean): Facts['neo'] {
    const ready = modelReady && this.attached !== null ? 'yes' : 'no'
    return {
      ready,
      turns: new Map(this.rooms),
      woken: { has: (key) => this.options.acted().get(key) !== null },
    }
  }

  start(room: string, triggers: readonly Trigger[]): void {
    const { attached } = this
    if (attached === null || this.rooms.get(room)?.kind === 'busy') return
    this.rooms.set(room, { kind: 'busy' })
    const turn = attached
      .turn(room, triggers, this.abort.signal)
      .then(
        (turned) => this.ended(room, triggers, turned),
        (error: unknown) => this.failed(room, whyOf(error)),
      )
      .finally(() => {
        this.running.delete(turn)
        this.options.changed()
      })
    this.running.add(turn)
  }

  /** A finished turn, until `settled`. */
  finished(room: string): Extract<TurnFact, { kind: 'done' }> | null {
    const fact = this.rooms.get(room)
    return fact?.kind === 'done' ? fact : null
  }

  /** Saves the keys of triggers that had their turn, and forgets it. */
  settled(room: string, woken: readonly string[]): void {
    for (const id of woken) this.options.acted().set({ id })
    this.rooms.delete(room)
  }

  /** Ends running turns and waits for them. */
  async leave(): Promise<void> {
    this.abort.abort('leave')
    await Promise.all(this.running)
    this.attached?.close()
  }

  private ended(room: string, triggers: readonly Trigger[], turned: TurnResult): void {
    this.failures.delete(room)
    if (turned.kind === 'done') this.rooms.set(room, { kind: 'done', triggers, reply: turned.reply })
    else
      this.rooms.set(room, {
        kind: 'waits',
        at: turned.retryAt ?? this.pauseEnd(room),
        why: turned.why ?? "Neo can't answer now",
        ...(turned.brake === undefined ? {} : { brake: turned.brake }),
      })
  }

  private failed(room: string, why: string): void {
    this.options.trouble(room, why)
    this.rooms.set(room, { kind: 'waits', at: this.pauseEnd(room), why })
  }

  private pauseEnd(room: string): number {
    const failures = (this.failures.get(room) ?? 0) + 1
    this.failures.set(room, failures)
    return this.options.clock.now() + grownWait({ first: FIRST_PAUSE_MS, most: LONGEST_PAUSE_MS }, failures)
  }
}
