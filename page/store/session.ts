/** Who is signed in, and what they may do. */
import { signal } from '@preact/signals'

export interface Me {
  /** `human` for the owner, `member:ID`. */
  readonly who: string
  readonly name: string
  /** Permissions in the home as a whole, and by room; the names are in docs/api.md. */
  readonly home: readonly string[]
  readonly rooms: Readonly<Record<string, readonly string[]>>
  /** By room, for tasks that run commands. */
  readonly withCommands: Readonly<Record<string, readonly string[]>>
  /** Rooms whose tasks run commands unless they name another worker. */
  readonly commandRooms: readonly string[]
  /** Of a member. */
  readonly role: string | null
}

/** Null until the server has answered. */
export const me = signal<Me | null>(null)
export const signedOut = signal(false)

/**
 * Whether to offer it. The hub decides again at the call.
 * @param worker of the task that it is about; null: the room's
 */
export function may(act: string, room: string | null = null, worker?: string | null): boolean {
  const who = me.value
  if (who === null) return false
  if (room === null) return who.home.includes(act)
  const runsCommands =
    worker === null ? who.commandRooms.includes(room) : worker !== undefined && COMMANDS.test(worker)
  const rooms = runsCommands ? who.withCommands : who.rooms
  return Object.hasOwn(rooms, room) && rooms[room]?.includes(act) === true
}

const COMMANDS = /^(?:shell|exec|peer)\b/

/** In at least one room. */
export function mayAnywhere(act: string): boolean {
  return Object.values(me.value?.rooms ?? {}).some((acts) => acts.includes(act))
}

export async function loadMe(): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'me.get', params: {} })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch('/rpc', { method: 'POST', headers, body })
  if (answer.status === 401) {
    signOutHere()
    return
  }
  const { result } = (await answer.json()) as { readonly result?: Me }
  if (result !== undefined) me.value = result
}

/** The cookie is no longer valid. The shell shows how to sign in again. */
export function signOutHere(): void {
  signedOut.value = true
}

export async function signOut(): Promise<void> {
  await fetch('/sign-out', { method: 'POST' })
  location.assign('/')
}

/** Ends the sign-ins of all other browsers of this person; this one stays. */
export async function signOutOthers(): Promise<number> {
  const answer = await fetch('/sign-out-others', { method: 'POST' })
  if (!answer.ok) throw new Error("Can't end the other sign-ins. Try again.")
  return ((await answer.json()) as { readonly ended: number }).ended
}
