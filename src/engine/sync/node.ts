/**
 * Which clone of a home starts work if `daemon.sync` is on and `daemon.node` names none: the one with the claim at the
 * remote (`refs/neo/node`). Invariants: 1. a daemon starts nothing before its first query, or after a sleep before the
 * next; 2. a claim is taken over only once this process has seen it unchanged for its lifetime; 3. without an answer
 * everything stays as it was: the holder continues, others wait, and a clone without any answer works by itself.
 */
import { join } from 'node:path'
import { dueAgain } from '../../domain/text/grown-wait.ts'
import { isoSecond } from '../../files/values/times.ts'
import type { ClaimText, HomeRemote } from '../../ports/remote-port.ts'
import type { World } from '../../ports/world.ts'

export interface Asked {
  readonly home: string
  readonly remote: HomeRemote
  readonly syncMs: number
  /** The clone is up to date with the remote. */
  readonly inStep: boolean
  readonly ms: number
}

interface Held {
  readonly mark: string
  readonly clone: string
  readonly host: string
}

/** `<git dir>/neo/node.json` */
interface Kept {
  readonly clone: string
  /** Marks that this clone has pushed, or was about to. */
  readonly own: readonly string[]
  readonly held: Held | null
}

/** A claim is renewed three times in its lifetime. */
const LIFETIME_MS = 15 * 60_000
const SYNCS = 6
const RELEASE_MS = 3_000
/** Attempts while others are faster. */
const TRIES = 3

export function lifetimeOf(syncMs: number): number {
  return Math.max(LIFETIME_MS, SYNCS * syncMs)
}

export interface NodeOptions extends Pick<World, 'files' | 'clock' | 'random'> {
  readonly dir: string
  readonly host: string
  /** `yes`: this process queries the remote; others use what it saved. */
  readonly asks: 'yes' | 'no'
}

export function openNode(options: NodeOptions): Node {
  return new Node(options)
}

export class Node {
  private readonly options: NodeOptions
  private askedAt = Number.NEGATIVE_INFINITY
  private renewedAt = Number.NEGATIVE_INFINITY
  /** The claim of another clone, and since when it is unchanged. */
  private seen: { readonly mark: string; readonly since: number } | null = null

  constructor(options: NodeOptions) {
    this.options = options
  }

  /** The host that starts work; null: this one. */
  elsewhere(syncMs: number | null): string | null {
    if (syncMs === null) return null
    const { asks, clock, host } = this.options
    const { clone, held } = this.kept()
    if (held !== null && held.clone !== clone)
      return held.host === host ? `${host} (another clone)` : held.host
    const now = clock.now()
    const isStale = now > dueAgain(this.askedAt, lifetimeOf(syncMs) / 2, now)
    return asks === 'yes' && isStale ? 'the host that origin names (checking)' : null
  }

  /** Queries the remote, and claims the work if nobody has it. Returns the error, or null. */
  async ask(of: Asked): Promise<string | null> {
    let wrong: string | null = null
    for (let tries = 1; tries <= TRIES; tries++) {
      const step = await this.once(of)
      if (step === 'again') continue
      wrong = step
      break
    }
    this.askedAt = this.options.clock.now()
    return wrong
  }

  private async once(of: Asked): Promise<'again' | string | null> {
    const { home, remote, ms, syncMs } = of
    const now = this.options.clock.now()
    const found = await remote.claimed({ home, ms })
    // Sync reports errors of the remote.
    if (found !== null && 'wrong' in found) return null
    if (found === null) {
      if (this.kept().held !== null) this.keep({ ...this.kept(), held: null })
      return null
    }
    if (found.kind === 'free') return this.claim(of, null)
    const isMine = this.take(found)
    if (isMine)
      return now < dueAgain(this.renewedAt, lifetimeOf(syncMs) / 3, now) ? null : this.claim(of, found.mark)
    // Also if the clock went back: a claim counts for its lifetime.
    if (this.seen?.mark !== found.mark || this.seen.since > now) this.seen = { mark: found.mark, since: now }
    const isOver = now - this.seen.since >= lifetimeOf(syncMs)
    return isOver && of.inStep ? this.claim(of, found.mark) : null
  }

  /** Saves who holds the claim. A mark with this clone's name that it did not make is from a copy of it. */
  private take({ mark, by }: { mark: string; by: Pick<ClaimText, 'clone' | 'host'> }): boolean {
    const kept = this.kept()
    const isMine = by.clone === kept.clone && kept.own.includes(mark)
    const clone = by.clone === kept.clone && !isMine ? this.newClone() : kept.clone
    const held = { mark, clone: by.clone, host: by.host }
    if (clone !== kept.clone || kept.held?.mark !== mark) this.keep({ ...kept, clone, held })
    return isMine
  }

  private async claim({ home, remote, ms }: Asked, over: string | null): Promise<'again' | string | null> {
    const { clock, host } = this.options
    const { clone } = this.kept()
    const noted = (mark: string) => {
      this.keep({ ...this.kept(), own: over === null ? [mark] : [over, mark] })
    }
    const by = { clone, host, at: isoSecond(clock.now()) }
    const done = await remote.claim({ home, by, over, noted, ms })
    if ('wrong' in done) return done.refused ? `${done.wrong}: ${UNDECIDED}` : null
    if (done.kind === 'taken') return 'again'
    this.renewedAt = clock.now()
    this.seen = null
    this.keep({ ...this.kept(), held: { mark: done.mark, clone, host } })
    return null
  }

  /** Another clone may take over at once. */
  async release(home: string, remote: HomeRemote): Promise<void> {
    const kept = this.kept()
    if (kept.held === null || kept.held.clone !== kept.clone) return
    await remote.release({ home, mark: kept.held.mark, ms: RELEASE_MS })
    this.keep({ ...kept, held: null })
  }

  private kept(): Kept {
    const read = this.options.files.readJson(this.path()) as Partial<Kept> | null
    if (typeof read?.clone !== 'string') return { clone: this.firstClone(), own: [], held: null }
    return { clone: read.clone, own: read.own ?? [], held: read.held ?? null }
  }

  private first: string | null = null

  private firstClone(): string {
    this.first ??= this.newClone()
    return this.first
  }

  /** Long enough to be unique. */
  private newClone(): string {
    const { random } = this.options
    return [1, 2, 3].map(() => random.id('s').slice(2)).join('')
  }

  private keep(kept: Kept): void {
    this.options.files.writeJson(this.path(), kept)
  }

  private path(): string {
    return join(this.options.dir, 'node.json')
  }
}

const UNDECIDED = "hosts can't agree on which one runs tasks. Set daemon.node in neo.yaml to one of them"
