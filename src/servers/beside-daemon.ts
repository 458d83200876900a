/**
 * The servers beside a daemon: opened when it is ready, announced where clients look, closed with it. Invariant 1: if they
 * can't be opened, `neo status` says so and they are tried again; the daemon continues. Invariant 2: their code loads after
 * the daemon is ready, so that it starts as fast as without them.
 */
import { isAbsolute, join, relative } from 'node:path'
import type { Context } from '../engine/context.ts'
import type { Health } from '../engine/health.ts'
import { membersIn } from '../engine/people/member-files.ts'
import type { Hub } from '../hub/hub.ts'
import { openMemberTokens } from '../hub/rights/member-rules.ts'
import type { About } from './http/admin.ts'
import type { Reads } from './http/rpc-route.ts'
import type { RunningServers } from './open-servers.ts'

export interface BesideDaemon {
  readonly context: Context
  readonly health: Pick<Health, 'trouble' | 'well' | 'served'>
  readonly hub: Hub
  /** What reading commands show. */
  readonly reads?: Reads
  readonly version: string
  /** Resolves when the daemon has looked once. */
  readonly ready: Promise<void>
  /** Told once, when the page can be opened. */
  readonly opened: (servers: Pick<RunningServers, 'url' | 'link'>) => void
  /** Told once, when opening has worked or failed for the first time. */
  readonly tried?: () => void
}

export const PORT = 8787
const HOST = '127.0.0.1'
const RETRY_MS = 30_000
/** How soon clients learn of another token. */
const TOKEN_MS = 1_000
/** Guessing a token that somebody chose must be hopeless too. */
const LEAST_TOKEN = 16

/** Returns what closes them, also while they are being opened. Never throws. */
export function openBesideDaemon(beside: BesideDaemon): () => Promise<void> {
  const { context, health } = beside
  const about = aboutOf(context, beside.version)
  let ended = false
  let opening: Promise<RunningServers | null> = Promise.resolve(null)
  let forget: () => void = () => {}

  async function open(): Promise<RunningServers | null> {
    try {
      const servers = await openOwn(beside, about)
      health.well('server')
      beside.opened(servers)
      return servers
    } catch (error) {
      health.trouble('server', whyNot(context, error), 'person')
      forget = context.world.clock.after(RETRY_MS, begin)
      return null
    }
  }

  function begin(): void {
    if (!ended) opening = open()
  }

  void beside.ready.then(begin).then(async () => {
    await opening
    beside.tried?.()
  })
  return async () => {
    ended = true
    const servers = await opening
    forget()
    await servers?.close()
  }
}

async function openOwn({ context, health, hub, reads }: BesideDaemon, about: About): Promise<RunningServers> {
  const token = keepToken(context)
  const { openServers } = await import('./open-servers.ts')
  const { world } = context
  const { host, port } = settingsOf(context)
  const servers = await openServers({
    hub,
    files: world.files,
    home: context.home,
    now: () => world.clock.now(),
    host,
    port: port ?? PORT,
    otherwise: port === null ? 'any' : 'fail',
    token,
    memberOf: memberOf(context),
    ...(reads === undefined ? {} : { reads }),
    about,
  })
  let told = ''
  const tell = (): void => {
    if (servers.token() === told) return
    health.served({ url: servers.url, token: servers.token() })
    told = servers.token()
  }
  try {
    tell()
  } catch (error) {
    // The port is free for the next try.
    await servers.close()
    throw error
  }
  const again = (): void => {
    try {
      tell()
    } catch {
      // For example, the disk is full: tried again a moment later.
    }
  }
  const watching = setInterval(again, TOKEN_MS).unref()
  return {
    ...servers,
    async close() {
      clearInterval(watching)
      health.served(null)
      await servers.close()
    },
  }
}

function aboutOf({ world, home, dir }: Context, version: string): About {
  const startedMs = world.clock.now()
  return {
    version,
    startedAt: new Date(startedMs).toISOString(),
    uptimeMs: () => world.clock.now() - startedMs,
    paths: { config: 'neo.yaml', rooms: 'rooms', workspace: 'workspace', state: below(home, dir) },
  }
}

/**
 * The configured token as it is now. Throws if it could be guessed; one that becomes so later changes nothing.
 */
function keepToken(context: Context): () => string | null {
  let last = tokenOf(context)
  return () => {
    try {
      last = tokenOf(context)
    } catch {
      // It stays what it was.
    }
    return last
  }
}

/**
 * A member who was removed or suspended has no token, whatever a file of Neo says; nor has anyone while that can't be read.
 */
function memberOf(context: Context): (hash: string) => string | null {
  const { world, dir, home } = context
  const tokens = openMemberTokens(world.files, world.clock, dir)
  return (hash) => {
    try {
      const id = tokens.of(hash)
      const path = join(home, 'workspace', 'members', `${id}.md`)
      if (id === null || world.files.read(path, 0).kind === 'missing') return null
      if (membersIn(context).some((member) => member.id === id && member.suspended === true)) return null
      tokens.used(hash)
      return id
    } catch {
      return null
    }
  }
}

/** Null if the user has not set it. */
function settingsOf({ look }: Context): { readonly host: string; readonly port: number | null } {
  const http = sectionOf(look.config().rest)
  const port = http['port']
  return {
    host: typeof http['host'] === 'string' && http['host'] !== '' ? http['host'] : HOST,
    port: typeof port === 'number' ? port : null,
  }
}

/** Throws if it could be guessed. */
function tokenOf({ look }: Context): string | null {
  const { token } = sectionOf(look.config().rest)
  if (typeof token !== 'string' || token === '') return null
  if (/^[\x21-\x7e]+$/.test(token) && token.length >= LEAST_TOKEN) return token
  throw new Error(`http.token in neo.yaml must have at least ${LEAST_TOKEN} characters and no spaces`)
}

function sectionOf(rest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { http } = rest
  return typeof http === 'object' && http !== null ? (http as Readonly<Record<string, unknown>>) : {}
}

function whyNot(context: Context, error: unknown): string {
  const { host, port } = settingsOf(context)
  const at = `${host}:${port ?? PORT}`
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      return `cannot listen on ${at}: the port is in use; set http.port in neo.yaml, or stop the other process`
    case 'EACCES':
      return `cannot listen on ${at}: permission denied; set http.port in neo.yaml to 1024 or higher`
    case 'EADDRNOTAVAIL':
      return `cannot listen on ${at}: this machine doesn't have this address; set http.host in neo.yaml`
    default:
      return `cannot start the server: ${message}`
  }
}

/** Relative to the home; null if it is elsewhere. */
function below(home: string, path: string): string | null {
  const way = relative(home, path)
  return way.startsWith('..') || isAbsolute(way) ? null : way
}
