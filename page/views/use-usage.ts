/** usage.summary, asked again a while after something happened. The last answer stays until the next one is there. */
import { useEffect, useState } from 'preact/hooks'
import { useChannel } from '../store/channels.ts'
import { call } from '../store/rpc.ts'
import type { Summary } from './usage-figures.ts'

/** Bursts of changes cost one question. */
const PAUSE_MS = 2_000

interface Answer {
  readonly summary: Summary | null
  readonly error: string | null
}

/** @param params of usage.summary; null asks nothing */
export function useUsage(params: Readonly<Record<string, unknown>> | null): Answer {
  const { value } = useChannel<unknown>(params === null ? null : 'activity')
  const [answer, setAnswer] = useState<(Answer & { readonly key: string }) | null>(null)
  const key = JSON.stringify(params)
  const isAnswered = answer?.key === key
  useEffect(() => {
    if (params === null) return
    const stop = new AbortController()
    const ask = () =>
      call<Summary>('usage.summary', params, stop.signal).then(
        (summary) => setAnswer({ key, summary, error: null }),
        (failure: Error) => stop.signal.aborted || setAnswer({ key, summary: null, error: failure.message }),
      )
    const timer = setTimeout(() => void ask(), isAnswered ? PAUSE_MS : 0)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [key, value.value])
  return { summary: answer?.summary ?? null, error: answer?.error ?? null }
}
