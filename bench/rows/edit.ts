import { makeHome } from '../home.ts'
import { besideLine, type Line, ratioLine, type Row, type Run } from '../row.ts'
import { inTurn, processTime } from '../time.ts'

const SMALL = 100

export const editRow: Row = {
  name: 'edit',
  measures: 'task new, task edit --status, task show among 10,000 tasks',
  async run(run) {
    const many = await measure(run.quick ? 1000 : 10_000, run)
    const few = await measure(SMALL, run)
    return many.flatMap(({ line }, index) => {
      const small = few[index]
      return small === undefined
        ? [line]
        : [line, besideLine(`  beside: among ${SMALL}`, small.floor, small.ms)]
    })
  },
}

async function measure(tasks: number, { quick }: Run): Promise<{ line: Line; floor: number; ms: number }[]> {
  const { dir } = makeHome({ tasks, rooms: 10, kind: 'settled' })
  const neo = (...args: string[]) => processTime(['node', 'dist/main.js', 'task', ...args, '--home', dir])
  const one = 'room-9/task-00009'
  let count = 0
  const times = await inTurn(
    {
      node: () => processTime(['node', '-e', '0']),
      new: () => neo('new', '--room', 'room-3', '--title', `Another piece ${++count}`),
      edit: () => neo('edit', one, '--status', count % 2 === 0 ? 'draft' : 'cancelled'),
      show: () => neo('show', one),
    },
    quick ? 3 : 15,
  )
  const floor = { name: 'node -e 0', ms: times.node.p50 }
  return (['new', 'edit', 'show'] as const).map((verb) => ({
    line: ratioLine({ work: `neo task ${verb}`, most: 5, floor, ms: times[verb].p50 }),
    floor: floor.ms,
    ms: times[verb].p50,
  }))
}
