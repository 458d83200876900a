/**
 * Keeps memory up beside a running daemon: syncs at times and after changes, and says how it is in `.neo/memory.json`.
 * Takes an open Context; is told of each round. Leaves to memory.ts: the sync; to distilling.ts: facts and notes.
 * Invariants: 1. it never holds up a round: what it does runs in small steps beside it; 2. it rests ten times as long as
 * it works; 3. what fails is tried again with the next change or time, and is said.
 */
import { join } from 'node:path'
import type { Snapshot } from '../core/model/snapshot.ts'
import type { Context } from '../flow/context.ts'
import { attachRecall } from '../flow/recall.ts'
import { memoryOf, syncEveryMs } from './memory.ts'

export interface Keeper {
  /** After each round. */
  saw(snapshot: Snapshot): void
  /** Ends what it does; a sync that runs stops at its next step. */
  close(): void
}

/** How soon after a change; a burst of commits is one sync. */
const SOON_MS = 1_000
const REST_FACTOR = 10
const MOST_PROGRESS_MS = 5_000

export function openKeeper(context: Context): Keeper {
  return new HomeKeeper(context)
}

class HomeKeeper implements Keeper {
  private readonly context: Context
  private readonly abort = new AbortController()
  private cancel: (() => void) | null = null
  private dueAt = Number.POSITIVE_INFINITY
  private restUntil = 0
  private running = false
  private seen = ''
  private told = 0

  constructor(context: Context) {
    this.context = context
    const memory = memoryOf(context)
    memory.keeps()
    attachRecall(context.world, ({ room, query, limit }) => {
      const found = memory.find({ query, parts: [room, ''], limit })
      return (
        found?.hits.map(({ passage, line }) => ({
          source: `${passage.source}:${line}`,
          text: passage.text,
        })) ?? null
      )
    })
  }

  saw({ git }: Snapshot): void {
    const now = git.kind === 'home' ? git.commit : this.seen
    if (now === this.seen && this.dueAt !== Number.POSITIVE_INFINITY) return
    this.seen = now
    memoryOf(this.context).changed()
    this.schedule(SOON_MS)
  }

  close(): void {
    this.abort.abort('leave')
    this.cancel?.()
    memoryOf(this.context).close()
  }

  private schedule(ms: number): void {
    const { clock } = this.context.world
    const at = Math.max(clock.now() + ms, this.restUntil)
    if (this.abort.signal.aborted || this.running || at >= this.dueAt) return
    this.cancel?.()
    this.dueAt = at
    this.cancel = clock.after(at - clock.now(), () => void this.run())
  }

  private async run(): Promise<void> {
    const { context } = this
    const { clock } = context.world
    const memory = memoryOf(context)
    this.running = true
    const report = await memory.sync({
      signal: this.abort.signal,
      progress: (looked, changed) => this.say(`${changed} of ${looked} files`),
    })
    this.running = false
    this.dueAt = Number.POSITIVE_INFINITY
    this.restUntil = clock.now() + (report?.ms ?? 0) * REST_FACTOR
    if (this.abort.signal.aborted) return
    this.say('')
    this.schedule(memory.isBehind() ? SOON_MS : syncEveryMs(context.look.config()))
  }

  /** Where the disk is full, nobody reads it either. */
  private say(indexing: string): void {
    const { world, home } = this.context
    const now = world.clock.now()
    if (indexing !== '' && now - this.told < MOST_PROGRESS_MS) return
    this.told = now
    try {
      world.files.writeJson(join(home, '.neo', 'memory.json'), {
        ...memoryOf(this.context).health(),
        indexing,
      })
    } catch {
      // It is said again after the next sync.
    }
  }
}
