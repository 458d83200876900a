/**
 * Why Neo can't answer now: no daemon, no model, or a paused room. Checked again for each message, because daemons start
 * and stop.
 */
import { NO_MODEL } from '../../engine/agents/agents.ts'
import { roomOf } from '../room/open-rooms.ts'
import type { AtHub } from '../with-hub.ts'
import type { Chat } from './chat-state.ts'

/** Empty if nothing prevents an answer, as far as this process can tell. */
export function whyNoReply({ at, room }: Chat): readonly string[] {
  const { status } = roomOf({ home: at.home, files: at.world.files }, room).room
  const why = whyNoModel(at)
  return [
    ...(!at.daemonRuns()
      ? [
          'No daemon is running. Messages are saved and wait; run neo watch in another terminal to get answers.',
        ]
      : []),
    ...(why === null ? [] : [`Neo can't answer yet: ${why}.`]),
    ...(status === 'active'
      ? []
      : [`The room is ${status}. Neo does not answer there until you run neo room resume.`]),
  ]
}

/** If a daemon runs, only neo.yaml counts: the daemon may have keys that this terminal does not have. */
function whyNoModel({ context, world, daemonRuns }: AtHub): string | null {
  const { model, providers } = context.look.config()
  if (model === 'rules') return NO_MODEL
  if (daemonRuns()) return null
  const opened = world.agent?.models.open(model, providers)
  return opened !== undefined && 'wrong' in opened ? opened.wrong : null
}
