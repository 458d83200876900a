/**
 * Acting on what a person decided about a call of the hub: carried out once after a yes, closed after a no. Invariants:
 * 1. what was shown is what runs: the hash is checked again; 2. no answer in time is no; 3. the ask is marked as handled
 * in the same commit as the change that it allows; 4. what cannot be done just now (a file that is broken or being
 * edited, a full disk) is tried again for a while before the ask is closed with the reason; 5. what was carried out is
 * not repeated if git takes back that the ask says so, also if a kill came before it was noted.
 */
import type { AskFile } from '../../domain/plan/snapshot.ts'
import { textAt } from '../../engine/commit/transact.ts'
import { handled } from '../../engine/effects/ask-effects.ts'
import type { Json } from '../../files/edit/edit-header.ts'
import { commit } from '../changes/compare-and-write.ts'
import { carry } from '../dispatch.ts'
import { type Actor, type HubEnv, look } from '../env.ts'
import { HUB_CODES, HubError } from '../hub.ts'
import { callerOf, digestOf } from './approval-rules.ts'

export type Carried =
  | { readonly kind: 'done' }
  | { readonly kind: 'nothing' }
  /** It stays approved and open, and is tried again. `first`: said for the first time. */
  | { readonly kind: 'waits'; readonly why: string; readonly first: 'yes' | 'no' }
  /** `why`: the user's no, time, a changed text, or what the method said. */
  | { readonly kind: 'refused'; readonly why: string }

/** How long what is in the way may stay there. */
const PATIENCE_MS = 15 * 60_000
/** Between two tries: a try may itself wait for a file to come to rest. */
const AGAIN_MS = 2_000

/**
 * Acts on a decided ask about a method of the hub: carries the call out, or closes the ask. `nothing` for an open or
 * handled ask, and for asks about other things.
 */
export async function carryOut(env: HubEnv, file: AskFile): Promise<Carried> {
  const { ask } = file
  // Stale: an editor that was open when it was carried out has saved the file as it was.
  if (file.gitStatus === 'stale') return { kind: 'nothing' }
  if (!env.table.has(ask.action.tool) || env.carrying.has(ask.id)) return { kind: 'nothing' }
  if (ask.handledAt !== undefined) return noted(env, ask)
  const verdict = verdictOf(env, file)
  if (verdict === 'pending' || !isDue(env, ask.id)) return { kind: 'nothing' }
  env.carrying.add(ask.id)
  try {
    return verdict === 'approved' ? await approved(env, file) : await close(env, file, verdict)
  } finally {
    env.carrying.delete(ask.id)
  }
}

function isDue({ waiting, context }: HubEnv, id: string): boolean {
  return context.world.clock.now() >= (waiting.get(id)?.next ?? 0)
}

type Verdict = 'pending' | 'approved' | 'denied' | 'expired' | 'changed'

function verdictOf(env: HubEnv, file: AskFile): Verdict {
  const { ask } = file
  const now = env.context.world.clock.now()
  const expires = ask.expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(ask.expiresAt)
  if (ask.decision === 'pending') return expires <= now ? 'expired' : 'pending'
  if (ask.decision === 'denied') return 'denied'
  const decided = ask.decidedAt === undefined ? now : Date.parse(ask.decidedAt)
  if (expires < decided) return 'expired'
  return isAsMade(file) ? 'approved' : 'changed'
}

/** Whether the file is the one that was written for this call, at its place. */
function isAsMade({ ask, room, path }: AskFile): boolean {
  const principal = callerOf(ask, room)
  const { id, kind, reason, action } = ask
  if (principal === null || kind !== 'approval' || path !== `rooms/${room}/asks/${id}.md`) return false
  const { tool: method, arguments: params, files, sha256 } = action
  return digestOf({ id, room, principal, method, params, files, reason }) === sha256
}

async function approved(env: HubEnv, file: AskFile): Promise<Carried> {
  const { ask, room } = file
  const by = ask.decidedBy ?? env.context.person.name
  const principal = callerOf(ask, room)
  const along = handled(env.context, file, {})
  if (along.length === 0 || principal === null) return { kind: 'nothing' }
  if (env.context.acted().get(`call:${ask.id}`) !== null)
    return refused(env, file, 'it was carried out before git went back')
  try {
    const { tool: method, arguments: params } = ask.action
    await carry(env, { principal, method, params, approvedBy: by, along, room })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const isOpen = textAt(env.context, file.path, file.hash) !== null
    const waits = isOpen && isPassing(error) ? later(env, ask.id, why) : null
    if (waits !== null) return waits
    env.waiting.delete(ask.id)
    return refused(env, file, why)
  }
  env.waiting.delete(ask.id)
  noted(env, ask)
  // A call that changed nothing has left its ask unmarked.
  const now = [...(await look(env, file.path)).asks.values()].find(({ path }) => path === file.path)
  if (now !== undefined && now.ask.handledAt === undefined) await close(env, now, 'approved')
  return { kind: 'done' }
}

/** Invariant 5. */
function noted({ context }: HubEnv, ask: AskFile['ask']): Carried {
  const [acted, id] = [context.acted(), `call:${ask.id}`]
  if (ask.decision === 'approved' && acted.get(id) === null) acted.set({ id })
  return { kind: 'nothing' }
}

async function refused(env: HubEnv, file: AskFile, why: string): Promise<Carried> {
  await close(env, file, 'approved')
  return { kind: 'refused', why }
}

/** What may be gone in a moment; a call that is denied, wrong or about nothing stays so. */
function isPassing(error: unknown): boolean {
  return error instanceof HubError && (error.code === HUB_CODES.busy || error.code === HUB_CODES.internal)
}

/** Null if it was tried for long enough. */
function later({ waiting, context }: HubEnv, id: string, why: string): Carried | null {
  const now = context.world.clock.now()
  const since = waiting.get(id)?.since ?? now
  if (now - since >= PATIENCE_MS) return null
  const first = waiting.has(id) ? 'no' : 'yes'
  waiting.set(id, { since, next: now + AGAIN_MS })
  return { kind: 'waits', why, first }
}

const CLOSED: Readonly<Record<Exclude<Verdict, 'pending' | 'approved'>, string>> = {
  denied: 'a person denied it',
  expired: 'nobody approved it in time',
  changed: 'the request was changed after it was created',
}

async function close(env: HubEnv, file: AskFile, verdict: Exclude<Verdict, 'pending'>): Promise<Carried> {
  const set: Record<string, Json> =
    verdict === 'expired' || verdict === 'changed' ? { decision: 'denied' } : {}
  const changes = handled(env.context, file, set)
  const actor: Actor = { principal: { kind: 'neo', room: file.room }, approvedBy: null, along: [] }
  const { ask, room } = file
  if (changes.length > 0)
    await commit(env, actor, {
      room,
      what: `close ask ${ask.id}`,
      says: verdict,
      event: 'close-ask',
      changes,
    })
  return { kind: 'refused', why: verdict === 'approved' ? 'it is closed' : CLOSED[verdict] }
}
