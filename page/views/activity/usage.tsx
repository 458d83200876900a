/** What work used: tokens, cost, runs, durations and failures, a day each, split by room or model. */
import { useEffect } from 'preact/hooks'
import { Bars } from '../../parts/bars.tsx'
import { Empty } from '../../parts/controls.tsx'
import { useRooms } from '../../store/rooms.ts'
import { go, path, query, setQuery } from '../../store/routes.ts'
import '../../style/usage.css'
import { columnsOf, Legend } from './usage-columns.tsx'
import { FIGURE, FIGURES, type Figure, type Summary, seriesOf } from './usage-figures.ts'
import { UsageTable } from './usage-table.tsx'
import { useUsage } from './use-usage.ts'

const RANGES = [7, 30, 90] as const

export function Usage() {
  // Links of earlier versions.
  useEffect(() => {
    if (path.value === '/settings/usage') go(`/activity/usage${location.search}`, 'replace')
  }, [])
  const asked = query.value
  const days = RANGES.find((range) => String(range) === asked.get('days')) ?? 30
  const split = asked.get('split') === 'model' ? 'model' : 'room'
  const room = asked.get('room')
  const figure = FIGURES.find((one) => one === asked.get('figure')) ?? 'tokens'
  const { summary, error } = useUsage({ by: 'day', split, days, ...(room === null ? {} : { roomId: room }) })
  if (error !== null) return <Empty title={error} />
  if (summary === null) return <div aria-busy="true" />
  const { calls, runs } = summary.total
  return (
    <div class="usage stack">
      <Filters days={days} split={split} room={room} />
      <Totals summary={summary} figure={figure} />
      {calls + runs === 0 ? (
        <Empty title={`Nothing ran in the last ${days} days.`}>
          <p class="soft">Here you see what work uses: tokens, cost, runs, durations and failures.</p>
        </Empty>
      ) : (
        <>
          <Chart summary={summary} of={{ days, split, figure }} />
          <UsageTable days={days} room={room} daily={summary} />
        </>
      )}
    </div>
  )
}

interface FiltersProps {
  readonly days: number
  readonly split: 'room' | 'model'
  readonly room: string | null
}

function Filters({ days, split, room }: FiltersProps) {
  const rooms = useRooms() ?? []
  return (
    <div class="row choices">
      <select
        aria-label="Days"
        value={String(days)}
        onChange={({ currentTarget }) => setQuery({ days: currentTarget.value })}
      >
        {RANGES.map((range) => (
          <option key={range} value={range}>
            Last {range} days
          </option>
        ))}
      </select>
      <select
        aria-label="Split by"
        value={split}
        onChange={({ currentTarget }) => setQuery({ split: currentTarget.value })}
      >
        <option value="room">By room</option>
        <option value="model">By model</option>
      </select>
      <select
        aria-label="Room"
        value={room ?? ''}
        onChange={({ currentTarget }) => setQuery({ room: currentTarget.value })}
      >
        <option value="">All rooms</option>
        {rooms.map(({ id }) => (
          <option key={id}>{id}</option>
        ))}
      </select>
    </div>
  )
}

/** The sums; each one is also the choice of what the chart shows. */
function Totals({ summary, figure }: { readonly summary: Summary; readonly figure: Figure }) {
  const { total, unpricedModels } = summary
  return (
    <fieldset class="totals" aria-label="Show in the chart">
      {FIGURES.map((one) => (
        <button
          key={one}
          type="button"
          class="total"
          aria-pressed={one === figure}
          onClick={() => setQuery({ figure: one })}
        >
          <span class="soft small">{FIGURE[one].label}</span>
          <span class="total-value num">{FIGURE[one].say(total)}</span>
          {one === 'cost' && unpricedModels.length > 0 ? (
            <span class="soft small">no price for {unpricedModels.length} of the models</span>
          ) : null}
        </button>
      ))}
    </fieldset>
  )
}

interface ChartProps {
  readonly summary: Summary
  readonly of: { readonly days: number; readonly split: 'room' | 'model'; readonly figure: Figure }
}

function Chart({ summary, of: { days, split, figure } }: ChartProps) {
  // A median has no parts that add up.
  const series = figure === 'duration' ? null : seriesOf(summary.rows, figure)
  return (
    <section class="card" aria-label="Chart">
      <Bars
        label={`${FIGURE[figure].label} a day, the last ${days} days. The table below has the same figures.`}
        columns={columnsOf(summary, { days, figure, split, series })}
        say={FIGURE[figure].axis}
      />
      {series === null ? null : <Legend series={series} split={split} />}
    </section>
  )
}
