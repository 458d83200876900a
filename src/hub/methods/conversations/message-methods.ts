/**
 * message.send and context.get, compact, clear, stop: what is said to sessions and to a room's Neo, and his
 * conversation. Invariant 1: passwords and the like that a room's Neo is told are masked before they are kept: his inbox
 * is in git.
 */
import { z } from 'zod'
import { forgetAsked } from '../../../domain/memory/distill-forget.ts'
import { LOBBY } from '../../../domain/policy/policy.ts'
import type { Principal } from '../../../domain/policy/policy-acts.ts'
import { speakersOf } from '../../../domain/policy/scope-types.ts'
import { maskSecrets } from '../../../domain/secrets/distill-secrets.ts'
import { isLetThrough, NOT_IN } from '../../../engine/people/run-guards.ts'
import { distillRoom } from '../../../memory/distill/distilling.ts'
import { forgetInRoom } from '../../../memory/distill/forgetting.ts'
import { memorySetting } from '../../../memory/memory-settings.ts'
import { memoryOf } from '../../../memory/open-memory.ts'
import { commit } from '../../changes/compare-and-write.ts'
import { deliver } from '../../changes/deliver.ts'
import { tellSeat } from '../../changes/waiting-sessions.ts'
import { type Actor, type HubEnv, look } from '../../env.ts'
import { HUB_CODES, HubError } from '../../hub.ts'
import { method, nameOf, whoOf } from '../../method.ts'
import { type NeoControl, type Sayer, SILENT } from '../../neo-control.ts'
import { findRoom, roomNames } from '../../views/find-in-home.ts'
import { findSession } from '../../views/sessions-at.ts'
import { roomId, roomParams, sessionId } from '../../views/shapes.ts'

const sendParams = z
  .strictObject({
    sessionId: sessionId.optional(),
    roomId: roomId.optional(),
    content: z.string().trim().min(1).max(100_000).describe('The message, in markdown'),
  })
  .refine(({ sessionId, roomId }) => (sessionId === undefined) !== (roomId === undefined), {
    error: 'want exactly one of sessionId and roomId',
    path: ['sessionId'],
  })

export const messageSend = method({
  name: 'message.send',
  summary: 'Send a message',
  details:
    'To the Neo of a room (`roomId`), which plans and delegates work, or to a session at work (`sessionId`). If the session waits with a question, the message is the answer. A request to forget something is carried out at once. The reply of Neo appears in `context.get`.',
  tool: { effect: 'adds' },
  params: sendParams,
  /** A reply that needs no Neo: what was forgotten. Null if the message is on its way. */
  result: z.strictObject({ reply: z.string() }).nullable(),
  act: 'talk',
  resource: async (env, { sessionId, roomId }) => {
    const snapshot = await look(env)
    if (sessionId === undefined) return { room: findRoom(snapshot, roomId ?? '').name }
    return { room: findSession(env, roomNames(snapshot), sessionId).room, session: sessionId }
  },
  run: async (env, { sessionId, roomId, content }, actor) => {
    const { principal } = actor
    await throughGuards(env, content, principal)
    if (sessionId === undefined) {
      const { name } = findRoom(await look(env), roomId ?? '')
      const reply = await forgetIn(env, actor, { room: name, text: content })
      if (reply !== null) return { reply }
      await neoOf(env).say(name, maskSecrets(content).text, sayerOf(principal))
    } else if (!tellSeat(env, sessionId, { from: nameOf(principal), text: content }))
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
  const within = principal.kind === 'neo' ? principal.within : undefined
  return { from: whoOf(principal), speakers: within === undefined ? [] : speakersOf(within) }
}

/** Throws HubError `busy` where no Neo listens. */
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
})

async function roomOf(env: HubEnv, { roomId }: { readonly roomId: string }) {
  return { room: findRoom(await look(env), roomId).name }
}

export const contextGet = method({
  name: 'context.get',
  summary: 'Get the conversation with Neo',
  details: 'The messages as the Neo of the room sees them, and what it is doing.',
  tool: { effect: 'reads' },
  params: roomParams,
  result: conversation,
  act: 'see',
  resource: roomOf,
  run: async (env, params) => {
    const { room } = await roomOf(env, params)
    const view = env.neo?.context(room) ?? SILENT
    return { ...view, messages: view.messages.map((message) => ({ ...message })) }
  },
})

export const contextCompact = method({
  name: 'context.compact',
  summary: 'Compact the conversation with Neo',
  details: 'Older messages become part of the summary.',
  params: roomParams,
  result: z.null(),
  act: 'clear-context',
  resource: roomOf,
  run: async (env, params) => {
    const { room } = await roomOf(env, params)
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
  resource: roomOf,
  run: async (env, params) => ({
    stopped: neoOf(env).stop((await roomOf(env, params)).room) === 'stopped',
  }),
})

export const contextClear = method({
  name: 'context.clear',
  summary: 'Clear the conversation with Neo',
  details: 'Closes it and starts a new one. The transcript stays.',
  params: roomParams,
  result: z.null(),
  act: 'clear-context',
  resource: roomOf,
  run: async (env, params) => {
    const { room } = await roomOf(env, params)
    // It waits for the turn under way, whose own calls wait for this one.
    await env.aside(() => neoOf(env).clear(room))
    // What was said in it is distilled soon.
    memoryOf(env.context).changed()
    return null
  },
})
