/** The hub, for as long as a command takes. */

import { type HubClient, openHubClient } from '../client/hub-client.ts'
import type { LocalHub } from '../client/local-hub.ts'
import { composeFiles } from '../compose.ts'
import type { Context } from '../engine/context.ts'
import { findHome } from './find-home.ts'
import type { Call } from './spec.ts'

/**
 * Throws NeoError `missing` without a home.
 * @param trust `any`: also in a home that this user doesn't trust, for what only stops work
 */
export async function withHub<T>(call: Call, act: (hub: HubClient) => Promise<T>, trust?: 'any'): Promise<T> {
  const hub = clientFor(call, trust)
  try {
    return await act(hub)
  } finally {
    await hub.close()
  }
}

function clientFor(call: Call, trust: 'any' | undefined): HubClient {
  const files = composeFiles()
  const { env, version } = call.around
  return openHubClient({
    home: findHome(call, files),
    files,
    env,
    version,
    open: async () => {
      const { openTrusted, openWorld } = await import('./with-world.ts')
      return await (trust === 'any' ? openWorld(call) : openTrusted(call))
    },
    note: (text) => call.out.note({ text, style: 'dim' }),
  })
}

/** The hub with the home opened in this process as well, for commands that look at both. */
export interface AtHub extends Omit<LocalHub, 'call' | 'context' | 'close'>, HubClient {
  readonly context: Context
}

/** Throws as `withHub`, and NeoError `config` if neo.yaml is invalid, `git` if the home is no repository. */
export function withHubAndHome<T>(call: Call, act: (at: AtHub) => Promise<T>): Promise<T> {
  return withHub(call, async (hub) => {
    const local = await hub.local()
    return await act({ ...local, ...hub, context: await local.context() })
  })
}
