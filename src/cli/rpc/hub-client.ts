/**
 * How a command writes: through the hub of the daemon that runs, or through the hub in this process if none does. Both
 * make the same checks, the same commit and the same audit line. Invariant 1: what policy refuses is refused; nothing
 * else is done in its place. Invariant 2: if the daemon has not seen what the files say, the hub in this process does it
 * beside the daemon. Invariant 3: the hub in this process is loaded only when it is needed.
 */
import { composeAlive } from '../../compose.ts'
import type { NeoError } from '../../domain/home/error.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type { MethodName, ParamsOf, ResultOf } from '../../hub/method-table.ts'
import type { Files } from '../../ports/world.ts'
import type { Call } from '../spec.ts'
import { sayingOf, servedAt } from './daemon-file.ts'
import { failureOf, unknownEnd, whyOf } from './rpc-failure.ts'
import type { Line } from './post.ts'
import type { HubOfCommand } from './with-hub.ts'

export interface HubClient {
  /** Throws NeoError: `refused`, `missing`, `usage`, or `failed` if it can't be done or nobody knows whether it was. */
  call<N extends MethodName>(method: N, params: ParamsOf<N>): Promise<ResultOf<N>>
  /** Whose hub carried out the last call. */
  by(): 'daemon' | 'here'
}

interface At {
  readonly home: string
  readonly files: Files
  /** `any`: also in a home that this user does not trust. */
  readonly trust?: 'any'
}

/** One client for all that a command writes. */
export async function withHubClient<T>(call: Call, at: At, work: (hub: HubClient) => Promise<T>): Promise<T> {
  const line = await lineTo(at)
  let here: HubOfCommand | null = null
  let by: 'daemon' | 'here' = 'here'
  const client: HubClient = {
    async call<N extends MethodName>(method: N, params: ParamsOf<N>) {
      const said = line === null ? null : await toDaemon(call, line, { method, params })
      by = said === null ? 'here' : 'daemon'
      if (said !== null) return said.result as ResultOf<N>
      here ??= await (await import('./with-hub.ts')).openHubOfCommand(call, at.trust)
      try {
        return (await here.act(method, params)) as ResultOf<N>
      } catch (error) {
        throw error instanceof HubError ? failure(error) : error
      }
    },
    by: () => by,
  }
  try {
    return await work(client)
  } finally {
    await (here as HubOfCommand | null)?.close()
  }
}

async function lineTo({ home, files }: { home: string; files: Files }): Promise<Line | null> {
  if (sayingOf(home, files) === null) return null
  const served = servedAt(home, files, await composeAlive())
  return served === null ? null : (await import('./post.ts')).openLine(served)
}

/** Its result; null if the hub in this process has to do it. */
async function toDaemon(
  call: Call,
  line: Line,
  { method, params }: { readonly method: string; readonly params: unknown },
): Promise<{ readonly result: unknown } | null> {
  const said = await line.ask(method, params)
  switch (said.kind) {
    case 'result':
      return said
    case 'unheard':
      call.out.note({ text: `The daemon does not take it (${said.why}): done in the files.`, style: 'dim' })
      return null
    case 'cut':
      throw unknownEnd(said.why)
    case 'error': {
      const code = Object.values(HUB_CODES).find((one) => one === said.code) ?? HUB_CODES.internal
      if (isLeftToFiles(method, code)) return null
      throw failure(new HubError(code, said.message, said.data))
    }
  }
}

/** The daemon may know less than the files say. Whether an approval can be carried out now, the daemon alone knows. */
function isLeftToFiles(method: string, code: number): boolean {
  if (code === HUB_CODES.busy) return method !== 'ask.decide'
  return code === HUB_CODES.missing || code === HUB_CODES.params
}

function failure(error: HubError): NeoError {
  const { next = '' } = (error.data ?? {}) as { readonly next?: string }
  return failureOf(error, { why: whyOf(error.data), next })
}
