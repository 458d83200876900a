/** Who is signed in, and what they may do. */
import { signal } from '@preact/signals'

export interface Me {
  /** `human` for the owner, `member:ID`. */
  readonly who: string
  readonly name: string
  /** Permissions in the home as a whole, and by room; the names are in docs/api.md. */
  readonly home: readonly string[]
  readonly rooms: Readonly<Record<string, readonly string[]>>
}

/** Null until the server has answered. */
export const me = signal<Me | null>(null)
export const signedOut = signal(false)

/** Whether to offer it. The hub decides again at the call. */
export function may(act: string, room: string | null = null): boolean {
  const who = me.value
  if (who === null) return false
  return (room === null ? who.home : (who.rooms[room] ?? [])).includes(act)
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
