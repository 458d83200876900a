/** What was opened with the palette last, in this browser. */

export interface Recent {
  readonly label: string
  readonly note: string
  readonly address: string
}

const KEY = 'recent'
const MOST = 6

export function recents(): readonly Recent[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isRecent).slice(0, MOST) : []
  } catch {
    return []
  }
}

function isRecent(value: unknown): value is Recent {
  const { label, note, address } = (value ?? {}) as Partial<Recent>
  return (
    typeof label === 'string' &&
    typeof note === 'string' &&
    typeof address === 'string' &&
    address.startsWith('/')
  )
}

export function noteRecent({ label, note, address }: Recent): void {
  const others = recents().filter((one) => one.address !== address)
  try {
    localStorage.setItem(KEY, JSON.stringify([{ label, note, address }, ...others].slice(0, MOST)))
  } catch {
    // A full or forbidden storage costs only the list.
  }
}
