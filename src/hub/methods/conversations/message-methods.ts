/**
 * message.send, context.get, compact, clear, stop: messages to sessions and to a room's Neo, and its conversation. file.get,
 * file.send: files of a room's workspace leave the home. Invariant 1: passwords in a message to a room's Neo are masked
 * before it is saved: the inbox is in git. Invariant 2: files are only for people who decide in that room; file.send only
 * sends into a private chat, because in a group others would get the file too. Invariant 3: never a file that looks like a
 * secret, never past a guard.
 */

import { join } from 'node:path'
import { z } from 'zod'
import { forgetAsked } from '../../../domain/memory/distill-forget.ts'
import { shortHash } from '../../../domain/policy/known-people.ts'
import { LOBBY } from '../../../domain/policy/policy.ts'
import type { Principal } from '../../../domain/policy/policy-acts.ts'
import { type ScopeAt, speakersOf } from '../../../domain/policy/scope-types.ts'
import { maskSecrets } from '../../../domain/secrets/distill-secrets.ts'
import { redact } from '../../../domain/secrets/redact.ts'
import { mediaTypeOf } from '../../../domain/text/media-type.ts'
import { roomFile } from '../../../engine/agents/recall-answers.ts'
import { isLetThrough, NOT_IN } from '../../../engine/people/run-guards.ts'
import { distillRoom } from '../../../memory/distill/distilling.ts'
import { forgetInRoom } from '../../../memory/distill/forgetting.ts'
import { memorySetting } from '../../../memory/memory-settings.ts'
import { memoryOf } from '../../../memory/open-memory.ts'
import { commit } from '../../changes/compare-and-write.ts'
import { deliver, messageIdleSession } from '../../changes/waiting-sessions.ts'
import { type Actor, type HubEnv, look, method, nameOf, whoOf } from '../../env.ts'
import { aboutRoom, aboutScope } from '../../views/about.ts'
import { HUB_CODES, HubError, type NeoControl, type Sayer, SILENT } from '../../hub.ts'
import { peopleOf } from '../../rights/member-rules.ts'
import { findRoom, findSession, roomNames } from '../../views/find-in-home.ts'
import { findScope } from '../../views/scopes-at.ts'
import { sentFileIds, withSentFiles } from './chat-files.ts'
import { lineText, roomId, roomParams, scopeId, sessionId } from '../../views/shapes.ts'

const sendParams = z
  .strictObject({
    sessionId: sessionId.optional(),
    roomId: roomId.optional(),
    content: z.string().trim().min(1).max(100_000).describe('The message, in markdown'),
    files: sentFileIds.describe('Ids of `chat.attach`; only with `roomId`'),
  })
  .refine(({ sessionId, roomId }) => (sessionId === undefined) !== (roomId === undefined), {
    error: 'want exactly one of sessionId and roomId',
    path: ['sessionId'],
  })
  .refine(({ sessionId, files }) => sessionId === undefined || files === undefined, {
    error: 'only the Neo of a room takes files',
    path: ['files'],
  })

export const messageSend = method({
  name: 'message.send',
  summary: 'Send a message',
  details:
    'To the Neo of a room (`roomId`), which plans and delegates work, or to a session at work (`sessionId`). If the session waits with a question, the message is the answer. A request to forget something is carried out at once. The reply of Neo appears in `context.get`.',
  tool: { effect: 'adds', hidden: ['files'] },
  params: sendParams,
  /** A reply that needs no Neo: what was forgotten. Null if the message is on its way. */
  result: z.strictObject({ reply: z.string() }).nullable(),
  act: 'talk',
  resource: async (env, { sessionId, roomId }) => {
    const snapshot = await look(env)
    if (sessionId === undefined) return { room: findRoom(snapshot, roomId ?? '').name }
    return { room: findSession(env, roomNames(snapshot), sessionId).room, session: sessionId }
  },
  run: async (env, { sessionId, roomId, content, files }, actor) => {
    const { principal } = actor
    await throughGuards(env, content, principal)
    if (sessionId === undefined) {
      const { name } = findRoom(await look(env), roomId ?? '')
      const reply = await forgetIn(env, actor, { room: name, text: content })
      if (reply !== null) return { reply }
      const text = withSentFiles(env, name, { text: maskSecrets(content).text, files })
      await neoOf(env).say(name, text, sayerOf(principal))
    } else if (!messageIdleSession(env, sessionId, { from: nameOf(principal), text: content }))
      await deliver(env, { session: sessionId, from: nameOf(principal), text: content })
    return null
  },
})

/** What people asked to be forgotten in a room; null if the message is about something else. */
async function forgetIn(
  env: HubEnv,
  actor: Actor,
  { room, text }: { readonly room: string; readonly text: string },
): Promise<string | null> {
  const { principal } = actor
  const { context } = env
  const isPerson = principal.kind === 'human' || principal.kind === 'member'
  if (!isPerson || forgetAsked(text) === null || context.look.branch() === null) return null
  // What was said a moment ago is a fact only when it is distilled.
  if (memorySetting(context.look.config(), 'distill') !== 'off')
    await distillRoom(context, await look(env), room)
  const forgot = await forgetInRoom(context, { room, text, speaker: nameOf(principal) }, (changes) =>
    commit(env, actor, { room, what: 'forget', event: 'forget', changes }),
  )
  if (forgot.kind === 'done') context.journal.shrink()
  return forgot.kind === 'none' ? null : forgot.reply
}

/** A member's own guards look at what they say, whichever way it comes. Throws HubError `denied`. */
async function throughGuards(env: HubEnv, text: string, principal: Principal): Promise<void> {
  if (principal.kind !== 'member') return
  const { signal } = new AbortController()
  const of = { scope: null, room: LOBBY, speaker: nameOf(principal), side: 'in', text, signal } as const
  if (await env.aside(() => isLetThrough(env.context, of))) return
  throw new HubError(HUB_CODES.denied, NOT_IN, { rule: 'guards', reason: 'a guard blocked the message' })
}

function sayerOf(principal: Principal): Sayer {
  const onBehalfOf = principal.kind === 'neo' ? principal.onBehalfOf : undefined
  return { from: whoOf(principal), speakers: onBehalfOf === undefined ? [] : speakersOf(onBehalfOf) }
}

/** Throws HubError `busy` if there is no Neo. */
function neoOf({ neo }: HubEnv): NeoControl {
  if (neo === null)
    throw new HubError(HUB_CODES.busy, 'Cannot reach Neo: no daemon is running; start one with neo watch')
  return neo
}

const conversation = z.strictObject({
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.string(),
      timestamp: z.string(),
      tokenCount: z.number(),
      sessionId: z.string().optional(),
      taskId: z.string().optional(),
    }),
  ),
  totalTokens: z.number(),
  lastCompactedAt: z.string().nullable(),
  status: z.enum(['idle', 'thinking', 'waiting_for_input']),
  currentTaskId: z.string().nullable(),
  currentSessionId: z.string().nullable(),
  saying: z.string().optional().describe('What the present answer has said since its last action'),
})

export const contextGet = method({
  name: 'context.get',
  summary: 'Get the conversation with Neo',
  details: 'The messages as the Neo of the room sees them, and what it is doing.',
  tool: { effect: 'reads' },
  params: roomParams,
  result: conversation,
  act: 'see',
  resource: aboutRoom,
  run: async (env, params) => {
    const { room } = await aboutRoom(env, params)
    return env.neo?.context(room) ?? SILENT
  },
})

export const contextCompact = method({
  name: 'context.compact',
  summary: 'Compact the conversation with Neo',
  details: 'Older messages become part of the summary.',
  params: roomParams,
  result: z.null(),
  act: 'clear-context',
  resource: aboutRoom,
  run: async (env, params) => {
    const { room } = await aboutRoom(env, params)
    await env.aside(() => neoOf(env).compact(room))
    return null
  },
})

export const contextStop = method({
  name: 'context.stop',
  summary: 'Stop the answer of Neo',
  details: 'What it has said and done so far stays.',
  params: roomParams,
  result: z.object({ stopped: z.boolean() }),
  act: 'clear-context',
  resource: aboutRoom,
  run: async (env, params) => ({
    stopped: neoOf(env).stop((await aboutRoom(env, params)).room) === 'stopped',
  }),
})

export const contextClear = method({
  name: 'context.clear',
  summary: 'Clear the conversation with Neo',
  details: 'Closes it and starts a new one. The transcript stays.',
  params: roomParams,
  result: z.null(),
  act: 'clear-context',
  resource: aboutRoom,
  run: async (env, params) => {
    const { room } = await aboutRoom(env, params)
    // It waits for the turn under way, whose own calls wait for this one.
    await env.aside(() => neoOf(env).clear(room))
    // What was said in it is distilled soon.
    memoryOf(env.context).changed()
    return null
  },
})

const path = lineText.describe('Relative to the workspace')

export const fileGet = method({
  name: 'file.get',
  summary: "Get a file of a room's workspace",
  details: 'At most 8 MB. Only for people who decide in the room.',
  params: z.strictObject({ roomId, path }),
  result: z.strictObject({ name: z.string(), type: z.string(), base64: z.string() }),
  act: 'send-out',
  resource: aboutRoom,
  run: async (env, { roomId, path }) => {
    const { room } = findRoom(await look(env), roomId)
    const found = await roomFile(env.context, room, path)
    if ('refused' in found) throw new HubError(HUB_CODES.missing, `Cannot get ${found.refused}`)
    const { type } = mediaTypeOf(found.bytes)
    return { name: found.name, type, base64: found.bytes.toString('base64') }
  },
})

/** Messages of one conversation that may wait to be sent. */
const MOST_WAITING = 10
/** Names of files that hold keys, whatever their content. */
const KEYS = /^(?:\.env(?:\..*)?|\.netrc|\.npmrc|\.pgpass|id_[a-z0-9]+|.*\.(?:pem|key|p12|pfx|kdbx))$/i

export const fileSend = method({
  name: 'file.send',
  summary: 'Send a file into a private chat',
  details:
    "A file of the room's workspace, at most 8 MB. Only for people who decide in the room. Refused if the file looks like it holds a secret.",
  params: z.strictObject({ scopeId, roomId, path }),
  result: z.strictObject({ name: z.string(), type: z.string(), bytes: z.number() }),
  act: 'send-out',
  resource: aboutScope,
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
  if (scope.type !== 'dm')
    return 'this is not a private chat; in a group, a person has to use the chat command "file"'
  const speaker = principal.kind === 'neo' ? (principal.onBehalfOf?.speaker ?? '') : ''
  const member = peopleOf(env).find(({ id }) => speaker === `member:${id}`)
  if (scope.guards.out !== undefined || member?.guards.out !== undefined)
    return 'a guard checks what is sent there, and it cannot check files'
  return control.sending(scope) >= MOST_WAITING ? 'too many files are waiting to be sent there' : null
}

/** Only text is searched: keys are text. */
function looksSecret(bytes: Buffer): boolean {
  const text = bytes.toString('utf8')
  return redact(text) !== text
}
