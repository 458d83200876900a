/**
 * `neo clean`: removes worktrees and branches of ended attempts as `retention` says, and packs git's loose objects.
 * Invariant 1: with `--dry-run` nothing is changed.
 */
import { type Cleared, clearAttempts, keptAttempts } from '../../engine/care/attempts.ts'
import { openHome } from '../../engine/open-engine.ts'
import type { Call } from '../spec.ts'
import { withWorld } from '../with-world.ts'
import { sizeText } from './checks.ts'

export function clean(call: Call): Promise<number> {
  return withWorld(call, async ({ world, home }) => {
    const context = await openHome({ home, world, settleMs: 0, env: call.around.env })
    const { snapshot } = await context.look.look('all')
    const plans = call.isSet('dryRun')
    const cleared = await clearAttempts(context, snapshot, plans ? 'plan' : 'clear')
    if (!plans) await world.git.maintain()
    const stays = plans ? [] : await keptAttempts(context, snapshot)
    call.out.data('clean', {
      cleared,
      kept: stays.map(({ session, branch, bytes }) => ({ session, branch, bytes })),
    })
    for (const one of cleared) call.out.line(line(one, plans))
    if (cleared.length === 0) call.out.line('Nothing to remove.')
    return 0
  })
}

function line({ session, why, bytes, kind }: Cleared, plans: boolean): string {
  if (kind === 'kept') return `kept ${session}: ${why}`
  return `${plans ? 'would remove' : 'removed'} ${session} (${sizeText(bytes)}): ${why}`
}
