/** Typed text that isn't sent yet. It survives a reload, and goes away when it is sent. */
import { type Signal, signal } from '@preact/signals'

const PREFIX = 'draft:'
const drafts = new Map<string, Signal<string>>()

/** @param key what the text is for, such as `reject t-abc` */
export function draft(key: string): Signal<string> {
  const known = drafts.get(key)
  if (known !== undefined) return known
  const made = signal(stored(key) ?? '')
  made.subscribe((text) => store(key, text))
  drafts.set(key, made)
  return made
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(PREFIX + key)
  } catch {
    return null
  }
}

/** A full or forbidden storage costs only the draft. */
function store(key: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(PREFIX + key)
    else localStorage.setItem(PREFIX + key, text)
  } catch {
    // The text stays in memory.
  }
}
