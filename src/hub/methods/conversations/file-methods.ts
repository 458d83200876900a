/**
 * file.get and file.send: files of a room's workspace leave the home. Invariant 1: only for people who decide in that
 * room; file.send only into a private chat, because in a group others would get the file too. Invariant 2: never a file
 * that looks like a secret, never past a guard.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { shortHash } from '../../../domain/policy/known-people.ts'
import type { Principal } from '../../../domain/policy/policy-acts.ts'
import type { ScopeAt } from '../../../domain/policy/scope-types.ts'
import { redact } from '../../../domain/secrets/redact.ts'
import { mediaTypeOf } from '../../../domain/text/media-type.ts'
import { roomFile } from '../../../engine/agents/recall-answers.ts'
import { type HubEnv, look } from '../../env.ts'
import { HUB_CODES, HubError } from '../../hub.ts'
import { method } from '../../method.ts'
import { peopleOf } from '../../rights/member-rules.ts'
import { findRoom } from '../../views/find-in-home.ts'
import { findScope, scopeResource } from '../../views/scopes-at.ts'
import { lineText, roomId, scopeId } from '../../views/shapes.ts'

const path = lineText.describe('Relative to the workspace')

export const fileGet = method({
  name: 'file.get',
  summary: "Get a file of a room's workspace",
  details: 'At most 8 MB. Only for people who decide in the room.',
  params: z.strictObject({ roomId, path }),
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

/** That wait to be sent in one conversation; more is no answer to anybody. */
const MOST_WAITING = 10
/** Names of files that hold keys, whatever stands in them. */
const KEYS = /^(?:\.env(?:\..*)?|\.netrc|\.npmrc|\.pgpass|id_[a-z0-9]+|.*\.(?:pem|key|p12|pfx|kdbx))$/i

export const fileSend = method({
  name: 'file.send',
  summary: 'Send a file into a private chat',
  details:
    "A file of the room's workspace, at most 8 MB. Only for people who decide in the room. Refused if the file looks like it holds a secret.",
  params: z.strictObject({ scopeId, roomId, path }),
  result: z.strictObject({ name: z.string(), type: z.string(), bytes: z.number() }),
  act: 'send-out',
  resource: async (env: HubEnv, { scopeId, roomId }) => ({
    room: findRoom(await look(env), roomId).name,
    scope: scopeResource(env, findScope(env, scopeId)),
  }),
  run: async (env, { scopeId, roomId, path }, { principal }) => {
    const scope = findScope(env, scopeId)
    const why = whyNot(env, scope, principal)
    if (why !== null) throw refused(why)
    const found = await roomFile(env.context, findRoom(await look(env), roomId).room, path)
    if ('refused' in found) throw new HubError(HUB_CODES.missing, `Cannot send ${found.refused}`)
    const { name, bytes } = found
    if (KEYS.test(name) || looksSecret(bytes)) throw refused(`"${name}" looks like it holds a secret`)
    const { type, ending } = mediaTypeOf(bytes)
    const id = env.context.world.random.id('a')
    const copy = join(scope.state, 'media', `${shortHash(id)}.${ending}`)
    env.context.world.files.savePrivate(copy, bytes, null)
    env.context.scopes.control()?.send(scope, { key: `file:${id}`, path: copy, name })
    return { name, type, bytes: bytes.length }
  },
})

function refused(why: string): HubError {
  return new HubError(HUB_CODES.denied, `Cannot send the file: ${why}`, { rule: 'send-out', reason: why })
}

function whyNot(env: HubEnv, scope: ScopeAt, principal: Principal): string | null {
  const control = env.context.scopes.control()
  if (control === null) return 'no daemon is running; start one with neo watch'
  if (scope.type !== 'dm') return 'this is not a private chat; in a group, a person has to use /file'
  const speaker = principal.kind === 'neo' ? (principal.within?.speaker ?? '') : ''
  const member = peopleOf(env).find(({ id }) => speaker === `member:${id}`)
  if (scope.guards.out !== undefined || member?.guards.out !== undefined)
    return 'a guard checks what is sent there, and it cannot check files'
  return control.sending(scope) >= MOST_WAITING ? 'too many files are waiting to be sent there' : null
}

/** Text is looked through; what is no text has no shape of a key. */
function looksSecret(bytes: Buffer): boolean {
  const text = bytes.toString('utf8')
  return redact(text) !== text
}
