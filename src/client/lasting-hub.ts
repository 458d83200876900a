/**
 * The hub of a home for hours: the daemon's while one runs, else the one in this process. Invariant 1: each call goes to
 * the hub that is there at that moment; none is carried out twice. Invariant 2: a subscription outlives the daemon: it
 * continues with the next one, or with the files, and is retried with growing waits; it gives up on what never comes
 * back (room not found, permission denied).
 */
import { HUB_CODES, type Hub, HubError } from '../hub/hub.ts'
import { daemonAddress } from './daemon-address.ts'
import { type DaemonSocket, openDaemonSocket } from './daemon-socket.ts'
import { type LocalHub, watchedLocalHub } from './local-hub.ts'

export interface LastingHub extends Hub {
  end(): Promise<void>
}

export async function lastingHub(local: LocalHub): Promise<LastingHub> {
  const { home, world } = local
  const here = await watchedLocalHub(local)
  let socket: Promise<DaemonSocket> | null = null
  let ended = false

  async function source(): Promise<Source> {
    for (;;) {
      const known = socket
      const opened = await known?.catch(() => null)
      if (opened !== null && opened?.isClosed() === false) return { hub: opened, closed: opened.closed }
      // Another call has opened the next one meanwhile.
      if (known === socket) break
    }
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

/**
 * The same, opened at the first call, so that a server answers at once. If `open` fails, the call fails, and the next call
 * tries again.
 * @param refusal makes the error of the call from that of `open`
 */
export function openedLater(
  open: () => Promise<LastingHub>,
  refusal: (error: unknown) => HubError,
): LastingHub {
  let opening: Promise<LastingHub> | null = null

  async function opened(): Promise<LastingHub> {
    opening ??= open()
    const present = opening
    try {
      return await present
    } catch (error) {
      if (opening === present) opening = null
      throw refusal(error)
    }
  }

  return {
    call: async (principal, method, params) => (await opened()).call(principal, method, params),
    subscribe: async (principal, of, on) => (await opened()).subscribe(principal, of, on),
    end: async () => (await opening?.catch(() => null))?.end(),
  }
}

/** The hub to use now; `closed` resolves when it is gone, `null` if it stays as long as this process. */
export interface Source {
  readonly hub: Hub
  readonly closed: Promise<void> | null
}

/** The sequence number of the last event, kept by the subscriber. */
interface Progress {
  since?: number
}

interface LastingSubscription {
  source(): Promise<Source>
  subscribe(hub: Hub, progress: Progress): Promise<() => void>
  isEnded(): boolean
  /** Calls once after so many milliseconds. */
  after(ms: number, run: () => void): unknown
}

const FIRST_WAIT_MS = 200
const LONGEST_WAIT_MS = 5_000

export async function lastingSubscription({
  source,
  subscribe,
  isEnded,
  after,
}: LastingSubscription): Promise<() => void> {
  const progress: Progress = {}
  let stopped = false
  let stop = (): void => {}

  async function attach(): Promise<void> {
    const { hub, closed } = await source()
    stop = await subscribe(hub, progress)
    if (stopped) return stop()
    void closed?.then(again)
  }

  async function again(): Promise<void> {
    for (let wait = FIRST_WAIT_MS; !stopped && !isEnded(); wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        return await attach()
      } catch (error) {
        if (isPermanent(error)) return
      }
      await new Promise<void>((resolve) => void after(wait, resolve))
    }
  }

  await attach()
  return () => {
    stopped = true
    stop()
  }
}

function isPermanent(error: unknown): boolean {
  if (!(error instanceof HubError)) return false
  return (
    error.code === HUB_CODES.missing || error.code === HUB_CODES.denied || error.code === HUB_CODES.params
  )
}
