/**
 * The connection of a channel to its service, as neo.yaml and `.env` say now. Invariant 1: a wrong setting, a refused login
 * or a missing library closes this channel alone, and is reported. Invariant 2: changed settings count without a restart, and at once. Invariant 3: a service that refuses is
 * asked again when it says, else less and less often.
 */
import type { HomeConfig } from '../domain/home/home-config.ts'
import { accountsWanted } from '../domain/policy/channel-kinds.ts'
import { accountsIn, wrongAllowFrom } from '../domain/policy/known-people.ts'
import type { Context } from '../engine/context.ts'
import { ownersIn } from '../engine/people/member-files.ts'
import { dueAgain, grownWait, type Waits } from '../domain/text/grown-wait.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** What a channel makes of its own keys in neo.yaml. A text says what is wrong with them, without their secrets. */
export type ReadOwn<S> = (own: Readonly<Record<string, unknown>>, env: Env) => S | string

export type ReadChannel<S> =
  | { readonly kind: 'on'; readonly settings: S; readonly allowFrom: readonly string[] }
  | { readonly kind: 'off' }
  | { readonly kind: 'wrong'; readonly why: string }

export function readChannel<S extends object>(
  { rest }: Pick<HomeConfig, 'rest'>,
  { name, env, read }: { readonly name: string; readonly env: Env; readonly read: ReadOwn<S> },
): ReadChannel<S> {
  const all = (rest['channels'] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>
  const own = all[name]
  if (own?.['enabled'] !== true) return { kind: 'off' }
  const allowFrom = accountsIn(own['allow_from'], name)
  const [wrong] = wrongAllowFrom(allowFrom, name)
  if (wrong !== undefined)
    return {
      kind: 'wrong',
      why: `channels.${name}.allow_from contains "${wrong}": use ${accountsWanted(name)}; names can change hands`,
    }
  const settings = read(own, env)
  return typeof settings === 'string' ? { kind: 'wrong', why: settings } : { kind: 'on', settings, allowFrom }
}

export interface Connecting<S extends object, O> {
  readonly name: string
  readonly readSettings: ReadOwn<S>
  /** Rejects if the service refuses, or does not answer for a limited time. */
  connect(settings: S): Promise<O>
  /** Why that failed, without secrets. `afterMs`: how long the service wants to be left alone. */
  whyNot(error: unknown, settings: S): { readonly why: string; readonly afterMs?: number | undefined }
  /** Between attempts, if the service doesn't say. */
  readonly waits?: Waits
  /** For a connection that lasts, such as a socket; it is made again once it is over. */
  readonly lasting?: { isOver(open: O): boolean; end(open: O): void }
}

export interface Connection<O> {
  /** `null`: the channel is off, or can't connect now, which was reported. */
  open(): Promise<O | null>
  /** Accounts of the person whose home this is. */
  allowFrom(): readonly string[]
  end(): void
}

interface Made<O> {
  readonly of: string
  readonly opening: Promise<O>
  open?: O
}

/** Attempts with these settings that failed in a row. */
interface Failed {
  readonly of: string
  readonly count: number
  /** Epoch ms. */
  readonly at: number
  readonly waitMs: number
}

const WAITS: Waits = { first: 1_000, most: 60_000 }

export function openConnection<S extends object, O>(
  { name, readSettings, connect, whyNot, lasting, waits = WAITS }: Connecting<S, O>,
  { context, trouble }: { readonly context: Context; readonly trouble: (why: string | null) => void },
): Connection<O> {
  let made: Made<O> | null = null
  let failed: Failed | null = null
  const { clock } = context.world
  const now = () => {
    const found = readChannel(context.look.config(), { name, env: context.env, read: readSettings })
    if (found.kind === 'wrong') trouble(found.why)
    return found.kind === 'on' ? found : null
  }
  const end = (): void => {
    if (lasting !== undefined) void made?.opening.then(lasting.end, () => {})
    made = null
  }
  const begin = (settings: S, of: string): Made<O> => {
    const own: Made<O> = { of, opening: connect(settings) }
    own.opening.then(
      (open) => {
        own.open = open
        failed = null
      },
      (error: unknown) => {
        if (made !== own) return
        made = null
        const { why, afterMs } = whyNot(error, settings)
        const count = failed?.of === of ? failed.count + 1 : 1
        failed = { of, count, at: clock.now(), waitMs: afterMs ?? grownWait(waits, count) }
        trouble(why)
      },
    )
    return own
  }
  const isTooSoon = (of: string): boolean =>
    failed?.of === of && clock.now() < dueAgain(failed.at, failed.waitMs, clock.now())
  return {
    async open() {
      const settings = now()?.settings
      const of = JSON.stringify(settings ?? null)
      const isOver = made?.open !== undefined && lasting?.isOver(made.open) === true
      if (made?.of !== of || isOver) end()
      if (settings === undefined || (made === null && isTooSoon(of))) return null
      made ??= begin(settings, of)
      return made.opening.catch(() => null)
    },
    allowFrom: () => ownersIn(context, now()?.allowFrom ?? []),
    end,
  }
}
