/**
 * The hub over a home of its own: real files, real git, no daemon. Takes files to begin with; gives the hub, callers and
 * what calls end with. Each result is held against the schema of its method.
 */
import { onTestFinished } from 'vitest'
import { openLocalControl } from '../../src/aoi/local-control.ts'
import { composeWorld } from '../../src/compose.ts'
import { type CallQueue, openCallQueue } from '../../src/compose-orchestrator.ts'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import type { Context } from '../../src/engine/context.ts'
import { openHome } from '../../src/engine/open-engine.ts'
import { runRounds } from '../../src/engine/round.ts'
import { HubError, type NeoControl } from '../../src/hub/hub.ts'
import { type MethodName, type ParamsOf, type ResultOf, TABLE } from '../../src/hub/method-table.ts'
import { type OpenedHub, openHub } from '../../src/hub/open-hub.ts'
import { type Home, makeHome, until } from '../path/home.ts'

export const HUMAN: Principal = { kind: 'human' }
export const NEO: Principal = { kind: 'neo', room: 'shop' }
export const LOBBY_NEO: Principal = { kind: 'neo', room: 'lobby' }
export const SESSION: Principal = { kind: 'session', id: 's-aaaaaa', room: 'shop' }
export const PEER: Principal = { kind: 'peer', id: 'qa-else' }
export const EDITOR: Principal = { kind: 'editor' }

export interface HubHome {
  readonly home: Home
  readonly hub: OpenedHub
  /** Where calls and rounds wait for each other, as in the daemon. */
  readonly turn: CallQueue
  readonly context: Context
  /** Calls as this principal; the result is checked. */
  call<N extends MethodName>(method: N, params: ParamsOf<N>, as?: Principal): Promise<ResultOf<N>>
  /** What a call ends with, where it is refused. */
  refusal(method: string, params: unknown, as?: Principal): Promise<Refused>
  audit(): readonly Audited[]
}

export interface Refused {
  readonly code: number
  readonly rule?: string
  readonly ask?: string
  readonly issues?: readonly { readonly path: readonly unknown[]; readonly message: string }[]
  readonly message: string
}

export interface Audited {
  readonly who: string
  readonly method: string
  readonly effect: string
  readonly rule: string
}

export async function hubHome(
  files: Readonly<Record<string, string>> = {},
  more: { readonly neo?: NeoControl } = {},
): Promise<HubHome> {
  const home = makeHome(files)
  const world = await composeWorld(home.dir)
  onTestFinished(() => world.git.close())
  const context = await openHome({ home: home.dir, world, settleMs: 0 })
  const turn = openCallQueue(context)
  const peers = async () => openLocalControl(context)
  const opened = openHub({ context, table: TABLE, aside: turn.aside, peers, ...more })
  const hub: OpenedHub = Object.assign(Object.create(opened), {
    call: (...of: Parameters<OpenedHub['call']>) => turn.run(() => opened.call(...of)),
    subscribe: (...of: Parameters<OpenedHub['subscribe']>) => turn.run(() => opened.subscribe(...of)),
  })
  return {
    home,
    hub,
    turn,
    context,
    async call(method, params, as = HUMAN) {
      const result = await hub.call(as, method, params)
      return TABLE.get(method)?.result.parse(result) as ResultOf<typeof method>
    },
    async refusal(method, params, as = HUMAN) {
      const error = await hub.call(as, method, params).then(
        (result) => new Error(`${method} gave ${JSON.stringify(result)}`),
        (thrown: unknown) => thrown,
      )
      if (!(error instanceof HubError)) throw error
      return { code: error.code, message: error.message, ...(error.data as object) }
    },
    audit: () =>
      home
        .read('.git/neo/audit.jsonl')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Audited),
  }
}

/** Author and subject of the last commit. */
export function last(home: Home): string {
  return home.git('log', '-1', '--format=%an: %s')
}

/** A trailer of the last commit; '' where it has none. */
export function trailer(home: Home, key: string): string {
  return home.git('log', '-1', `--format=%(trailers:key=${key},valueonly)`).trim()
}

/** Goes round the path as the daemon does, from the first round on until the test ends. */
export async function turning(home: HubHome): Promise<HubHome> {
  const { context, hub, turn } = home
  let going = true
  let turned = 0
  const loop = (async () => {
    while (going) {
      const { snapshot } = await context.exclusive(() => runRounds(context, 'all', { allow: () => true }))
      hub.changed(snapshot)
      await turn.run(() => hub.carryOut(snapshot))
      turned++
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  })()
  onTestFinished(async () => {
    going = false
    await loop
    await Promise.all([...context.sessions.facts().keys()].map((id) => context.sessions.stop(id, 'end')))
  })
  await until(() => turned > 0)
  return home
}
