/**
 * file.get: a file of a room's workspace, to be sent to somebody. Invariant 1: only people who decide in the room get
 * one: it leaves the home.
 */
import { z } from 'zod'
import { mediaTypeOf } from '../../../domain/text/media-type.ts'
import { roomFile } from '../../../engine/agents/room-file.ts'
import { type HubEnv, look } from '../../env.ts'
import { findRoom } from '../../views/find-in-home.ts'
import { HUB_CODES, HubError } from '../../hub.ts'
import { method } from '../../method.ts'
import { idText } from '../../views/shapes.ts'

export const fileGet = method({
  name: 'file.get',
  says: "A file of a room's workspace, at most 8 MB, as base 64: to be sent out by a person who decides there.",
  params: z.strictObject({ roomId: idText, path: z.string().trim().min(1).max(1_000) }),
  result: z.strictObject({ name: z.string(), type: z.string(), base64: z.string() }),
  act: 'send-out',
  resource: async (env: HubEnv, { roomId }) => ({ room: findRoom(await look(env), roomId).name }),
  run: async (env, { roomId, path }) => {
    const { room } = findRoom(await look(env), roomId)
    const found = await roomFile(env.context, room, path)
    if ('refused' in found) throw new HubError(HUB_CODES.missing, `Cannot get ${found.refused}`)
    const { type } = mediaTypeOf(found.bytes)
    return { name: found.name, type, base64: found.bytes.toString('base64') }
  },
})
