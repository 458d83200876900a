/** Who is signed in. */
import { signal } from '@preact/signals'

export interface Me {
  readonly kind: 'human' | 'member'
  /** The member's id; '' for the owner. */
  readonly id: string
}

/** Null until the server has answered. */
export const me = signal<Me | null>(null)
export const signedOut = signal(false)

export async function loadMe(): Promise<void> {
  const answer = await fetch('/me', { cache: 'no-store' })
  if (answer.status === 401) return signOutHere()
  if (!answer.ok) return
  const { kind, id } = (await answer.json()) as { kind: string; id?: string }
  me.value = { kind: kind === 'member' ? 'member' : 'human', id: id ?? '' }
}

/** The cookie is no longer valid. The shell shows how to sign in again. */
export function signOutHere(): void {
  signedOut.value = true
}

export async function signOut(): Promise<void> {
  await fetch('/sign-out', { method: 'POST' })
  location.assign('/')
}
