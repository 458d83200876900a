/** A file that was just saved counts after the settling time, however often the whole home is looked at meanwhile. */
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import { openHome } from '../../../src/engine/open-engine.ts'
import { makeHome } from '../../path/home.ts'

const SETTLE_MS = 2_000
const ROOM = 'rooms/desk/ROOM.md'
const TASK = 'rooms/desk/tasks/a.md'

async function saved(first: Readonly<Record<string, string>> = {}) {
  const home = makeHome({ 'rooms/shop/tasks/x.md': '# X\n', ...first })
  const world = await composeWorld(home.dir)
  let now = Date.now()
  const clock = { ...world.clock, now: () => now }
  const context = await openHome({ home: home.dir, world: { ...world, clock }, settleMs: SETTLE_MS })
  const save = (path: string, text: string) => {
    home.write(path, text)
    utimesSync(join(home.dir, path), now / 1000, now / 1000)
  }
  const look = async (ms: number, hints: 'all' | ReadonlySet<string> = 'all') => {
    now += ms
    return await context.look.look(hints)
  }
  return { save, look, close: () => world.git.close() }
}

test.each([1, 2, 5])('a new ROOM.md counts after %i full looks while it settles', async (looks) => {
  const { save, look, close } = await saved()
  save(ROOM, '---\nname: Desk\nworker: human\n---\n')
  save(TASK, '---\nstatus: draft\n---\n# A\n')
  for (let at = 0; at < looks; at++) {
    const { snapshot, wakeAt } = await look(100)
    expect(snapshot.rooms.has('desk')).toBe(false)
    expect(wakeAt).not.toBeNull()
  }
  const { snapshot } = await look(SETTLE_MS, new Set())
  expect(snapshot.rooms.get('desk')?.room.name).toBe('Desk')
  expect(snapshot.tasks.has(TASK)).toBe(true)
  expect(snapshot.problems).toEqual([])
  await close()
})

test('a changed ROOM.md keeps its last settings while it settles, and then counts', async () => {
  const { save, look, close } = await saved({ [ROOM]: '---\nname: Desk\n---\n' })
  await look(SETTLE_MS)
  await look(SETTLE_MS)
  save(ROOM, '---\nname: Office\n---\n')
  for (const ms of [0, 100, 100]) expect((await look(ms)).snapshot.rooms.get('desk')?.room.name).toBe('Desk')
  expect((await look(SETTLE_MS, new Set())).snapshot.rooms.get('desk')?.room.name).toBe('Office')
  await close()
})
