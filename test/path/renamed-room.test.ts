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
})
