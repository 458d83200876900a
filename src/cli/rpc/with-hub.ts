/**
 * The hub, for as long as a command takes: the same methods that every client has, over the files in this process.
 * Invariant 1: a reading method and a message take no lock and change nothing but the audit log and the message.
 */
import type { Context } from '../../engine/context.ts'
import { lockOwner } from '../../engine/lock.ts'
import { openHome } from '../../engine/open-engine.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { openHub } from '../../hub/open-hub.ts'
import { type MethodName, type ParamsOf, type ResultOf, TABLE } from '../../hub/method-table.ts'
import type { Call } from '../spec.ts'
import { type Opened, openWorld, trusted, withTrusted } from '../with-world.ts'
import { alone } from './alone.ts'
import { type Asked as NarrowCall, pathsOf, suffices } from './narrow.ts'
import { neoOfFiles } from './neo-of-files.ts'
import { unknownEnd } from './rpc-failure.ts'
import { hubErrorOf, type Served, servedHub } from './served.ts'

export interface AtHub extends Opened {
  readonly context: Context
  /** Whether a daemon lives on this home now. */
  daemon(): 'yes' | 'no'
  /** Paths of messages that were put into inboxes of rooms. */
  readonly put: readonly string[]
  /** Throws HubError, or NeoError `disk`. */
  call<N extends MethodName>(method: N, params: ParamsOf<N>): Promise<ResultOf<N>>
  /** The same for a name that somebody typed. */
  callAny(method: string, params: unknown): Promise<unknown>
  /** On the files in this process, as whoever calls; also beside a daemon that serves no hub. */
  callHere(principal: Principal, method: string, params: unknown): Promise<unknown>
}

/**
 * Throws NeoError `missing` without a home, `config` where neo.yaml is broken, `git` where it is no repository.
 * @param only the one call that will be made: no more is looked at than it needs
 */
export function withHub<T>(call: Call, act: (at: AtHub) => Promise<T>, only?: NarrowCall): Promise<T> {
  return withTrusted(call, async (opened) => await act(await hubOf(call, opened, only)))
}

/** The hub in this process, for what a command writes. */
export interface HubOfCommand {
  /** As the person at the terminal; what only a daemon can do is left to the one that runs. Throws HubError. */
  act(method: MethodName, params: unknown): Promise<unknown>
  close(): Promise<void>
}

/** Throws as `withHub`. `trust: 'any'`: also in a home that this user does not trust, for what only stops work. */
export async function openHubOfCommand(call: Call, trust?: 'any'): Promise<HubOfCommand> {
  const opened = await openWorld(call)
  try {
    if (trust === undefined) trusted(call, opened)
    const principal = { kind: 'human' } as const
    let whole: Promise<Context> | null = null
    const contextFor = async (asked: NarrowCall) => {
      const narrow = whole === null ? await narrowContext(call, opened, asked) : null
      if (narrow !== null) return narrow
      whole ??= contextOf(call, opened)
      return await whole
    }
    return {
      act: async (method, params) =>
        alone(await contextFor({ method, params }), {
          method,
          leaves: 'yes',
          act: (own, beside) => through(own, { principal, method, params, put: [], beside, looks: 'never' }),
        }),
      close: () => opened.world.git.close(),
    }
  } catch (error) {
    await opened.world.git.close()
    throw error
  }
}

function contextOf(call: Call, { home, world }: Opened, only?: readonly string[]): Promise<Context> {
  const { version, env } = call.around
  const narrow = only === undefined ? {} : { only }
  return openHome({ home, world, settleMs: 0, env, version, ...narrow })
}

/** A context that sees only what the call is about; null if that does not suffice. */
async function narrowContext(call: Call, opened: Opened, asked: NarrowCall): Promise<Context | null> {
  const only = pathsOf(opened.home, asked)
  if (only === null) return null
  const context = await contextOf(call, opened, only)
  const { snapshot } = await context.look.look('all')
  return suffices(snapshot, asked) ? context : null
}

async function hubOf(call: Call, opened: Opened, only?: NarrowCall): Promise<AtHub> {
  const { world } = opened
  const narrow = only === undefined ? null : await narrowContext(call, opened, only)
  const context = narrow ?? (await contextOf(call, opened))
  const put: string[] = []
  const here = (of: Pick<Asked, 'principal' | 'method' | 'params' | 'looks'>): Promise<unknown> => {
    const { method, params } = of
    const act = (own: Context) => through(own, { ...of, put, beside: 'nobody' })
    if (concernsDaemon(method, params)) return alone(context, { method, act })
    return narrow === null ? reading(context, act) : act(narrow)
  }
  const asHuman = (method: string, params: unknown, looks: Looks): Promise<unknown> => {
    const inHere = () => here({ principal: { kind: 'human' }, method, params, looks })
    const served = concernsDaemon(method, params) ? servedHub(opened) : null
    return served === null ? inHere() : orHere(served, { method, params, here: inHere })
  }
  return {
    ...opened,
    context,
    put,
    daemon: () => (lockOwner(world.git.gitDir, world) === null ? 'no' : 'yes'),
    callAny: (method, params) => asHuman(method, params, 'if-writable'),
    callHere: (principal, method, params) => here({ principal, method, params, looks: 'if-writable' }),
    call: async <N extends MethodName>(method: N, params: ParamsOf<N>) =>
      (await asHuman(method, params, 'never')) as ResultOf<N>,
  }
}

/** What was read is kept for the next command. */
async function reading(context: Context, run: (own: Context) => Promise<unknown>): Promise<unknown> {
  const result = await run(context)
  await context.look.keepReadings()
  return result
}

interface OrHere {
  readonly method: string
  readonly params: unknown
  readonly here: () => Promise<unknown>
}

/** A daemon that has not taken the call has not done it either: then it is done beside it. */
async function orHere(served: Served, { method, params, here }: OrHere): Promise<unknown> {
  const said = await served.ask(method, params)
  switch (said.kind) {
    case 'result':
      return said.result
    case 'error':
      throw hubErrorOf(said)
    case 'unheard':
      return await here()
    case 'cut':
      throw unknownEnd(said.why)
  }
}

/** What writes, and what is said to a session. A message to a room is a file of its own, which nobody else writes. */
function concernsDaemon(method: string, params: unknown): boolean {
  const act = TABLE.get(method)?.act
  if (act === 'talk') return typeof params === 'object' && params !== null && 'sessionId' in params
  return act !== undefined && act !== 'see' && act !== 'see-home'
}

interface Asked {
  readonly principal: Principal
  readonly method: string
  readonly params: unknown
  readonly put: string[]
  readonly beside: 'daemon' | 'nobody'
  readonly looks: Looks
}

type Looks = 'if-writable' | 'never'

async function through(context: Context, asked: Asked): Promise<unknown> {
  const { principal, method, params, put, beside, looks: looksAudited } = asked
  const looks = concernsDaemon(method, params) ? 'hinted' : 'once'
  const hub = openHub({ context, usage: context.usage, looks, beside, looksAudited })
  hub.attach(await neoOfFiles(context, { hub, put, talks: method.startsWith('context.') ? 'yes' : 'no' }))
  try {
    return await hub.call(principal, method, params)
  } finally {
    hub.close()
  }
}
