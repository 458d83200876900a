/**
 * How a command acts: through the hub of the daemon that runs, or in the files where none does. The outcome is the same.
 * Takes a method with its parameters, how its result is shown, and the same by files; gives what is shown.
 * Leaves to post.ts: the line to the daemon; to each command: what it does by files, which is also what it checks first.
 * Invariant 1: what policy refuses is refused; nothing else is done in its place.
 * Invariant 2: where the daemon has not seen what the files say, or knows less of them than the command, the files count.
 * Invariant 3: without a daemon nothing more is loaded than the files need.
 */
import { composeAlive } from '../../compose.ts'
import type { NeoError } from '../../core/model/error.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import type { MethodName, ParamsOf, ResultOf } from '../../hub/table.ts'
import type { Files } from '../../ports.ts'
import type { Call } from '../spec.ts'
import { type ServedAt, sayingOf, servedAt } from './daemon-file.ts'
import { failureOf, unknownEnd, whyOf } from './failure.ts'
import type { Answered, Line } from './post.ts'

export interface Acts<N extends MethodName, T> {
  readonly method: N
  readonly params: ParamsOf<N>
  /** What came of it, from the hub's result. */
  readonly shown: (result: ResultOf<N>) => T | Promise<T>
  /** The same without the hub. */
  readonly byFiles: () => T | Promise<T>
  /** `said`: that the hub cannot do it now ends the command; otherwise the files decide what is so. */
  readonly busy?: 'said'
}

export type Act = <N extends MethodName, T>(acts: Acts<N, T>) => Promise<T>

/** One line to the daemon for all that a command does. Throws NeoError: `refused`, or `failed` where nobody knows. */
export function openAct(call: Call, at: { readonly home: string; readonly files: Files }): Act {
  let open: Promise<Line | null> | null = null
  return async ({ method, params, shown, byFiles, busy }) => {
    open ??= lineTo(at)
    const line = await open
    if (line === null) return await byFiles()
    const said = await line.ask(method, params)
    if (said.kind === 'result') return await shown(said.result as Parameters<typeof shown>[0])
    if (said.kind === 'unheard') sayUnheard(call, said.why)
    else if (said.kind === 'cut') throw unknownEnd(said.why)
    else if (!isLeftToFiles(said.code, busy)) throw failure(said)
    return await byFiles()
  }
}

async function lineTo({ home, files }: { home: string; files: Files }): Promise<Line | null> {
  if (sayingOf(home, files) === null) return null
  const served: ServedAt | null = servedAt(home, files, await composeAlive())
  return served === null ? null : (await import('./post.ts')).openLine(served)
}

function isLeftToFiles(code: number, busy: 'said' | undefined): boolean {
  if (code === HUB_CODES.busy) return busy === undefined
  return code === HUB_CODES.missing || code === HUB_CODES.params
}

function sayUnheard({ out }: Call, why: string): void {
  out.note({ text: `The daemon does not take it (${why}): done in the files.`, style: 'dim' })
}

function failure(said: Extract<Answered, { kind: 'error' }>): NeoError {
  const code = Object.values(HUB_CODES).find((one) => one === said.code) ?? HUB_CODES.internal
  const { next = '' } = (said.data ?? {}) as { readonly next?: string }
  return failureOf(new HubError(code, said.message, said.data), { why: whyOf(said.data), next })
}
