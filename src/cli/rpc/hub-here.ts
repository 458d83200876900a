/**
 * The hub on the files in this process, for as long as a line stays open: calls, and changes told to subscribers.
 * Invariant 1: calls and looks wait for each other. Invariant 2: files are watched from the first subscription on.
 */
import type { Hub } from '../../hub/hub.ts'
import { type OpenedHub, openHub } from '../../hub/open-hub.ts'
import type { AtHub } from './with-hub.ts'

export interface HubHere extends Hub {
  end(): Promise<void>
}

export function hubHere({ context, world, home, callHere }: AtHub): HubHere {
  let states: OpenedHub | null = null
  let stop: () => Promise<void> = async () => {}
  const tell = () =>
    context.line(async () => {
      states?.changed((await context.look.look('all')).snapshot)
    })
  const told = (): void => void tell().catch(() => {})

  function open(): OpenedHub {
    if (states !== null) return states
    states = openHub({ context })
    stop = world.watcher.watch(home, { hint: told, trouble: () => {}, ready: () => {} })
    return states
  }

  return {
    async call(principal, method, params) {
      const result = await context.line(() => callHere(principal, method, params))
      if (states !== null) await tell()
      return result
    },
    subscribe: (principal, of, on) => context.line(() => open().subscribe(principal, of, on)),
    async end() {
      states?.close()
      await stop()
    },
  }
}
