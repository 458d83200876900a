/** What depends on what in a room. Tasks without dependencies are not shown here; the list has them all. */
import { Graph as Dagre, layout } from '@dagrejs/dagre'
import { useMemo } from 'preact/hooks'
import { Empty } from '../../parts/controls.tsx'
import { STATUS_WORDS } from '../../parts/status.tsx'
import { visible } from '../../parts/text.ts'
import { addressOf } from '../../store/routes.ts'
import type { Card } from '../../store/types.ts'

const WIDTH = 200
const HEIGHT = 44
/** More can't be read, and the layout would take seconds. */
const MOST_NODES = 400

export function TaskGraph({ cards }: { readonly cards: readonly Card[] }) {
  const graph = useMemo(() => graphOf(cards), [cards])
  if (graph.nodes.length === 0)
    return (
      <Empty title="No dependencies here.">
        <p class="soft">
          Set <code>depends_on</code> of a task to make it wait for another one.
        </p>
      </Empty>
    )
  return (
    <div class="graph">
      {graph.left > 0 ? (
        <p class="soft small">{graph.left} more tasks are not drawn; use the filter.</p>
      ) : null}
      <svg width={graph.width} height={graph.height} viewBox={`0 0 ${graph.width} ${graph.height}`}>
        <title>Dependencies of tasks</title>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path d="M0 0L8 4L0 8z" class="arrow" />
          </marker>
        </defs>
        {graph.edges.map(({ key, path }) => (
          <path key={key} d={path} class="edge" marker-end="url(#arrow)" />
        ))}
        {graph.nodes.map(({ card, x, y }) => (
          <Node key={card.id} card={card} x={x} y={y} />
        ))}
      </svg>
    </div>
  )
}

interface NodeProps {
  readonly card: Card
  /** Of the middle. */
  readonly x: number
  readonly y: number
}

const MOST_TITLE = 26

function Node({ card, x, y }: NodeProps) {
  const title = visible(card.title)
  return (
    <a href={addressOf('task', card.id)} class="node" data-status={card.status}>
      <title>{title}</title>
      <rect x={x - WIDTH / 2} y={y - HEIGHT / 2} width={WIDTH} height={HEIGHT} rx="6" />
      <text x={x - WIDTH / 2 + 10} y={y - 4}>
        {title.length > MOST_TITLE ? `${title.slice(0, MOST_TITLE)}…` : title}
      </text>
      <text x={x - WIDTH / 2 + 10} y={y + 13} class="node-status">
        {STATUS_WORDS[card.status]}
      </text>
    </a>
  )
}

interface Drawn {
  readonly nodes: readonly NodeProps[]
  readonly edges: readonly { readonly key: string; readonly path: string }[]
  readonly width: number
  readonly height: number
  /** Tasks that are not drawn. */
  readonly left: number
}

function graphOf(cards: readonly Card[]): Drawn {
  const links = linksOf(cards)
  const linked = new Set(links.flat())
  const shown = cards.filter(({ id }) => linked.has(id)).slice(0, MOST_NODES)
  const ids = new Set(shown.map(({ id }) => id))
  const dagre = new Dagre()
  dagre.setGraph({ rankdir: 'LR', nodesep: 12, ranksep: 48, marginx: 8, marginy: 8 })
  dagre.setDefaultEdgeLabel(() => ({}))
  for (const { id } of shown) dagre.setNode(id, { width: WIDTH, height: HEIGHT })
  for (const [from, to] of links) if (ids.has(from) && ids.has(to)) dagre.setEdge(from, to)
  layout(dagre)
  const { width = 0, height = 0 } = dagre.graph()
  return {
    nodes: shown.map((card) => {
      const { x, y } = dagre.node(card.id) as { readonly x: number; readonly y: number }
      return { card, x, y }
    }),
    edges: dagre.edges().map((edge: { readonly v: string; readonly w: string }) => {
      const { points } = dagre.edge(edge) as { readonly points: readonly { x: number; y: number }[] }
      return {
        key: `${edge.v} ${edge.w}`,
        path: points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x} ${y}`).join(''),
      }
    }),
    width,
    height,
    left: linked.size - shown.length,
  }
}

/** `[from, to]` for each dependency inside the room. */
function linksOf(cards: readonly Card[]): readonly (readonly [string, string])[] {
  const byName = new Map<string, string>()
  for (const { id, name, roomId } of cards) {
    byName.set(id, id)
    byName.set(name, id)
    byName.set(`${roomId}/${name}`, id)
    byName.set(name.replace(/--t-\w+$/, ''), id)
  }
  return cards.flatMap(({ id, dependsOn }) =>
    dependsOn.flatMap((name) => {
      const from = byName.get(name)
      return from === undefined ? [] : [[from, id] as const]
    }),
  )
}
