import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BenchHome, makeHome } from '../home.ts'
import { watchHome } from '../neo.ts'
import { type Line, ratioLine, type Row } from '../row.ts'
import { inTurn, processTime, type Timed, until } from '../time.ts'

const WITH_DAEMON = 4

/** Command, and the most without a daemon. `ID` stands for the id of a task in the middle. */
const COMMANDS = [
  ['task show ID', 4],
  ['task edit ID --priority low', 4],
  ['task list', 6],
  ['status', 8],
  ['log', 8],
  ['search water', 8],
] as const

export const readsRow: Row = {
  name: 'reads',
  measures: 'reading commands and edit by id among 1,000 and 10,000 tasks, without and with a daemon',
  async run({ quick }) {
    const lines: Line[] = []
    for (const tasks of quick ? [1000] : [1000, 10_000]) {
      const home = makeHome({ tasks, rooms: 10, kind: 'settled' })
      lines.push(...lined(tasks, await measured(home, quick ? 2 : 9), null))
      const daemon = await watchHome(home.dir)
      try {
        await until('the daemon serves', () => served(home.dir))
        lines.push(...lined(tasks, await measured(home, quick ? 2 : 9), WITH_DAEMON))
      } finally {
        await daemon.end()
      }
    }
    return lines
  },
}

type Measured = Readonly<Record<string, Timed>>

async function measured({ dir, tasks }: BenchHome, rounds: number): Promise<Measured> {
  const middle = readFileSync(join(dir, tasks[Math.floor(tasks.length / 2)] ?? ''), 'utf8')
  const id = /^ {2}id: (\S+)$/m.exec(middle)?.[1] ?? ''
  const neo = (command: string) =>
    processTime(['node', 'dist/main.js', ...command.replace('ID', id).split(' '), '--home', dir])
  return await inTurn(
    {
      node: () => processTime(['node', '-e', '0']),
      ...Object.fromEntries(COMMANDS.map(([command]) => [command, () => neo(command)])),
    },
    rounds,
  )
}

/** `most` null: each command has its own goal. */
function lined(tasks: number, times: Measured, most: number | null): readonly Line[] {
  const floor = { name: 'node -e 0', ms: times['node']?.p50 ?? Number.NaN }
  const where = `${tasks.toLocaleString('en')} tasks${most === null ? '' : ', daemon'}`
  return COMMANDS.map(([command, own]) =>
    ratioLine({
      work: `neo ${command} (${where})`,
      most: most ?? own,
      floor,
      ms: times[command]?.p50 ?? Number.NaN,
    }),
  )
}

/** The address in daemon.json; null while there is none. */
export function served(home: string): string | null {
  try {
    const { url } = JSON.parse(readFileSync(join(home, '.neo/daemon.json'), 'utf8')) as {
      readonly url: string | null
    }
    return url
  } catch {
    return null
  }
}
