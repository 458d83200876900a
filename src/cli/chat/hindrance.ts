/**
 * What keeps a message to Neo from its turn: no daemon, no model, a room that is paused. Invariant 1: it is looked at
 * anew each time: daemons come and go.
 */
import { NO_MODEL } from '../../engine/agents/agents.ts'
import { roomOf } from '../room/open-rooms.ts'
import type { AtHub } from '../rpc/with-hub.ts'
import type { Chat } from './chat-state.ts'

/** Empty where nothing does, as far as can be told here. */
export function hindrances({ at, room }: Chat): readonly string[] {
  const { status } = roomOf({ home: at.home, files: at.world.files }, room).room
  const why = whyNoModel(at)
  return [
    ...(!at.daemonRuns()
      ? ['No daemon runs: messages are kept and wait; neo watch, in another terminal, lets Neo answer.']
      : []),
    ...(why === null ? [] : [`Neo does not answer yet: ${why}.`]),
    ...(status === 'active' ? [] : [`The room is ${status}: Neo hears nothing in it until neo room resume.`]),
  ]
}

/** The daemon may have keys that this terminal has not; so only what neo.yaml says counts beside one. */
function whyNoModel({ context, world, daemonRuns }: AtHub): string | null {
  const { model, providers } = context.look.config()
  if (model === 'rules') return NO_MODEL
  if (daemonRuns()) return null
  const opened = world.agent?.models.open(model, providers)
  return opened !== undefined && 'wrong' in opened ? opened.wrong : null
}
