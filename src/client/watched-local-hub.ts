/**
 * The hub in this process while a connection stays open: calls, and changes for subscribers. Invariant 1: calls and
 * looks wait for each other. Invariant 2: files are watched from the first subscription on.
 */
import type { Hub } from '../hub/hub.ts'
import { type OpenedHub, openHub } from '../hub/open-hub.ts'
import type { LocalHub } from './local-hub.ts'

export interface WatchedLocalHub extends Hub {
  end(): Promise<void>
}

export async function watchedLocalHub(local: LocalHub): Promise<WatchedLocalHub> {
  const { world, home } = local
  const context = await local.context()
  let states: OpenedHub | null = null
  let stop: () => Promise<void> = async () => {}
  const look = () =>
    context.exclusive(async () => {
      states?.changed((await context.look.look('all')).snapshot)
    })

  function open(): OpenedHub {
    if (states !== null) return states
    states = openHub({ context })
    const hint = (): void => void look().catch(() => {})
    stop = world.watcher.watch(home, { hint, trouble: () => {}, ready: () => {} })
    return states
  }

  return {
    async call(principal, method, params) {
      const result = await context.exclusive(() =>
        local.call(principal, { method, params, audit: 'if-writable' }),
      )
      if (states !== null) await look()
      return result
    },
    subscribe: (principal, of, on) => context.exclusive(() => open().subscribe(principal, of, on)),
    async end() {
      states?.close()
      await stop()
    },
  }
}
