/** Keys: one listener for the whole page. A key in a field belongs to the field. */
import { isOffered, PLACES } from '../../store/places.ts'
import { go } from '../../store/routes.ts'

type Handler = () => void

interface Binding {
  readonly what: string
  readonly run: Handler
}

const escapes: Handler[] = []
/** By key, the last one counts: a detail may use a key of the list behind it. */
const bound = new Map<string, readonly Binding[]>()

/** The last one that was registered gets Esc. Returns what removes it. */
export function onEscape(run: Handler): () => void {
  escapes.push(run)
  return () => void escapes.splice(escapes.indexOf(run), 1)
}

/** @param key as `KeyboardEvent.key`, with `Ctrl+` in front if it is a command: `c`, `Ctrl+k` */
export function bindKey(key: string, what: string, run: Handler): () => void {
  const binding = { what, run }
  bound.set(key, [...(bound.get(key) ?? []), binding])
  return () => {
    const left = (bound.get(key) ?? []).filter((one) => one !== binding)
    if (left.length === 0) bound.delete(key)
    else bound.set(key, left)
  }
}

export interface KeyHelp {
  readonly keys: readonly string[]
  readonly what: string
}

/** What can be pressed now. Keys that do the same are one row. */
export function keysNow(): readonly KeyHelp[] {
  const rows = new Map<string, string[]>()
  for (const [key, bindings] of bound) {
    const what = bindings.at(-1)?.what ?? ''
    rows.set(what, [...(rows.get(what) ?? []), key])
  }
  return [...rows].map(([what, keys]) => ({ keys, what }))
}

const SEQUENCES = new Map(PLACES.flatMap((place) => (place.key === '' ? [] : [[place.key, place] as const])))
/** `g` and the next key within this time go to a view. */
const SEQUENCE_MS = 1_200
let startedAt = Number.NEGATIVE_INFINITY

export function listenForKeys(): () => void {
  const take = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    const isCommand = event.ctrlKey || event.metaKey
    if (event.key === 'Escape') return leave(event)
    if (isCommand) return run(event, `Ctrl+${event.key.toLowerCase()}`)
    if (event.altKey || isField(targetOf(event))) return
    const place = SEQUENCES.get(event.key)
    if (place !== undefined && isOffered(place) && event.timeStamp - startedAt < SEQUENCE_MS) {
      startedAt = Number.NEGATIVE_INFINITY
      event.preventDefault()
      return go(place.address)
    }
    if (event.key === 'g') startedAt = event.timeStamp
    else run(event, event.key)
  }
  document.addEventListener('keydown', take)
  return () => document.removeEventListener('keydown', take)
}

/** Leaves the field, else closes what was opened last. */
function leave(event: KeyboardEvent): void {
  if (document.querySelector('dialog[open]') !== null) return
  const target = targetOf(event)
  if (isField(target)) target.blur()
  else escapes.at(-1)?.()
}

function run(event: KeyboardEvent, key: string): void {
  const found = bound.get(key)?.at(-1)
  if (found === undefined || document.querySelector('dialog[open]') !== null) return
  event.preventDefault()
  found.run()
}

/** Also inside a shadow root, such as that of the editor of files. */
function targetOf(event: Event): EventTarget | null {
  return event.composedPath()[0] ?? null
}

function isField(target: EventTarget | null): target is HTMLElement {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}
