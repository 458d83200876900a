/**
 * Stacked bars, a column each, as plain SVG. A picture of a table that stands beside it: the column that is pointed at, or
 * chosen with the arrow keys, is said in words below. A library for charts weighs 23 kB and draws on a canvas, which
 * neither styles nor screen readers reach.
 */
import { useState } from 'preact/hooks'

export interface Column {
  readonly key: string
  /** Under the axis. */
  readonly label: string
  /** One value a series. */
  readonly values: readonly number[]
  /** What is said of it. */
  readonly words: string
}

interface BarsProps {
  readonly label: string
  readonly columns: readonly Column[]
  /** A value of the axis. */
  readonly say: (value: number) => string
}

const HEIGHT = 180
const MOST_LABELS = 5

export function Bars({ label, columns, say }: BarsProps) {
  const [chosen, setChosen] = useState<number | null>(null)
  const most = Math.max(...columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0)))
  const top = roundUp(most)
  const last = columns.length - 1
  const choose = (index: number) => setChosen(Math.min(last, Math.max(0, index)))
  const move = (event: KeyboardEvent) => {
    const here = chosen ?? last
    const to = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: last }[event.key]
    if (to === undefined) return
    event.preventDefault()
    choose(to)
  }
  const point = (event: MouseEvent) => {
    const box = (event.currentTarget as HTMLElement).querySelector('svg')?.getBoundingClientRect()
    if (box !== undefined) choose(Math.floor(((event.clientX - box.left) / box.width) * columns.length))
  }
  return (
    <figure class="bars">
      <div
        class="bars-plot"
        role="slider"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={chosen ?? last}
        aria-valuetext={columns[chosen ?? last]?.words}
        tabIndex={0}
        onKeyDown={move}
        onMouseMove={point}
        onMouseLeave={() => setChosen(null)}
      >
        {[top, top / 2].map((value) => (
          <span key={value} class="bars-line soft small" style={{ bottom: `${(value / top) * HEIGHT}px` }}>
            {say(value)}
          </span>
        ))}
        <Stacks columns={columns} top={top} chosen={chosen} />
      </div>
      <Labels columns={columns} />
      <figcaption class="small">
        {chosen === null ? (
          <span class="soft">Point at a bar, or use the arrow keys.</span>
        ) : (
          columns[chosen]?.words
        )}
      </figcaption>
    </figure>
  )
}

interface StacksProps extends Pick<BarsProps, 'columns'> {
  readonly top: number
  readonly chosen: number | null
}

function Stacks({ columns, top, chosen }: StacksProps) {
  const width = 100 / columns.length
  return (
    <svg width="100%" height={HEIGHT} aria-hidden="true">
      {columns.map(({ key, values }, index) => (
        <g key={key} data-chosen={index === chosen}>
          <rect class="bars-space" x={`${index * width}%`} width={`${width}%`} height={HEIGHT} />
          {stacked(values, HEIGHT / top).map(({ y, height, series }) => (
            <rect
              key={series}
              class={`series-${series}`}
              x={`${(index + 0.14) * width}%`}
              width={`${width * 0.72}%`}
              y={HEIGHT - y - height}
              height={height}
            />
          ))}
        </g>
      ))}
    </svg>
  )
}

function Labels({ columns }: Pick<BarsProps, 'columns'>) {
  const width = 100 / columns.length
  const every = Math.ceil(columns.length / MOST_LABELS)
  return (
    <div class="bars-labels soft small" aria-hidden="true">
      {columns.map(({ key, label: text }, index) =>
        (columns.length - 1 - index) % every === 0 ? (
          <span
            key={key}
            data-end={index === columns.length - 1}
            style={{ left: `${(index + 0.5) * width}%` }}
          >
            {text}
          </span>
        ) : null,
      )}
    </div>
  )
}

function stacked(values: readonly number[], scale: number) {
  let y = 0
  return values.flatMap((value, series) => {
    if (value <= 0) return []
    const height = Math.max(1, value * scale)
    y += height
    return [{ series, y: y - height, height }]
  })
}

/** The next of 1, 2, 5, 10, 20, …; 1 for nothing, so that an empty chart has an axis. */
function roundUp(most: number): number {
  if (!(most > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power
}
