/**
 * The hub: everything that a client can do, as methods by name with checked parameters. Neo, the command line and all
 * doors call these and nothing else. Invariant 1: no method runs without a recorded decision of policy. Invariant 2:
 * parameters are checked before it.
 */

import type { Principal } from '../domain/policy/policy-acts.ts'
import { maskKnown } from '../domain/secrets/known-secrets.ts'

export interface HubEvent {
  readonly channel: string
  /** Grows by one a channel. */
  readonly seq: number
  /** `{snapshot}`, `{resync: true, snapshot}`, `{change}`, or last `{ended: why}`. */
  readonly data: unknown
}

export interface Hub {
  /** Throws HubError. */
  call(principal: Principal, method: string, params: unknown): Promise<unknown>
  /**
   * The present state first (or what came after `since`), then every change in order. Gives what ends it. `on` may give
   * a promise: then the next event waits for it, and a subscriber that falls too far behind is told to resync.
   */
  subscribe(
    principal: Principal,
    of: { readonly channel: string; readonly since?: number },
    on: (event: HubEvent) => void | Promise<void>,
  ): Promise<() => void>
}

export const HUB_CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  denied: -32001,
  missing: -32002,
  busy: -32004,
} as const

export class HubError extends Error {
  override readonly name = 'HubError'
  /** @param data for `params`: `{issues: [{path, message}]}`; for `denied`: `{rule, reason, ask?}` */
  constructor(
    readonly code: (typeof HUB_CODES)[keyof typeof HUB_CODES],
    message: string,
    readonly data?: unknown,
  ) {
    // It goes to every caller, members and models too.
    super(maskKnown(message))
  }
}

/** For a value that only the method itself can judge. */
export function badParams(path: readonly (string | number)[], message: string): HubError {
  const what = path.length === 0 ? 'parameters' : path.join('.')
  return new HubError(HUB_CODES.params, `Invalid ${what}: ${message}`, {
    issues: [{ path: [...path], message }],
  })
}
