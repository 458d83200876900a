/** kill -9 while an agent works: it goes on from its transcript, and no command of its is run twice. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { openUsage } from '../../src/engine/agents/usage-ledger.ts'
import { UNCONFINED } from './confined.ts'
import { ended, engine } from './engine.ts'
import { makeHome } from './home.ts'
import { type Asked, startModel } from './model.ts'

const ROOM = '---\nworker: agent\nreview: none\n---\n'
const TURNS = 10
const KILLS = 8

/** One command a turn, then the end. An interrupted command is looked at, not repeated. */
function script({ turn }: Asked) {
  if (turn >= TURNS) return { calls: [{ name: 'finish_task', input: { result: 'all lines are written' } }] }
  return { calls: [{ name: 'shell', input: { command: `sleep 0.1; echo line ${turn} >> lines.txt` } }] }
}

test.skipIf(UNCONFINED !== null)(
  'a killed session goes on where it was: every command ran once, in order, and every call of the model is counted',
  async () => {
    const model = await startModel(script)
    const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
    home.task('lines', 'Write ten lines.\n')
    let seed = 7
    for (let kills = 0; kills < KILLS; kills++) {
      const running = engine(home.dir)
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
      let timer: NodeJS.Timeout | undefined
      running.child.stdout?.once('data', () => {
        timer = setTimeout(() => running.child.kill('SIGKILL'), 200 + (seed % 700))
      })
      const { died } = await ended(running)
      clearTimeout(timer)
      if (!died) break
    }
    const last = await ended(engine(home.dir))
    expect([last.exitCode, home.status('lines'), home.neo('lines', 'error')]).toEqual([
      0,
      'completed',
      undefined,
    ])
    const wanted = Array.from({ length: TURNS }, (_, turn) => `line ${turn}`)
    expect(home.read('workspace/files/lines.txt').trim().split('\n')).toEqual(wanted)
    const session = home.neo('lines', 'session')
    const transcript = readFileSync(join(home.dir, `rooms/shop/transcripts/${session}.jsonl`), 'utf8')
    const entries = transcript
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; key?: string })
    const keys = entries.flatMap(({ key }) => (key === undefined ? [] : [key]))
    expect(new Set(keys).size).toBe(keys.length)
    expect(entries.filter(({ type }) => type === 'assistant')).toHaveLength(TURNS + 1)
    expect(home.git('status', '--porcelain')).toBe('')
    const counted = openUsage(openFiles(), join(home.dir, '.git/neo')).calls().length
    expect(counted).toBeGreaterThanOrEqual(model.asked.length)
    expect(counted).toBeLessThanOrEqual(model.asked.length + KILLS)
  },
)
