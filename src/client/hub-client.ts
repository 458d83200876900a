/**
 * How everything outside the daemon calls the hub: over HTTP while a daemon serves it, else through the hub in this
 * process. Both make the same checks, the same commit and the same audit line. Invariant 1: what policy refuses is
 * refused; nothing else is done instead. Invariant 2: if the daemon hasn't seen what the files say, the hub in this
 * process does it beside the daemon. Invariant 3: the hub in this process is loaded only when it is needed.
 */
import { composeAlive } from '../compose.ts'
import { NeoError, type NeoErrorCode } from '../domain/home/error.ts'
import { HUB_CODES, HubError } from '../hub/hub.ts'
import type { MethodName, ParamsOf, ResultOf } from '../hub/method-table.ts'
import type { Files } from '../ports/files-port.ts'
import { type DaemonAddress, daemonAddress, readDaemonFile } from './daemon-address.ts'
import { type Answer, type Connection, hubErrorOf, openConnection } from './json-rpc-request.ts'
import type { LocalHub, LocalHubOptions } from './local-hub.ts'

export interface HubClient {
  /**
   * As the person at the terminal. Throws NeoError: `refused`, `missing`, `usage`, or `failed` if it can't be done or
   * nobody knows whether it was.
   * @param next what the error suggests if the hub suggests nothing
   */
  call<N extends MethodName>(method: N, params: ParamsOf<N>, next?: string): Promise<ResultOf<N>>
  /** The same for a name that somebody typed; throws HubError for what the hub refuses. */
  callAny(method: string, params: unknown): Promise<unknown>
  /** What `neo status` or `neo plan` shows, made in the daemon; `null` if no daemon answers. */
  read<T>(name: ReadName): Promise<T | null>
  /** Whose hub carried out the last call. */
  by(): 'daemon' | 'here'
  /** The hub in this process, opened at its first use. */
  local(): Promise<LocalHub>
  close(): Promise<void>
}

export type ReadName = 'status' | 'plan'

interface ClientOptions extends LocalHubOptions {
  readonly home: string
  readonly files: Files
  /** Takes a remark for the person at the terminal. */
  readonly note: (text: string) => void
}

/** A merge of a large branch takes longest. */
const ANSWER_MS = 120_000
/** A model compacts a conversation or distils memories, or another home answers. */
const MODEL_MS = 600_000
/** Reading the files takes less than this at any size of a home. */
const READ_MS = 20_000

export function openHubClient(options: ClientOptions): HubClient {
  const connect = connector(options)
  let by: 'daemon' | 'here' = 'here'
  let local: Promise<LocalHub> | null = null
  const openLocal = (): Promise<LocalHub> => {
    local ??= import('./local-hub.ts')
      .then(({ openLocalHub }) => openLocalHub(options))
      .catch((error) => {
        // The next call tries again.
        local = null
        throw error
      })
    return local
  }

  async function callAs(method: string, params: unknown, audit: 'never' | 'if-writable'): Promise<unknown> {
    const connection = isRoomMessage(method, params) ? null : await connect()
    const answer =
      connection === null ? null : await connection.ask(method, params, { limitMs: limitOf(method) })
    const done = answer === null ? null : resultOf(answer, { method, note: options.note })
    by = done === null ? 'here' : 'daemon'
    if (done !== null) return done.result
    return (await openLocal()).call({ kind: 'human' }, { method, params, audit })
  }

  return {
    async call(method, params, next = '') {
      try {
        return (await callAs(method, params, 'never')) as ResultOf<typeof method>
      } catch (error) {
        throw error instanceof HubError ? failureOf(error, { next, message: optionMessage(error) }) : error
      }
    },
    callAny: (method, params) => callAs(method, params, 'if-writable'),
    async read<T>(name: ReadName) {
      const answer = await (await connect())?.ask(name, {}, { limitMs: READ_MS, path: '/reads' })
      return answer?.kind === 'result' ? (answer.result as T) : null
    },
    by: () => by,
    local: openLocal,
    close: async () => (await local?.catch(() => null))?.close(),
  }
}

function limitOf(method: string): number {
  if (isReading(method)) return READ_MS
  return /\.(?:distill|compact|renew|send|query|execute|discover)$/.test(method) ? MODEL_MS : ANSWER_MS
}

/** Reading again in this process does no harm. */
export function isReading(method: string): boolean {
  return /\.(?:list|get|browse|overview|search|log|diff|file|fill|summary|timeline|global|transcript|check|preview|story|requests|asked|discover|rules|snapshot)$/.test(
    method,
  )
}

/** A message to a room is a file of its own, which nobody else writes: it needs no daemon. */
function isRoomMessage(method: string, params: unknown): boolean {
  return method === 'message.send' && typeof params === 'object' && params !== null && 'roomId' in params
}

/** Gives the connection to the daemon that serves this home now; `null` without one. */
function connector({ home, files }: ClientOptions): () => Promise<Connection | null> {
  let open: { readonly address: DaemonAddress; readonly connection: Connection } | null = null
  return async () => {
    if (readDaemonFile(home, files) === null) return null
    const address = daemonAddress(home, files, await composeAlive())
    if (address === null) return null
    if (open?.address.pid !== address.pid || open.address.url !== address.url)
      open = { address, connection: openConnection(address) }
    return open.connection
  }
}

interface Asked {
  readonly method: string
  readonly note: (text: string) => void
}

/** `null` if the hub in this process has to do it. */
function resultOf(answer: Answer, { method, note }: Asked): { readonly result: unknown } | null {
  switch (answer.kind) {
    case 'result':
      return answer
    case 'unheard':
      note(`The daemon doesn't answer (${answer.why}): done in the files.`)
      return null
    case 'cut':
      if (isReading(method)) return null
      throw unknownEnd(answer.why)
    case 'error': {
      const error = hubErrorOf(answer)
      if (isLeftToFiles(method, error)) return null
      throw error
    }
  }
}

/** Only the daemon knows whether an approval can be carried out now, when a session starts, and what other homes say. */
const DAEMON_KNOWS: ReadonlySet<string> = new Set([
  'ask.decide',
  'session.create',
  'session.resume',
  'agent.query',
  'agent.execute',
  'agent.discover',
  'agent.inspect',
])

/** The daemon may know less than the files say: a new file that it has not read yet, or one that it still waits for. */
function isLeftToFiles(method: string, { code, data }: HubError): boolean {
  const isSure = typeof data === 'object' && data !== null && 'status' in data
  return code === HUB_CODES.missing || (code === HUB_CODES.busy && !isSure && !DAEMON_KNOWS.has(method))
}

const EXITS: Readonly<Record<HubError['code'], NeoErrorCode>> = {
  [HUB_CODES.parse]: 'usage',
  [HUB_CODES.request]: 'usage',
  [HUB_CODES.method]: 'usage',
  [HUB_CODES.params]: 'usage',
  [HUB_CODES.denied]: 'refused',
  [HUB_CODES.missing]: 'missing',
  [HUB_CODES.busy]: 'failed',
  [HUB_CODES.internal]: 'internal',
}

/**
 * The failure that a command ends with.
 * @param why in place of the hub's own reason
 * @param next if the hub suggests nothing
 * @param message in place of the hub's own
 */
export function failureOf(
  error: HubError,
  { why, next, message }: { readonly why?: string; readonly next: string; readonly message?: string },
): NeoError {
  const data = (typeof error.data === 'object' ? error.data : null) as Readonly<
    Record<string, unknown>
  > | null
  const reason = why ?? String(data?.['why'] ?? '')
  const suggested = String(data?.['next'] ?? next)
  return new NeoError(EXITS[error.code], message ?? error.message, {
    ...(reason === '' ? {} : { why: reason }),
    ...(suggested === '' ? {} : { next: suggested }),
    cause: error,
  })
}

interface Issue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** The error's message, with wrong parameters named as options are: `Invalid depends-on: …` for `updates.dependsOn`. */
function optionMessage({ message, data }: HubError): string {
  const { issues = [] } = (data ?? {}) as { readonly issues?: readonly Issue[] }
  const all = issues.map(({ path, message: says }) => {
    const key = String(path.findLast((part) => typeof part === 'string') ?? '').replace(/Id$/, '')
    const option = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return option === '' ? null : `Invalid ${option}: ${says}`
  })
  return all.length === 0 || all.includes(null) ? message : all.join('; ')
}

/** If a daemon ends after it was asked. */
function unknownEnd(why: string): NeoError {
  return new NeoError('failed', 'Cannot tell whether it was done: the daemon ended before it answered', {
    why,
    next: 'look with neo status; if it was not done, run the command again',
  })
}
