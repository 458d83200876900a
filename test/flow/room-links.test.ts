/** A room, or the folder of rooms, that is a link: named as a problem, never run. */
import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { lookOnce } from '../../src/flow/once.ts'
import { type Home, makeHome, runbook } from '../path/home.ts'

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
