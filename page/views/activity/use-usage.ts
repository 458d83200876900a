/** usage.summary, asked again a while after something happened. The last answer stays until the next one is there. */
import { useState } from 'preact/hooks'
import { useRefresh } from '../../parts/use-refresh.ts'
import { useChannel } from '../../store/channels.ts'
import { call } from '../../store/rpc.ts'
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
  const [answer, setAnswer] = useState<Answer>({ summary: null, error: null })
  const ask = (signal: AbortSignal) =>
    call<Summary>('usage.summary', params ?? {}, signal).then(
      (summary) => setAnswer({ summary, error: null }),
      (failure: Error) => {
        if (!signal.aborted) setAnswer({ summary: null, error: failure.message })
      },
    )
  const key = params === null ? null : JSON.stringify(params)
  useRefresh(ask, { key, version: value.value, pauseMs: PAUSE_MS })
  return answer
}
