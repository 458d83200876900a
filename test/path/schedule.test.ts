/** A schedule in a real home: adopted as its author wrote it, fired once, its tasks run; over restarts and kills. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { plan } from '../../src/domain/plan/plan.ts'
import type { Mark } from '../../src/domain/schedule/schedule.ts'
import { lookOnce } from '../../src/engine/look-once.ts'
import type { World } from '../../src/ports/world.ts'
import { ended, engine } from './engine.ts'
import { type Home, makeHome, NEO, PERSON, until } from './home.ts'

const DAY = 86_400_000
const PATH = 'rooms/shop/schedules/nightly.md'
const BLOCK = '```sh\necho ran >> ran.txt\n```\n'

const schedule = (...header: string[]) => `---\n${header.join('\n')}\n---\n# Nightly\n\n${BLOCK}`

/** The world with a clock that is ahead. */
async function later(home: Home, ms: number): Promise<World> {
  const world = await composeWorld(home.dir)
  return { ...world, clock: { ...world.clock, now: () => Date.now() + ms } }
}

const made = (home: Home) =>
  readdirSync(join(home.dir, 'rooms/shop/tasks')).filter((name) => name.endsWith('.md'))
const tasks = (home: Home) => (existsSync(join(home.dir, 'rooms/shop/tasks')) ? made(home) : [])
const ran = (home: Home) =>
  home.has('workspace/files/ran.txt') ? home.read('workspace/files/ran.txt').trim().split('\n').length : 0
const authorOf = (home: Home, path: string) => home.git('log', '-1', '--format=%an <%ae>', '--', path)

test('A schedule is adopted under the name of its author, and its run is a task of its own', async () => {
  const home = makeHome()
  home.write(PATH, schedule('every: 1d', 'worker: shell', 'priority: high', 'labels: [care]'))
  await home.run()
  expect(home.read(PATH)).toMatch(/neo:\n {2}id: c-\w+\n {2}created_at: .*\n {2}created_by: human\n/)
  expect(authorOf(home, PATH)).toBe(PERSON)
  expect(tasks(home)).toEqual([])

  await home.run({ world: await later(home, 3 * DAY + 3_600_000) })
  const [name = '', ...more] = tasks(home)
  expect(more).toEqual([])
  expect(name).toMatch(/^nightly-\d{4}-\d\d-\d\d-\d\d-\d\d.*--t-\w+\.md$/)
  const text = home.read(`rooms/shop/tasks/${name}`)
  expect(text).toMatch(/^title: Nightly \(\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?\)$/m)
  expect(text).toMatch(/^status: completed$/m)
  expect(text).toMatch(/^priority: high$/m)
  expect(text).toMatch(/schedule:nightly/)
  expect(text).toMatch(/created_by: "?schedule:nightly"?$/m)
  expect(ran(home)).toBe(1)
  expect(home.git('log', '--format=%an <%ae>', '--grep', 'run schedule nightly')).toBe(NEO)

  await home.run({ world: await later(home, 3 * DAY + 7_200_000) })
  expect([tasks(home).length, ran(home)]).toEqual([1, 1])
})

test('Runs that were skipped stay counted in the mark, also after later runs', async () => {
  const home = makeHome({ [PATH]: schedule('every: 1d', 'worker: shell') })
  const skipped = () =>
    Object.values(JSON.parse(home.read('.git/neo/schedules.json')).marks as Record<string, Mark>)[0]?.skipped
  await home.run()
  expect(skipped()).toBeUndefined()
  for (const days of [3, 4]) {
    await home.run({ world: await later(home, days * DAY + 3_600_000) })
    expect([days, skipped()?.count]).toEqual([days, 2])
  }
})

test('A schedule for one time says in its file that it is done', async () => {
  const home = makeHome({ [PATH]: schedule('at: 2020-01-01T09:00', 'timezone: Europe/Paris') })
  await home.run()
  await home.run()
  expect(home.read(PATH)).toMatch(/^status: done$/m)
  expect([tasks(home).length, ran(home)]).toEqual([1, 1])
  expect(home.git('status', '--porcelain')).toBe('')
})

test('A kill at any line of the journal leaves one run', async () => {
  for (let line = 1; line <= 9; line++) {
    const home = makeHome({ [PATH]: schedule('at: 2020-01-01T09:00') })
    await ended(engine(home.dir, line))
    await home.run()
    await home.run()
    expect([line, tasks(home).length, ran(home)]).toEqual([line, 1, 1])
  }
})

test('A kill between the task and the mark repeats nothing, even where the task was deleted since', async () => {
  const home = makeHome({ [PATH]: schedule('every: 1d', 'worker: shell') })
  await home.run()
  const marks = join(home.dir, '.git/neo/schedules.json')
  const before = readFileSync(marks, 'utf8')
  const world = () => later(home, 2 * DAY + 1000)
  await home.run({ world: await world() })
  writeFileSync(marks, before)
  await home.run({ world: await world() })
  expect([tasks(home).length, ran(home)]).toEqual([1, 1])

  home.git('rm', '-q', `rooms/shop/tasks/${tasks(home)[0]}`)
  home.git('commit', '-q', '-m', 'away')
  writeFileSync(marks, before)
  await home.run({ world: await world() })
  expect([tasks(home).length, ran(home)]).toEqual([0, 1])
})

test('What Neo scheduled asks before it runs', async () => {
  const neo = 'neo: { id: c-abc123, created_at: 2026-01-01T00:00:00Z, created_by: neo }'
  const home = makeHome({ [PATH]: schedule('at: 2020-01-01T09:00', neo) })
  await home.run()
  const [name = ''] = tasks(home)
  expect(home.read(`rooms/shop/tasks/${name}`)).toMatch(/created_by: neo$/m)
  expect(home.read(`rooms/shop/tasks/${name}`)).toMatch(/^status: blocked$/m)
  expect([readdirSync(join(home.dir, 'rooms/shop/asks')).length, ran(home)]).toEqual([1, 0])
})

test.each([
  ['human', 'schedule:remind'],
  ['neo', 'neo'],
  ['member:kim', 'member:kim'],
  ['session:s-1', 'session:s-1'],
])('A message scheduled by %s comes from %s', async (author, from) => {
  const neo = `neo: { id: c-abc123, created_at: 2026-01-01T00:00:00Z, created_by: "${author}" }`
  const text = `---\nat: 2020-01-01T09:00\nkind: message\n${neo}\n---\nLook at the shop.\n`
  const home = makeHome({ 'rooms/shop/schedules/remind.md': text })
  await home.run()
  await home.run()
  const names = readdirSync(join(home.dir, 'rooms/shop/inbox')).filter((name) => name.endsWith('.md'))
  expect(names).toEqual(['remind--20200101T090000Z.md'])
  const written = home.read(`rooms/shop/inbox/${names[0]}`)
  expect(written.replaceAll('"', '')).toBe(`---\nfrom: ${from}\n---\nLook at the shop.\n`)
})

test('A template is filled in with the parameters of the schedule', async () => {
  const template =
    '---\ntitle: Greet {{who}}\nworker: shell\nparams: { who: { type: text } }\n---\n```sh\necho "$who" > who.txt\n```\n'
  const home = makeHome({
    'templates/tasks/greet.md': template,
    [PATH]: '---\nat: 2020-01-01T09:00\ntemplate: greet\nparams: { who: Ana }\n---\n',
  })
  await home.run()
  expect(home.read('workspace/files/who.txt')).toBe('Ana\n')
  expect(home.read(`rooms/shop/tasks/${tasks(home)[0]}`)).toMatch(/^title: Greet Ana \(2020-01-01 09:00\)$/m)
})

test('A template that is not there is said, and the schedule goes on', async () => {
  const home = makeHome({ [PATH]: '---\nat: 2020-01-01T09:00\ntemplate: ../../secret\n---\n' })
  const { events } = await home.run()
  expect(events.map(({ text }) => text).join('\n')).toContain(
    'template not found: templates/tasks/../../secret.md',
  )
  expect(home.read(PATH)).toMatch(/^status: done$/m)
})

test.each([
  ['cron: "0 0 31 2 *"', 'never runs: no date matches it'],
  ['cron: "* * * * * *"', 'runs every 1 second; the minimum is 10'],
  ['cron: "61 * * * *"', '61 is not a valid minute'],
  ['cron: "0 9 1 * 1"', 'and also on each of these days of the week'],
])('%s is a problem with words', async (line, words) => {
  const home = makeHome({ [PATH]: schedule(line) })
  const world = await composeWorld(home.dir)
  const { snapshot } = await lookOnce(world, home.dir)
  await world.git.close()
  expect(snapshot.problems).toMatchObject([{ file: PATH, line: 2, message: expect.stringContaining(words) }])
})

test('A copy gets an id of its own, and a block that was lost comes back', async () => {
  const home = makeHome({ [PATH]: schedule('every: 1d') })
  await home.run()
  const idIn = (path: string) => /id: (c-\w+)/.exec(home.read(path))?.[1]
  const first = idIn(PATH)
  home.write('rooms/shop/schedules/copy.md', home.read(PATH))
  await home.run()
  expect(idIn(PATH)).toBe(first)
  expect(idIn('rooms/shop/schedules/copy.md')).not.toBe(first)
  home.write(PATH, schedule('every: 2d'))
  await home.run()
  expect(idIn(PATH)).toBe(first)
})

test('neo watch fires at the time, and a paused room does not', async () => {
  const home = makeHome({
    [PATH]: schedule('every: 10s', 'worker: shell'),
    'rooms/still/ROOM.md': '---\nname: Still\nstatus: paused\n---\n',
    'rooms/still/schedules/never.md': schedule('every: 10s', 'worker: shell'),
  })
  const watching = home.watch()
  await until(() => ran(home) === 1, 25_000)
  await watching.stop()
  expect(home.has('rooms/still/tasks')).toBe(false)
})

test('A plan after a fire has nothing more to do', async () => {
  const home = makeHome({ [PATH]: schedule('at: 2020-01-01T09:00') })
  await home.run()
  const world = await composeWorld(home.dir)
  const { snapshot, facts } = await lookOnce(world, home.dir)
  await world.git.close()
  expect(plan(snapshot, facts, Date.now()).decisions).toEqual([])
})

test('What a person changes in a schedule, moves or deletes is committed as theirs, once', async () => {
  const home = makeHome({ [PATH]: schedule('every: 1d') })
  await home.run()
  const subjects = () => home.git('log', '--format=%an <%ae>: %s', '-3').split('\n')
  const id = /id: (c-\w+)/.exec(home.read(PATH))?.[1]

  home.write(PATH, home.read(PATH).replace('every: 1d', 'every: 2d'))
  await home.run()
  await home.run()
  expect(subjects()[0]).toBe(`${PERSON}: neo(shop): change schedule nightly`)
  expect(subjects()[1]).toContain('adopt room shop, schedule nightly')

  const moved = 'rooms/shop/schedules/later.md'
  renameSync(join(home.dir, PATH), join(home.dir, moved))
  await home.run()
  expect(home.git('status', '--porcelain')).toBe('')
  expect(/id: (c-\w+)/.exec(home.read(moved))?.[1]).toBe(id)

  rmSync(join(home.dir, moved))
  await home.run()
  expect(subjects()[0]).toBe(`${PERSON}: neo(shop): delete schedule later`)
  expect(home.git('status', '--porcelain')).toBe('')
})
