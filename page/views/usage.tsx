/** Tokens and USD by day, room or model. */
import { useEffect, useState } from 'preact/hooks'
import { Empty } from '../parts/controls.tsx'
import { number, usd, visible } from '../parts/text.ts'
import { call } from '../store/rpc.ts'

interface UsageRow {
  readonly name: string | null
  readonly calls: number
  readonly tokens: number
  /** Null if a price is unknown; then `knownUsd` is a lower bound. */
  readonly usd: number | null
  readonly knownUsd: number
}

interface Summary {
  readonly rows: readonly UsageRow[]
  readonly total: UsageRow
}

const BY = ['day', 'room', 'model', 'session'] as const

export function Usage() {
  const [by, setBy] = useState<(typeof BY)[number]>('day')
  const [summary, setSummary] = useState<Summary | null>(null)
  const [error, setError] = useState<string | null>(null)
  useEffect(() => {
    call<Summary>('usage.summary', { by }).then(setSummary, (failure: Error) => setError(failure.message))
  }, [by])
  if (error !== null) return <Empty title={error} />
  if (summary === null) return <div aria-busy="true" />
  const most = Math.max(1, ...summary.rows.map(({ tokens }) => tokens))
  return (
    <>
      <p class="row">
        <select
          aria-label="Sum up by"
          class="auto"
          value={by}
          onChange={({ currentTarget }) => setBy(currentTarget.value as typeof by)}
        >
          {BY.map((one) => (
            <option key={one} value={one}>
              by {one}
            </option>
          ))}
        </select>
        <span class="soft">
          {number(summary.total.tokens)} tokens, {costOf(summary.total)}, {number(summary.total.calls)} calls
        </span>
      </p>
      {summary.rows.length === 0 ? <Empty title="No model was called yet." /> : null}
      <table class="table">
        <tbody>
          {summary.rows.map((row) => (
            <tr key={row.name}>
              <th scope="row" class="wrap">
                {visible(row.name ?? 'unknown')}
              </th>
              <td class="bar-cell">
                <meter max={most} value={row.tokens} aria-label={`${number(row.tokens)} tokens`} />
              </td>
              <td class="num">{number(row.tokens)}</td>
              <td class="num">{costOf(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function costOf(row: UsageRow): string {
  return row.usd === null ? `at least ${usd(row.knownUsd)}` : usd(row.usd)
}
