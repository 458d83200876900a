/** The figures as a table, sorted by any column: by day, room, model or session. */
import { useState } from 'preact/hooks'
import { addressOf, query, roomAddress, setQuery } from '../../store/routes.ts'
import '../../style/segments.css'
import { type Cells, FIGURE, FIGURES, nameOf, type Summary, type UsageRow } from './usage-figures.ts'
import { useUsage } from './use-usage.ts'

const BY = ['day', 'room', 'model', 'session'] as const
type By = (typeof BY)[number]

interface UsageTableProps {
  readonly days: number
  readonly room: string | null
  /** By day, which is there already. */
  readonly daily: Summary
}

export function UsageTable({ days, room, daily }: UsageTableProps) {
  const by = BY.find((one) => one === query.value.get('by')) ?? 'day'
  const asked = by === 'day' ? null : { by, days, ...(room === null ? {} : { roomId: room }) }
  const { summary } = useUsage(asked)
  const shown = by === 'day' ? daily : summary?.by === by ? summary : null
  return (
    <section class="card" aria-label="Table">
      <div class="row spread">
        <h2>Figures</h2>
        <fieldset class="segments" aria-label="A row for each">
          {BY.map((one) => (
            <button key={one} type="button" aria-pressed={one === by} onClick={() => setQuery({ by: one })}>
              {{ day: 'Days', room: 'Rooms', model: 'Models', session: 'Sessions' }[one]}
            </button>
          ))}
        </fieldset>
      </div>
      {shown === null ? <div aria-busy="true" /> : <Rows key={by} by={by} summary={shown} />}
    </section>
  )
}

type Sort = { readonly column: 'name' | (typeof FIGURES)[number]; readonly down: boolean }
const MOST_ROWS = 200

function Rows({ by, summary }: { readonly by: By; readonly summary: Summary }) {
  const [sort, setSort] = useState<Sort>({ column: by === 'day' ? 'name' : 'tokens', down: true })
  const rows = sorted(summary.rows, sort)
  const press = (column: Sort['column']) =>
    setSort({ column, down: sort.column === column ? !sort.down : true })
  const columns = [
    ['name', { day: 'Day', room: 'Room', model: 'Model', session: 'Session' }[by]] as const,
  ].concat(FIGURES.map((figure) => [figure, FIGURE[figure].label] as never))
  return (
    <div class="table-scroll">
      <table class="table usage-table">
        <thead>
          <tr>
            {columns.map(([column, label]) => (
              <th key={column} scope="col" aria-sort={sortOf(sort, column)}>
                <button type="button" class="sort" onClick={() => press(column)}>
                  {label}{' '}
                  <span aria-hidden="true">{sort.column !== column ? '' : sort.down ? '↓' : '↑'}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row) => (
            <tr key={row.name}>
              <th scope="row" class="wrap">
                <Name by={by} name={row.name} />
              </th>
              <Figures cells={row} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <Figures cells={summary.total} />
          </tr>
        </tfoot>
      </table>
      {rows.length > MOST_ROWS ? (
        <p class="soft small">
          The first {MOST_ROWS} of {rows.length}.
        </p>
      ) : null}
    </div>
  )
}

function sortOf({ column, down }: Sort, of: Sort['column']) {
  return column !== of ? 'none' : down ? 'descending' : 'ascending'
}

function sorted(rows: readonly UsageRow[], { column, down }: Sort): readonly UsageRow[] {
  const sign = down ? -1 : 1
  const name = (a: UsageRow, b: UsageRow) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1)
  if (column === 'name') return rows.toSorted((a, b) => sign * name(a, b))
  const { value } = FIGURE[column]
  return rows.toSorted((a, b) => sign * (value(a) - value(b)) || name(a, b))
}

function Figures({ cells }: { readonly cells: Cells }) {
  return (
    <>
      {FIGURES.map((figure) => (
        <td key={figure} class="num">
          {FIGURE[figure].say(cells)}
        </td>
      ))}
    </>
  )
}

function Name({ by, name }: { readonly by: By; readonly name: string | null }) {
  const text = nameOf(name, by)
  if (name === null) return <span class="soft">{text}</span>
  if (by === 'room') return <a href={roomAddress(name)}>{text}</a>
  if (by === 'session') return <a href={addressOf('session', name)}>{text}</a>
  return <>{text}</>
}
