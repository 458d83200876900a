/**
 * Neo without a daemon: a message is written into the room's inbox, and a conversation is read from its files. Invariant
 * 1: a message is one new file, written whole; Neo answers it when a daemon with a model runs.
 */
import { NeoError } from '../domain/home/error.ts'
import type { Context } from '../engine/context.ts'
import { putMessage } from '../engine/people/to-inbox.ts'
import type { Hub } from '../hub/hub.ts'
import { type NeoControl, SILENT } from '../hub/neo-control.ts'

interface Of {
  readonly hub: Pick<Hub, 'call'>
  /** Takes the paths of the messages that are written. */
  readonly messages: string[]
  /** The call is about Neo's conversation, so its code is loaded. */
  readonly isConversation: boolean
}

export async function localOrchestrator(context: Context, of: Of): Promise<NeoControl> {
  const say: NeoControl['say'] = async (room, content, { from }) => {
    of.messages.push(putMessage(context, { room, content, from }))
  }
  const { agent } = context.world
  if (!of.isConversation || agent === undefined)
    return { say, context: () => SILENT, compact: noModels, clear: noModels, stop: () => 'idle' }
  const { openNeo } = await import('../orchestrator/open-orchestrator.ts')
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

async function noModels(): Promise<void> {
  throw new NeoError('failed', 'Cannot reach Neo: this program was built without models')
}
