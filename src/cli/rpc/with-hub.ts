/**
 * The hub in this process, for as long as a command takes: the same methods that every client has, over the files.
 * Takes a call; gives what calls methods as the person at the terminal. Leaves to alone.ts: who writes beside a daemon;
 * to hub/: what methods do.
 * Invariant 1: a reading method and a message take no lock and change nothing but the audit log and the message.
 */
import type { Context } from '../../flow/context.ts'
import { lockOwner } from '../../flow/lock.ts'
import { openHome } from '../../flow/open.ts'
import { openHub } from '../../hub/open-hub.ts'
import { type MethodName, type ParamsOf, type ResultOf, TABLE } from '../../hub/table.ts'
import type { Call } from '../spec.ts'
import { type Opened, withWorld } from '../with-world.ts'
import { alone } from './alone.ts'
import { neoOfFiles } from './neo-of-files.ts'

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
}

/** Throws NeoError `missing` without a home, `config` where neo.yaml is broken, `git` where it is no repository. */
export function withHub<T>(call: Call, act: (at: AtHub) => Promise<T>): Promise<T> {
  return withWorld(call, async (opened) => {
    const { home, world } = opened
    const context = await openHome({ home, world, settleMs: 0, env: call.around.env })
    const put: string[] = []
    const callAny = (method: string, params: unknown): Promise<unknown> => {
      const run = (own: Context) => through(own, { method, params, put })
      return writes(method) ? alone(context, method, run) : run(context)
    }
    return await act({
      ...opened,
      context,
      put,
      daemon: () => (lockOwner(world.git.gitDir, world) === null ? 'no' : 'yes'),
      callAny,
      call: async <N extends MethodName>(method: N, params: ParamsOf<N>) =>
        (await callAny(method, params)) as ResultOf<N>,
    })
  })
}

/** Messages are files of their own, which nobody else writes. */
function writes(method: string): boolean {
  const act = TABLE.get(method)?.act
  return act !== undefined && act !== 'see' && act !== 'see-home' && act !== 'talk'
}

interface Asked {
  readonly method: string
  readonly params: unknown
  readonly put: string[]
}

async function through(context: Context, { method, params, put }: Asked): Promise<unknown> {
  const hub = openHub({ context, usage: context.usage })
  hub.attach(await neoOfFiles(context, { hub, put, talks: method.startsWith('context.') ? 'yes' : 'no' }))
  try {
    return await hub.call({ kind: 'human' }, method, params)
  } finally {
    hub.close()
  }
}
