/**
 * The hub: everything that a client can do, as methods by name with checked parameters. Neo, the command line and all
 * servers call these and nothing else. Invariant 1: no method runs without a recorded decision of policy. Invariant 2:
 * parameters are checked before it. Invariant 3: `NeoControl.say` resolves when the message is saved and will get its turn,
 * not when the turn is over. Invariant 4, for calls that wait before the hub of a daemon: their number is bounded, and a
 * call beyond it is refused as busy; a call that waits for something other than the home lets the next one pass; stops do
 * not wait for calls that they may have to end.
 */
import type { Principal } from '../domain/policy/policy-acts.ts'
import type { ScopeSpeaker } from '../domain/policy/scope-types.ts'
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
   * a promise: then the next event waits for it, and a subscriber that falls too far behind has to resync.
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

export interface ConversationMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  /** ISO 8601 UTC. */
  readonly timestamp: string
  readonly tokenCount: number
  readonly sessionId?: string
  readonly taskId?: string
}

export interface ConversationView {
  readonly messages: readonly ConversationMessage[]
  readonly totalTokens: number
  readonly lastCompactedAt: string | null
  readonly status: 'idle' | 'thinking' | 'waiting_for_input'
  readonly currentTaskId: string | null
  readonly currentSessionId: string | null
  /** What the present answer has said since its last action. */
  readonly saying?: string
}

export interface Sayer {
  /** `human`, `member:<id>`, `neo:<room>`, `session:<id>` */
  readonly from: string
  /** For whom, if that is someone else: their rights hold. No file in git names them. */
  readonly speakers: readonly ScopeSpeaker[]
}

export interface NeoControl {
  say(room: string, content: string, by: Sayer): Promise<void>
  context(room: string): ConversationView
  /** Folds older messages into the summary. */
  compact(room: string): Promise<void>
  /** Closes the conversation and begins a new one; the transcript stays. */
  clear(room: string): Promise<void>
  /** Ends the answer that Neo is working on; what it has said and done so far stays. */
  stop(room: string): 'stopped' | 'idle'
}

/** What a room without Neo shows. */
export const SILENT: ConversationView = {
  messages: [],
  totalTokens: 0,
  lastCompactedAt: null,
  status: 'idle',
  currentTaskId: null,
  currentSessionId: null,
}

/** Carried out when its turn has come; `leave` lets the next one pass before it is done. */
type Passing<T> = (leave: () => void) => Promise<T>

interface Gate {
  /** Rejects with HubError `busy` where too many are inside. */
  pass<T>(method: string, passing: Passing<T>): Promise<T>
}

const MOST_INSIDE = 1_000

/** Calls that end what others wait for. */
const STOPS: ReadonlySet<string> = new Set(['context.stop', 'scope.stop', 'session.stop'])

export function isStop(method: string): boolean {
  return STOPS.has(method)
}

export function openGate(most: number = MOST_INSIDE): Gate {
  const [usual, stops] = [openWay(most), openWay(most)]
  return { pass: (method, passing) => (isStop(method) ? stops : usual)(passing) }
}

function openWay(most: number): <T>(passing: Passing<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve()
  /** Those that have left and are not done count too. */
  let inside = 0
  let before = 0
  return async (passing) => {
    if (inside >= most)
      throw new HubError(HUB_CODES.busy, `Too many calls: ${most} are waiting already; try again in a moment`)
    const turn = before === 0 ? null : last
    inside++
    before++
    let leave = (): void => {}
    last = new Promise((resolve) => {
      leave = () => {
        before--
        leave = () => {}
        resolve()
      }
    })
    try {
      if (turn !== null) await turn
      return await passing(() => leave())
    } finally {
      leave()
      inside--
    }
  }
}
