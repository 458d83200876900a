/**
 * The routes of administration: is it alive, what does it say of itself, scopes, ends of logs. Invariant 1: what tells
 * anything of the home asks the hub first, so that the decision is recorded. In the names of these routes, which are
 * older, a session is the conversation of a scope.
 */
import { HUB_CODES, type Hub, HubError, type HubEvent } from '../../hub/hub.ts'
import { jsonReply, type Reply, refusalReply } from '../shared/http-reply.ts'
import { type AskedRoute, type Route, unreadBody, whoIs } from './app.ts'

export interface About {
  readonly version: string
  /** ISO 8601 UTC. */
  readonly startedAt: string
  readonly uptimeMs: () => number
  /** Relative to the home, by what they hold. */
  readonly paths: Readonly<Record<string, string | null>>
}

const LINES = { most: 100, usual: 20 }

export function adminRoutes(hub: Hub, about: About): readonly Route[] {
  const known = { verb: 'GET', who: 'known' } as const
  const act = { verb: 'POST', who: 'known' } as const
  return [
    { verb: 'GET', path: '/healthz', who: 'open', answer: () => jsonReply({ ok: true }) },
    { ...known, path: '/status', answer: (asked) => status(hub, about, asked) },
    { ...known, path: '/sessions', answer: async (asked) => jsonReply(scopeIds(await scopes(hub, asked))) },
    {
      ...known,
      path: '/sessions-with-counts',
      answer: async (asked) => jsonReply(counted(await scopes(hub, asked))),
    },
    { ...known, path: '/policy/status', answer: (asked) => told(hub, asked, { method: 'policy.status' }) },
    ...['clear', 'distill'].map(
      (verb): Route => ({
        ...act,
        path: `/sessions/:scopeId/${verb}`,
        answer: (asked) => toScope(hub, asked, { method: `scope.${verb}`, params: ofScope(asked) }),
      }),
    ),
    { ...act, path: '/sessions/:scopeId/purge', from: 'loopback', answer: (asked) => purge(hub, asked) },
    { ...known, path: '/events/tail', from: 'loopback', answer: (asked) => eventsTail(hub, asked) },
    { ...known, path: '/transcripts/tail', from: 'loopback', answer: (asked) => transcriptsTail(hub, asked) },
  ]
}

async function status(hub: Hub, about: About, { credential }: AskedRoute): Promise<Reply> {
  const { version, startedAt, uptimeMs, paths } = about
  const who = whoIs(credential)
  const config = await hub.call(who, 'config.get', {})
  const { health, index } = (await hub.call(who, 'status.global', {})) as Readonly<Record<string, unknown>>
  return jsonReply({ version, startedAt, uptimeMs: uptimeMs(), paths, config, health, index })
}

interface Told {
  readonly method: string
  readonly params?: object
}

async function told(hub: Hub, { credential }: AskedRoute, { method, params = {} }: Told): Promise<Reply> {
  return jsonReply(await hub.call(whoIs(credential), method, params))
}

/** What the caller does not see is not there. */
async function toScope(hub: Hub, asked: AskedRoute, of: Told): Promise<Reply> {
  const refusal = await unreadBody(asked.incoming)
  if (refusal !== null) return refusalReply(refusal)
  const { scopeId } = ofScope(asked)
  if (!scopeIds(await scopes(hub, asked)).includes(scopeId))
    throw new HubError(HUB_CODES.missing, `Cannot find the conversation "${scopeId}"`)
  return await told(hub, asked, of)
}

type Scopes = readonly { readonly id: string; readonly itemCount: number }[]

async function scopes(hub: Hub, { credential }: AskedRoute): Promise<Scopes> {
  return (await hub.call(whoIs(credential), 'scope.list', {})) as Scopes
}

function scopeIds(all: Scopes): readonly string[] {
  return all.map(({ id }) => id)
}

function counted(all: Scopes): readonly unknown[] {
  return all.map(({ id, itemCount }) => ({ scopeId: id, itemCount }))
}

function ofScope(asked: AskedRoute): { readonly scopeId: string } {
  return { scopeId: asked.param('scopeId') }
}

/** Says first that the name must be said twice, so that a slip purges nothing. */
async function purge(hub: Hub, asked: AskedRoute): Promise<Reply> {
  const { scopeId } = ofScope(asked)
  const [confirm] = asked.queries('confirm')
  if (confirm !== scopeId)
    throw new HubError(HUB_CODES.params, `Cannot purge: add ?confirm=${scopeId} to confirm`)
  return await toScope(hub, asked, { method: 'scope.purge', params: { scopeId, confirm } })
}

async function eventsTail(hub: Hub, asked: AskedRoute): Promise<Reply> {
  return jsonReply((await lastOf(hub, asked, 'audit')).slice(-linesOf(asked)))
}

async function transcriptsTail(hub: Hub, asked: AskedRoute): Promise<Reply> {
  const [scopeId] = asked.queries('scopeId')
  if (scopeId === undefined)
    throw new HubError(HUB_CODES.params, 'Missing parameter: add ?scopeId= with a conversation or a session')
  const limit = linesOf(asked)
  if (scopeIds(await scopes(hub, asked)).includes(scopeId))
    return await told(hub, asked, { method: 'scope.transcript', params: { scopeId, limit } })
  return jsonReply((await lastOf(hub, asked, `session:${scopeId}:transcript`)).slice(-limit))
}

function linesOf(asked: AskedRoute): number {
  const said = asked.queries('lines')[0] ?? String(LINES.usual)
  const lines = /^\d{1,6}$/.test(said) ? Number(said) : 0
  if (lines >= 1) return Math.min(lines, LINES.most)
  throw new HubError(HUB_CODES.params, 'Invalid parameter: lines must be an integer, at least 1')
}

/** What a channel holds now, if that is a list. */
async function lastOf(hub: Hub, { credential }: AskedRoute, channel: string): Promise<readonly unknown[]> {
  const first: HubEvent[] = []
  const end = await hub.subscribe(whoIs(credential), { channel }, (event) => void first.push(event))
  end()
  const { snapshot } = (first[0]?.data ?? {}) as { readonly snapshot?: unknown }
  return Array.isArray(snapshot) ? snapshot : []
}
