/** What the palette opens over the page: a new task in a room, the list of keys. */
import { signal } from '@preact/signals'

export type Over = { readonly kind: 'task'; readonly room: string } | { readonly kind: 'keys' }

export const over = signal<Over | null>(null)

export function newTaskIn(room: string): void {
  over.value = { kind: 'task', room }
}

export function showKeys(): void {
  over.value = { kind: 'keys' }
}

export function closeOver(): void {
  over.value = null
}
