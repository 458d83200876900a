/**
 * The hub of a home for hours: the daemon's while one runs, else the one in this process. Invariant 1: each call goes to
 * the hub that is there at that moment; none is carried out twice. Invariant 2: a subscription outlives the daemon: it
 * continues with the next one, or with the files.
 */
import type { Hub } from '../hub/hub.ts'
import { daemonAddress } from './daemon-address.ts'
import { type DaemonSocket, openDaemonSocket } from './daemon-socket.ts'
import { lastingSubscription, type Source } from './lasting-subscription.ts'
import type { LocalHub } from './local-hub.ts'
import { watchedLocalHub } from './watched-local-hub.ts'

export interface LastingHub extends Hub {
  end(): Promise<void>
}

export async function lastingHub(local: LocalHub): Promise<LastingHub> {
  const { home, world } = local
  const here = await watchedLocalHub(local)
  let socket: Promise<DaemonSocket> | null = null
  let ended = false

  async function source(): Promise<Source> {
    const opened = await socket?.catch(() => null)
    if (opened !== null && opened?.isClosed() === false) return { hub: opened, closed: opened.closed }
    const address = daemonAddress(home, world.files, world.processes.alive)
    if (address === null) return { hub: here, closed: null }
    socket = openDaemonSocket(address)
    const hub = await socket
    return { hub, closed: hub.closed }
  }

  return {
    call: async (principal, method, params) => (await source()).hub.call(principal, method, params),
    subscribe: (principal, of, on) =>
      lastingSubscription({
        source,
        isEnded: () => ended,
        after: (ms, run) => world.clock.after(ms, run),
        subscribe: (hub, progress) =>
          hub.subscribe(principal, { ...of, ...progress }, (event) => {
            progress.since = event.seq
            return on(event)
          }),
      }),
    async end() {
      ended = true
      const opened = await socket?.catch(() => null)
      opened?.close()
      await here.end()
    },
  }
}
