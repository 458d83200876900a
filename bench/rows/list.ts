import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeHome, temporary } from '../home.ts'
import { besideLine, ratioLine, type Row } from '../row.ts'
import { inTurn, processTime } from '../time.ts'

export const listRow: Row = {
  name: 'list',
  measures: 'neo task list over 10,000 tasks, with its cache and without',
  async run({ quick }) {
    const { dir } = makeHome({ tasks: quick ? 1000 : 10_000, rooms: 10, kind: 'settled' })
    const neo = () => processTime(['node', 'dist/main.js', 'task', 'list', '--home', dir])
    const cache = join(temporary(), 'cache.json')
    const times = await inTurn(
      {
        node: () => processTime(['node', '-e', '0']),
        warm: neo,
        stat: () => processTime(['node', 'bench/floors/list.mjs', dir, cache]),
        read: () => processTime(['node', 'bench/floors/list.mjs', dir]),
        cold: () => {
          rmSync(join(dir, '.neo'), { recursive: true, force: true })
          return neo()
        },
        rebuild: neo,
      },
      quick ? 3 : 11,
    )
    const floor = { name: 'node -e 0', ms: times.node.p50 }
    return [
      ratioLine({ work: 'neo task list', most: 6, floor, ms: times.warm.p50 }),
      ratioLine({ work: 'neo task list, .neo/ deleted', most: 16, floor, ms: times.cold.p50 }),
      besideLine('  beside: stat all + cache', floor.ms, times.stat.p50),
      besideLine('  beside: read + parse all', floor.ms, times.read.p50),
    ]
  },
}
