/**
 * Maintenance while nothing runs, once in `retention.every`: ended attempts, old files, loose git objects. Invariants: 1.
 * never while a session works, an intent waits, or a git command of the user runs; 2. packing, which may take long, blocks
 * neither rounds nor clients; 3. an error is shown in `neo status` and retried at the next time.
 */

import { join } from 'node:path'
import { whyOf } from '../../domain/home/error.ts'
import { counted } from '../../domain/text/counted.ts'
import type { Context } from '../context.ts'
import type { Health } from '../health.ts'
import type { RoundResult } from '../round.ts'
import { clearAttempts } from './attempts.ts'
import { sweepTemps } from './sweep-temps.ts'
import { trim } from './trim.ts'

export interface CareKeeper {
  /** Cleans if it is due and nothing runs. */
  after(round: RoundResult): Promise<void>
  /** Epoch ms of the next time; null: as soon as nothing runs. */
  next(): number | null
}

export function openCareKeeper(context: Context, health: Health): CareKeeper {
  const { world, look } = context
  const file = join(context.dir, 'care.json')
  const said = world.files.readJson(file) as { readonly at?: unknown } | null
  let last = typeof said?.at === 'number' ? said.at : world.clock.now()

  let packing = false
  const sayTrouble = (error: unknown) => health.trouble('care', whyOf(error))

  /** In the background: after thousands of commits it takes minutes. */
  function pack(): void {
    if (packing) return
    packing = true
    void world.git
      .maintain()
      .catch(sayTrouble)
      .finally(() => {
        packing = false
      })
  }

  const due = () => last + look.config().retention.everyMs
  return {
    next: () => (due() > world.clock.now() ? due() : null),
    async after(round) {
      if (world.clock.now() < due() || !isAtRest(round)) return
      last = world.clock.now()
      try {
        world.files.writeJson(file, { at: last })
        await context.exclusive(() => clean(context, round))
        health.well('care')
        pack()
      } catch (error) {
        sayTrouble(error)
      }
    },
  }
}

function isAtRest({ snapshot, facts, waiting }: RoundResult): boolean {
  const { git } = snapshot
  const works = [...facts.sessions.values()].some(({ state }) => state !== 'ended')
  const thinks = [...facts.neo.turns.values()].some(({ kind }) => kind === 'busy')
  return git.kind === 'home' && git.held === undefined && waiting === 0 && !works && !thinks
}

async function clean(context: Context, { snapshot }: RoundResult): Promise<void> {
  const cleared = (await clearAttempts(context, snapshot)).filter(({ kind }) => kind === 'removed').length
  const gone = await trim(context, snapshot)
  sweepTemps(context)
  if (cleared + gone === 0) return
  const text = `removed ${counted(cleared, 'ended attempt')} and ${counted(gone, 'old file')}`
  context.emit({ kind: 'clean', text })
}
