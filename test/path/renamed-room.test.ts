/** A room that a person renames while a session runs in it: what the session leaves goes to the room as it is called now. */
import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Home, makeHome, runbook, until } from './home.ts'

const GATE = '.git/gate'

function moved(home: Home): void {
  renameSync(join(home.dir, 'rooms/shop'), join(home.dir, 'rooms/store'))
}

test.each([
  ['renames the folder', moved],
  [
    'renames the folder and commits that',
    (home: Home) => {
      moved(home)
      home.git('add', '-A', 'rooms')
      home.git('commit', '-q', '-m', 'rename a room')
    },
  ],
])('a session whose room a person %s ends in the renamed room', async (_, rename) => {
  const home = makeHome()
  const daemon = home.watch()
  await daemon.ready()
  const script = `echo 1 > "$NEO_HOME/.git/began"; while ! test -e "$NEO_HOME/${GATE}"; do sleep 0.02; done; echo x > x.txt`
  home.task('a', runbook([script]))
  await until(() => home.has('.git/began') && home.status('a') === 'in_progress')
  rename(home)
  const task = 'rooms/store/tasks/a.md'
  await until(() => home.git('ls-files', task) === task)
  writeFileSync(join(home.dir, GATE), '')
  await until(() => /^status: completed$/m.test(home.read(task)))
  await daemon.stop()
  expect(existsSync(join(home.dir, 'rooms/shop'))).toBe(false)
  const [session = ''] = readdirSync(join(home.dir, 'rooms/store/sessions'))
  expect(home.read(`rooms/store/sessions/${session}`)).toContain('status: completed')
  expect(readdirSync(join(home.dir, 'rooms/store/transcripts'))).toEqual([session.replace('.md', '.jsonl')])
  expect(home.git('ls-files', 'rooms/store/transcripts', 'rooms/store/sessions').split('\n')).toHaveLength(2)
  expect(home.git('status', '--porcelain')).toBe('')
})

test('run commits a renamed room whole, but for files of the user, and a copy of it gets its own id', async () => {
  const home = makeHome({ 'rooms/shop/tasks/.gitkeep': '', 'rooms/shop/memories/m.md': 'Tea.\n' })
  home.task('a', runbook(['true']))
  await home.run()
  home.write('rooms/shop/notes.md', 'mine\n')
  home.git('add', '.')
  home.git('commit', '-q', '-m', 'note')
  const tracked = () => home.git('ls-tree', '-r', '--name-only', 'HEAD', 'rooms').split('\n')
  const before = tracked()
  moved(home)
  await home.run()
  const mine = 'rooms/shop/notes.md'
  const renamed = before.map((path) => (path === mine ? mine : path.replace('rooms/shop', 'rooms/store')))
  expect([tracked(), home.git('status', '--porcelain').split('\n')]).toEqual([
    renamed.sort(),
    [' D rooms/shop/notes.md', '?? rooms/store/notes.md'],
  ])
  home.write('rooms/copy/ROOM.md', home.read('rooms/store/ROOM.md'))
  await home.run()
  const idOf = (room: string) =>
    /^ {2}id: (r-\w+)$/m.exec(home.git('show', `HEAD:rooms/${room}/ROOM.md`))?.[1]
  expect(idOf('store')).toMatch(/^r-/)
  expect(idOf('copy')).not.toBe(idOf('store'))
  expect(home.git('log', '--format=%s', '--', 'rooms/store/ROOM.md')).toBe('neo(store): adopt room store, a')
})
