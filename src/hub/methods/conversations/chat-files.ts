/**
 * chat.attach, chat.file: files that people send to the Neo of a room. They are kept beside the state of the home, never
 * in git, like files of private chats. Invariant 1: no name or type of the sender becomes a path or a type; the type is
 * what the bytes say. Invariant 2: a file is read only by those who see the room. Invariant 3: what guards can't check
 * is not taken.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { z } from 'zod'
import { mediaTypeOf } from '../../../domain/text/media-type.ts'
import { plainName, SENT_ID, type SentFile, sentFolder, sentLine } from '../../../domain/text/sent-files.ts'
import { type HubEnv, look, method, nameOf } from '../../env.ts'
import { aboutRoom } from '../../views/about.ts'
import { badParams, HUB_CODES, HubError } from '../../hub.ts'
import { peopleOf } from '../../rights/member-rules.ts'
import { findRoom, missing } from '../../views/find-in-home.ts'
import { roomId } from '../../views/shapes.ts'

/** As for files that come by Telegram. */
export const MOST_SENT_BYTES = 20 * 1024 * 1024
/** Of all files of a room. */
const MOST_KEPT_BYTES = 1024 * 1024 * 1024
/** Of one message. */
const MOST_FILES = 10

const fileId = z.string().regex(SENT_ID, 'want the id that chat.attach returned').describe('The file')
export const sentFileIds = z.array(fileId).max(MOST_FILES).optional()

const sentFile = z.strictObject({
  id: z.string().describe('For `files` of `message.send`'),
  name: z.string(),
  type: z.string().describe('What its bytes say: `image/png`, `application/pdf`, `text/plain`, …'),
  bytes: z.number(),
})

export const chatAttach = method({
  name: 'chat.attach',
  summary: 'Store a file for a message',
  details: 'At most 20 MB. It is sent when a message names it. It is not in git.',
  params: z.strictObject({
    roomId,
    name: z.string().trim().min(1).max(300).describe('What people call it'),
    base64: z
      .string()
      .max(Math.ceil(MOST_SENT_BYTES / 3) * 4)
      .regex(/^[\w+/-]*={0,2}$/, 'want Base64')
      .describe('The bytes'),
  }),
  result: sentFile,
  act: 'talk',
  resource: aboutRoom,
  run: async (env, params, { principal }) => {
    const { files, random } = env.context.world
    const room = findRoom(await look(env), params.roomId).name
    const member = peopleOf(env).find(({ id }) => principal.kind === 'member' && principal.id === id)
    if (member?.guards.in !== undefined)
      throw refused('a guard checks what you send, and it cannot check files')
    const bytes = Buffer.from(params.base64, 'base64')
    if (bytes.length === 0) throw badParams(['base64'], 'the file is empty')
    if (bytes.length > MOST_SENT_BYTES) throw badParams(['base64'], 'the file is larger than 20 MB')
    const folder = join(env.context.dir, sentFolder(room))
    const kept = files.names(folder).reduce((sum, one) => sum + (files.stat(join(folder, one))?.size ?? 0), 0)
    if (kept + bytes.length > MOST_KEPT_BYTES) throw refused('the files of this room already take 1 GB')
    const { type, ending } = mediaTypeOf(bytes)
    const seed = `${random.id('a')} ${random.id('a')} ${nameOf(principal)}`
    const id = `${createHash('sha256').update(seed).update(bytes).digest('hex').slice(0, 24)}.${ending}`
    const name = plainName(params.name)
    files.savePrivate(join(folder, id), bytes, null)
    files.writeJson(join(folder, `${id}.json`), { name, type, bytes: bytes.length })
    return { id, name, type, bytes: bytes.length }
  },
})

function refused(reason: string): HubError {
  return new HubError(HUB_CODES.denied, `Cannot take the file: ${reason}`, { rule: 'chat-files', reason })
}

export const chatFile = method({
  name: 'chat.file',
  summary: 'Get a file of a message',
  details: 'For those who see the room.',
  params: z.strictObject({ roomId, fileId }),
  result: z.strictObject({ name: z.string(), type: z.string(), base64: z.string() }),
  act: 'see',
  resource: aboutRoom,
  run: async (env, params) => {
    const room = findRoom(await look(env), params.roomId).name
    const { name, type } = sentFileOf(env, room, params.fileId)
    const path = join(env.context.dir, sentFolder(room), params.fileId)
    const read = env.context.world.files.read(path, MOST_SENT_BYTES)
    if (read.kind !== 'file') throw missing('file', params.fileId)
    return { name, type, base64: read.bytes.toString('base64') }
  },
})

/** Throws HubError `missing`. */
function sentFileOf({ context: { dir, world } }: HubEnv, room: string, id: string): SentFile {
  const known = world.files.readJson(join(dir, sentFolder(room), `${id}.json`))
  const { name, type, bytes } = (known ?? {}) as Partial<SentFile>
  if (typeof name !== 'string' || typeof type !== 'string' || typeof bytes !== 'number')
    throw missing('file', id)
  return { id, name, type, bytes }
}

/** The text of a message with the files that it names. Throws HubError `missing`. */
export function withSentFiles(
  env: HubEnv,
  room: string,
  { text, files = [] }: { readonly text: string; readonly files: readonly string[] | undefined },
): string {
  const lines = files.map((id) => sentLine(sentFileOf(env, room, id)))
  return [text, ...lines].join('\n\n')
}
