/** Asking again after changes, however fast they come: never twice at once, and with a pause between. */
import { useEffect, useRef } from 'preact/hooks'

interface Refresh {
  /** What is asked about: another one asks at once, and ends what is on its way. Null asks nothing. */
  readonly key: string | null
  /** When this changes, the answer is out of date. */
  readonly version: unknown
  readonly pauseMs: number
}

/** @param ask handles its own failures */
export function useRefresh(ask: (signal: AbortSignal) => Promise<void>, { key, version, pauseMs }: Refresh) {
  const latest = useRef(ask)
  latest.current = ask
  const again = useRef(() => {})
  const seen = useRef(version)
  useEffect(() => {
    if (key === null) return
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let state: 'idle' | 'waiting' | 'asking' | 'outdated' = 'idle'
    const run = async () => {
      state = 'asking'
      await latest.current(stop.signal)
      const isOutdated = (state as string) === 'outdated'
      state = 'idle'
      if (isOutdated && !stop.signal.aborted) again.current()
    }
    again.current = () => {
      if (state === 'asking') state = 'outdated'
      if (state !== 'idle') return
      state = 'waiting'
      timer = setTimeout(() => void run(), pauseMs)
    }
    void run()
    return () => {
      again.current = () => {}
      clearTimeout(timer)
      stop.abort()
    }
  }, [key])
  useEffect(() => {
    if (Object.is(seen.current, version)) return
    seen.current = version
    again.current()
  }, [version])
}
