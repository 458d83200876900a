/** Bookkeeping of a burst: whatever a round puts in order is one commit a kind, however many files it is. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Home, makeHome, NEO, PERSON, subjects } from './home.ts'

const ROOMS = 60

function manyRooms(home: Home): void {
  for (let n = 0; n < ROOMS; n++) {
    home.write(`rooms/r${n}/ROOM.md`, `---\nname: R ${n}\nworker: human\n---\n`)
    home.write(`rooms/r${n}/tasks/plan.md`, `---\nstatus: draft\n---\n# Plan ${n}\n`)
    home.write(`rooms/r${n}/schedules/week.md`, '---\ncron: "0 9 * * 1"\n---\nLook back.\n')
  }
}

/** Author and subject of what came since, oldest first. */
function since(home: Home, commit: string): readonly string[] {
  const log = home.git('log', '--reverse', '--format=%an <%ae>|%s', `${commit}..`)
  return log === '' ? [] : log.split('\n')
}

test('run adopts 60 rooms with their tasks and schedules in one commit of the person', async () => {
  const home = makeHome()
  await home.run()
  const head = home.git('rev-parse', 'HEAD')
  manyRooms(home)
  await home.run()
  expect(since(home, head)).toEqual([
    `${PERSON}|neo: adopt ${ROOMS} rooms, ${ROOMS} schedules and ${ROOMS} tasks`,
  ])
  const trailers = home.git('log', '-1', '--format=%(trailers:key=Neo-Room,valueonly)').trim().split('\n')
  expect(trailers).toHaveLength(ROOMS)
  expect(home.git('status', '--porcelain')).toBe('')
  await home.run()
  expect(since(home, head)).toHaveLength(1)
})

test('run commits 60 deletions, and 60 tasks handed to people, in one commit each', async () => {
  const home = makeHome()
  manyRooms(home)
  await home.run()
  const head = home.git('rev-parse', 'HEAD')
  for (let n = 0; n < ROOMS; n++) rmSync(join(home.dir, `rooms/r${n}/tasks/plan.md`))
  for (let n = 0; n < ROOMS; n++) home.task(`call-${n}`, `---\nworker: human\n---\n# Call ${n}\n`)
  await home.run()
  expect(since(home, head).toSorted()).toEqual([
    `${NEO}|neo(shop): assign ${ROOMS} tasks to human`,
    `${PERSON}|neo(shop): adopt ${ROOMS} tasks`,
    `${PERSON}|neo: delete ${ROOMS} tasks`,
  ])
  expect(readdirSync(join(home.dir, 'rooms/shop/tasks')).filter((name) => name.endsWith('.md'))).toHaveLength(
    ROOMS,
  )
})

test('run names what it adopts where the names fit into the subject', async () => {
  const home = makeHome({ 'rooms/lab/ROOM.md': '---\nname: Lab\nworker: human\n---\n' })
  await home.run()
  home.task('one', '---\nstatus: draft\n---\nOne.\n')
  home.write('rooms/lab/tasks/two.md', '---\nstatus: draft\n---\nTwo.\n')
  await home.run()
  expect(subjects(home).slice(-1)).toEqual(['neo: adopt lab/two, shop/one'])
})
