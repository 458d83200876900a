/** What a time means while it is typed: in words, its next runs, and what is wrong with it. Asks the hub. */
import { useEffect, useState } from 'preact/hooks'
import { call } from '../../store/rpc.ts'
import type { Kind } from './schedule-words.ts'

export interface Checked {
  readonly nextRuns: readonly string[]
  readonly zone: string
  readonly problems: readonly {
    readonly severity: 'error' | 'warning'
    readonly message: string
    readonly hint: string
  }[]
}

interface Typed {
  readonly room: string
  /** Undefined: a new schedule. */
  readonly name: string | undefined
  readonly kind: Kind
  readonly when: string
  readonly zone: string
}

/** A pause in typing. */
const PAUSE_MS = 150

/** Null until the first answer. The last answer stays while the next one is on its way. */
export function useScheduleCheck({ room, name, kind, when, zone }: Typed): Checked | null {
  const [checked, setChecked] = useState<Checked | null>(null)
  useEffect(() => {
    if (room === '' || when.trim() === '') {
      setChecked(null)
      return
    }
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const asked = {
        roomId: room,
        [kind]: when.trim(),
        ...(name === undefined ? {} : { name }),
        ...(zone.trim() === '' ? {} : { timezone: zone.trim() }),
      }
      // Without an answer, saving says what is wrong.
      call<Checked>('schedule.check', asked, stop.signal).then(setChecked, () => {})
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [room, name, kind, when, zone])
  return checked
}
