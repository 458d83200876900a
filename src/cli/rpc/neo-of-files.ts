/**
 * Neo as far as files go: a message is put into the room's inbox, a conversation is read from what he kept. Invariant 1:
 * a message is one new file, written whole; it gets its turn when a daemon with a model looks.
 */
import { NeoError } from '../../domain/home/error.ts'
import type { Context } from '../../engine/context.ts'
import { putMessage } from '../../engine/people/to-inbox.ts'
import type { Hub } from '../../hub/hub.ts'
import { type NeoControl, SILENT } from '../../hub/neo-control.ts'

export interface NeoOfFiles {
  readonly hub: Pick<Hub, 'call'>
  /** Takes the paths of what is put into inboxes. */
  readonly put: string[]
  /** `yes`: his conversation is wanted, so that his own code is loaded. */
  readonly talks: 'yes' | 'no'
}

export async function neoOfFiles(context: Context, of: NeoOfFiles): Promise<NeoControl> {
  const say: NeoControl['say'] = async (room, content, { from }) => {
    of.put.push(putMessage(context, { room, content, from }))
  }
  const { agent } = context.world
  if (of.talks === 'no' || agent === undefined)
    return { say, context: () => SILENT, compact: nobody, clear: nobody, stop: () => 'idle' }
  const { openNeo } = await import('../../orchestrator/open-orchestrator.ts')
  const { world, dir, home, agents, look } = context
  const neo = openNeo({
    hub: of.hub,
    models: agent.models,
    files: world.files,
    clock: world.clock,
    dir,
    home,
    config: () => look.config(),
    budget: (room) => agents.neoBudget(room),
    keep: say,
    say: async () => {},
    onCall: (estimate, model, room) => agents.neoCalls({ estimate, model, room }),
    onStatus: () => {},
  })
  return { say, context: neo.context, compact: neo.compact, clear: neo.clear, stop: neo.stop }
}

async function nobody(): Promise<void> {
  throw new NeoError('failed', 'Cannot reach Neo: this program was built without models')
}
