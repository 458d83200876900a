/** A room, or a folder of the home's files, that is a link: named as a problem, never run. */
import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import { lookOnce } from '../../../src/engine/look-once.ts'
import { type Home, makeHome, runbook } from '../../path/home.ts'

async function problemsOf(home: Home): Promise<readonly string[]> {
  const world = await composeWorld(home.dir)
  const { snapshot } = await lookOnce(world, home.dir)
  await world.git.close()
  return snapshot.problems.filter(({ code }) => code === 'link').map(({ file }) => file)
}

test('a room that is a link is a problem, and nothing in it runs', async () => {
  const home = makeHome()
  home.write('elsewhere/ROOM.md', '---\nworker: shell\n---\n')
  home.write('elsewhere/tasks/a.md', runbook(['touch ran']))
  symlinkSync('../elsewhere', join(home.dir, 'rooms/linked'))
  expect(await problemsOf(home)).toEqual(['rooms/linked'])
  await home.run()
  expect(home.read('elsewhere/tasks/a.md')).toBe(runbook(['touch ran']))
})

test('a folder of rooms that is a link is a problem', async () => {
  const home = makeHome()
  mkdirSync(join(home.dir, 'other'))
  renameSync(join(home.dir, 'rooms'), join(home.dir, 'other/rooms'))
  symlinkSync('other/rooms', join(home.dir, 'rooms'))
  expect(await problemsOf(home)).toEqual(['rooms'])
})

test.each(['tasks', 'tasks/later', 'schedules', 'inbox', 'memories', 'asks'])(
  'a folder %s of a room that is a link is a problem, and nothing in it counts',
  async (folder) => {
    const home = makeHome()
    home.write('elsewhere/a.md', runbook(['touch ran']))
    home.write('rooms/linked/ROOM.md', '---\nworker: shell\n---\n')
    mkdirSync(dirname(join(home.dir, 'rooms/linked', folder)), { recursive: true })
    symlinkSync(join(home.dir, 'elsewhere'), join(home.dir, 'rooms/linked', folder))
    expect(await problemsOf(home)).toEqual([`rooms/linked/${folder}`])
    const said = await home.run()
    expect(JSON.stringify(said.events)).toContain(`rooms/linked/${folder}: Symbolic links are not followed`)
    expect(home.read('elsewhere/a.md')).toBe(runbook(['touch ran']))
  },
)

test('a link that is no folder of the home is left to its person', async () => {
  const home = makeHome()
  home.write('rooms/shop/_old/a.md', 'mine\n')
  symlinkSync('../elsewhere', join(home.dir, 'rooms/_mine'))
  symlinkSync('elsewhere', join(home.dir, 'notes'))
  symlinkSync('../../elsewhere', join(home.dir, 'rooms/shop/attachments'))
  mkdirSync(join(home.dir, 'rooms/shop/tasks'), { recursive: true })
  symlinkSync('../../../elsewhere.png', join(home.dir, 'rooms/shop/tasks/picture.png'))
  expect(await problemsOf(home)).toEqual([])
})
