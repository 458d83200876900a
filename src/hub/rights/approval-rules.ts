/**
 * Calls that a person has to approve, made into an ask file. Invariant 1: the hash is over the ask's id and room,
 * caller, method, arguments and reason, as the file shows them, secrets masked: a copy, a moved file and a changed text
 * are no asks. Invariant 2: the same call asked twice is one ask. Invariant 3: an ask about a task is bound to its id,
 * not its name.
 */
import { createHash } from 'node:crypto'
import type { AskFile, Snapshot } from '../../domain/plan/snapshot.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { Principal, Resource, Ruling } from '../../domain/policy/policy-acts.ts'
import { redact } from '../../domain/secrets/redact.ts'
import { notifyRequest } from '../../engine/people/notices.ts'
import { type Json, renderDocument } from '../../files/edit/edit-header.ts'
import { isoSecond } from '../../files/values/times.ts'
import { commit } from '../changes/compare-and-write.ts'
import { type Actor, type HubEnv, whoOf } from '../env.ts'
import { HUB_CODES, HubError } from '../hub.ts'

/** An ask that nobody answers is a no after this. */
const EXPIRES_MS = 7 * 24 * 3_600_000

/** The header of a file ends at 16 KiB. */
const MOST_SHOWN = 10_000

export interface Wanted {
  readonly principal: Principal
  readonly method: string
  readonly params: unknown
  readonly resource: Resource
  readonly ruling: Ruling
}

/** Returns the id of the request, which may be an open one for the same call. */
export async function openAsk(env: HubEnv, snapshot: Snapshot, wanted: Wanted): Promise<string> {
  const { principal, method, resource } = wanted
  const params = masked(bound(wanted))
  if (JSON.stringify(params).length > MOST_SHOWN)
    throw new HubError(HUB_CODES.denied, 'Denied: the call is too long for an approval request', {
      rule: wanted.ruling.rule,
      reason: `${wanted.ruling.reason}; an approval request can have at most ${MOST_SHOWN} characters`,
    })
  const room = askRoom(principal, resource)
  const files = resource.target === undefined ? [] : [resource.target.path]
  const reason = redact(`${whoOf(principal)} wants ${method}: ${wanted.ruling.reason}`)
  const digest = (id: string) => digestOf({ id, room, principal, method, params, files, reason })
  const open = [...snapshot.asks.values()].find(
    ({ ask, room: of }) => of === room && ask.action.sha256 === digest(ask.id) && isOpen(env, ask),
  )
  if (open !== undefined) return open.ask.id
  const id = env.context.world.random.id('a')
  const sha256 = digest(id)
  const text = askText(env, { ...wanted, params, files, id, sha256, reason })
  const actor: Actor = { principal, approvedBy: null, along: [] }
  const path = `rooms/${room}/asks/${id}.md`
  const changes = [{ path, before: null, after: text }]
  const what = `ask about ${method}`
  const lost = `Cannot create the approval request: ${path} already exists; try again`
  await commit(env, actor, { room, what, says: id, event: 'ask', changes, lost })
  notifyRequest(env.context, { id, room, reason })
  return id
}

function isOpen(env: HubEnv, { decision, expiresAt }: AskFile['ask']): boolean {
  return decision === 'pending' && Date.parse(expiresAt ?? '') > env.context.world.clock.now()
}

/** The room whose people decide. */
export function askRoom(principal: Principal, { room }: Resource): string {
  return room ?? (principal.kind === 'neo' ? principal.room : LOBBY)
}

/** A task by its id: what was asked of one is not done to another that has its name by then. */
function bound({ params, resource: { target } }: Wanted): unknown {
  const isOfTask = typeof params === 'object' && params !== null && 'taskId' in params
  return isOfTask && target !== undefined ? { ...params, taskId: target.id } : params
}

type Said = Wanted & { id: string; sha256: string; reason: string; files: string[] }

function askText(env: HubEnv, of: Said): string {
  const { principal, method, params, files, id, sha256, reason } = of
  const now = env.context.world.clock.now()
  return renderDocument(
    {
      kind: 'approval',
      action: { tool: method, arguments: params as { [key: string]: Json }, files, sha256 },
      reason,
      expires_at: isoSecond(now + EXPIRES_MS),
      decision: 'pending',
      neo: { id, created_at: isoSecond(now), created_by: whoOf(principal) },
    },
    `Set \`decision: approved\` or \`decision: denied\`, or run \`neo ask approve ${id}\`.\n`,
  )
}

export interface Shown {
  readonly id: string
  /** The room that it is in: who may decide there decides. */
  readonly room: string
  /** The caller is part of what is approved: it decides under whose name the change is made. */
  readonly principal: Principal
  readonly method: string
  readonly params: unknown
  readonly files: readonly string[]
  readonly reason: string
}

export function digestOf({ id, room, principal, method, params, files, reason }: Shown): string {
  return createHash('sha256')
    .update(JSON.stringify([id, room, whoOf(principal), method, sorted(params), files, reason]))
    .digest('hex')
}

/** Asks are committed: no secret goes with them. */
function masked(value: unknown): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries.map(([key, item]) => [key, masked(item)]))
}

/** Keys in order: a file does not keep the order of a map that was edited and read again. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]),
  )
}

/** Who asked; null if the file no longer says it. A session's room is that of the request. */
export function callerOf({ createdBy = '' }: AskFile['ask'], room: string): Principal | null {
  const [kind, id] = createdBy.split(':')
  if (createdBy === 'editor') return { kind: 'editor' }
  if (id === undefined || id === '') return null
  if (kind === 'neo') return { kind, room: id }
  if (kind === 'session') return { kind, id, room }
  return kind === 'member' ? { kind, id } : null
}
