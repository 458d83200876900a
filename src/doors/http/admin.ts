/**
 * The routes of administration: is it alive, what does it say of itself, scopes, ends of logs.
 * Takes the hub and what the daemon knows of itself; gives routes. Leaves to the hub: deciding and telling.
 * Invariant 1: what tells anything of the home asks the hub first, so that the decision is recorded.
 * Invariant 2: there are no scopes in this home yet: lists of them are empty, and what is done to one is `missing`.
 */
import { HUB_CODES, type Hub, HubError, type HubEvent, type Principal } from '../../hub/hub.ts'
import { jsonReply, type Reply } from '../shared/reply.ts'
import type { AskedRoute, Route } from './routes.ts'

export interface About {
  readonly version: string
  /** ISO 8601 UTC. */
  readonly startedAt: string
  readonly uptimeMs: () => number
  /** Relative to the home, by what they hold. */
  readonly paths: Readonly<Record<string, string | null>>
}

const WHO: Principal = { kind: 'human' }
const LINES = { most: 100, usual: 20 }

export function adminRoutes(hub: Hub, about: About): readonly Route[] {
  const known = { verb: 'GET', who: 'known' } as const
  return [
    { verb: 'GET', path: '/healthz', who: 'open', answer: () => jsonReply({ ok: true }) },
    { ...known, path: '/status', answer: () => status(hub, about) },
    { ...known, path: '/sessions', answer: () => noScopes(hub) },
    { ...known, path: '/sessions-with-counts', answer: () => noScopes(hub) },
    { ...known, path: '/policy/status', answer: () => noScopes(hub) },
    ...['clear', 'distill'].map(
      (act): Route => ({
        verb: 'POST',
        path: `/sessions/:scopeId/${act}`,
        who: 'known',
        answer: missingScope,
      }),
    ),
    { verb: 'POST', path: '/sessions/:scopeId/purge', who: 'known', from: 'loopback', answer: purge },
    { ...known, path: '/events/tail', from: 'loopback', answer: (asked) => eventsTail(hub, asked) },
    { ...known, path: '/transcripts/tail', from: 'loopback', answer: (asked) => transcriptsTail(hub, asked) },
  ]
}

async function status(hub: Hub, { version, startedAt, uptimeMs, paths }: About): Promise<Reply> {
  const config = await hub.call(WHO, 'config.get', {})
  const { health, index } = (await hub.call(WHO, 'status.global', {})) as Readonly<Record<string, unknown>>
  return jsonReply({ version, startedAt, uptimeMs: uptimeMs(), paths, config, health, index })
}

async function noScopes(hub: Hub): Promise<Reply> {
  await hub.call(WHO, 'config.get', {})
  return jsonReply([])
}

function missingScope(asked: AskedRoute): never {
  throw missing(asked.param('scopeId'))
}

/** Says first that the name must be said twice, so that a slip purges nothing. */
function purge(asked: AskedRoute): never {
  const scope = asked.param('scopeId')
  if (asked.queries('confirm')[0] !== scope)
    throw new HubError(HUB_CODES.params, `Cannot purge: ?confirm=${scope} must say the scope again`)
  throw missing(scope)
}

function missing(scope: string): HubError {
  return new HubError(HUB_CODES.missing, `Cannot find scope "${scope}": this home has no scopes`)
}

async function eventsTail(hub: Hub, asked: AskedRoute): Promise<Reply> {
  return jsonReply((await lastOf(hub, 'audit')).slice(-linesOf(asked)))
}

async function transcriptsTail(hub: Hub, asked: AskedRoute): Promise<Reply> {
  const [session] = asked.queries('scopeId')
  if (session === undefined) throw new HubError(HUB_CODES.params, 'Cannot tell: ?scopeId= names a session')
  return jsonReply((await lastOf(hub, `session:${session}:transcript`)).slice(-linesOf(asked)))
}

function linesOf(asked: AskedRoute): number {
  const said = asked.queries('lines')[0] ?? String(LINES.usual)
  const lines = /^\d{1,6}$/.test(said) ? Number(said) : 0
  if (lines >= 1) return Math.min(lines, LINES.most)
  throw new HubError(HUB_CODES.params, 'Cannot tell: lines is a whole number from 1 on')
}

/** What a channel holds now, where that is a list. */
async function lastOf(hub: Hub, channel: string): Promise<readonly unknown[]> {
  const first: HubEvent[] = []
  const end = await hub.subscribe(WHO, { channel }, (event) => void first.push(event))
  end()
  const { snapshot } = (first[0]?.data ?? {}) as { readonly snapshot?: unknown }
  return Array.isArray(snapshot) ? snapshot : []
}
