import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeHome, temporary } from '../home.ts'
import { watchHome } from '../neo.ts'
import { openPipe, type Pipe } from '../pipe.ts'
import { startResident } from '../resident.ts'
import { ratioLine, type Row } from '../row.ts'
import { inTurn, pause, until } from '../time.ts'

/** Long enough for either side to have tidied up after a run before the next file is saved. */
const REST_MS = 250

export const savedRow: Row = {
  name: 'saved',
  measures: 'a task file is saved → the first process of its first step runs, among 10,000 tasks',
  async run({ quick }) {
    const shape = { tasks: quick ? 1000 : 10_000, rooms: 10, kind: 'settled' } as const
    const [bare, ours] = [makeHome(shape).dir, makeHome(shape).dir]
    const pipe = openPipe()
    const floor = await startResident(['node', 'bench/floors/saved.mjs', bare, temporary()], /ready/)
    const neo = await watchHome(ours)
    try {
      let count = 0
      const times = await inTurn(
        {
          floor: () => fromSave(bare, `bare-${++count}`, pipe),
          neo: async () => {
            const name = `saved-${++count}`
            const ms = await fromSave(ours, name, pipe)
            await until(`${name} is completed`, () => completed(ours, name))
            return ms
          },
        },
        quick ? 5 : 41,
      )
      const beneath = { name: 'chokidar + read + parse + sparse worktree + spawn', ms: times.floor.p50 }
      const line = ratioLine({
        work: 'save → first step runs, p50',
        most: 1.5,
        floor: beneath,
        ms: times.neo.p50,
      })
      return [line]
    } finally {
      pipe.close()
      await Promise.all([floor.end(), neo.end()])
    }
  },
}

async function fromSave(home: string, name: string, pipe: Pipe): Promise<number> {
  await pause(REST_MS)
  const heard = pipe.next()
  const started = performance.now()
  writeFileSync(pathOf(home, name), `# ${name}\n\n\`\`\`sh\necho runs > ${pipe.path}\n\`\`\`\n`)
  return (await heard) - started
}

function completed(home: string, name: string): true | null {
  return /^status: completed$/m.test(readFileSync(pathOf(home, name), 'utf8')) || null
}

function pathOf(home: string, name: string): string {
  return join(home, 'rooms/room-0/tasks', `${name}.md`)
}
