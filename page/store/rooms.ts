/** The rooms that the person who is signed in may see. */
import { useMemo } from 'preact/hooks'
import { useChannel } from './channels.ts'
import type { RoomBrief } from './types.ts'

const natural = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** In the order of their names, archived ones too; `null` until they are here. */
export function useRooms(): readonly RoomBrief[] | null {
  const { value } = useChannel<{ readonly rooms: Readonly<Record<string, RoomBrief>> }>('lobby:rooms')
  const rooms = value.value?.rooms
  return useMemo(
    () =>
      rooms === undefined ? null : Object.values(rooms).toSorted((a, b) => natural.compare(a.name, b.name)),
    [rooms],
  )
}

export function isOpen({ status }: RoomBrief): boolean {
  return status !== 'archived'
}
