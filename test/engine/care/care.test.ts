/** What is done at rest: old files leave the tree in one commit a room, loose objects are packed, nothing is pruned. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import { makeHome, subjects, until } from '../../path/home.ts'

const TASK = (index: number) =>
  `---\nstatus: completed\nneo:\n  id: t-abc${index}\n  created_at: 2026-01-0${index}T00:00:00Z\n  created_by: schedule:daily\n  completed_at: 2026-01-0${index}T00:00:00Z\n---\n# Daily\n`

test('care removes ended tasks of a schedule and old transcripts, and keeps the rest', async () => {
  const tasks = Object.fromEntries([1, 2, 3, 4].map((n) => [`rooms/shop/tasks/daily-${n}.md`, TASK(n)]))
  const home = makeHome({
    'neo.yaml':
      'daemon: { settle: 0s, rescan: 1s }\nretention: { every: 1s, scheduled_tasks: 2, transcripts: 30d }\n',
    ...tasks,
    'rooms/shop/tasks/mine.md': TASK(5).replace('schedule:daily', 'human'),
    'rooms/shop/transcripts/old.jsonl': '{}\n',
    'rooms/shop/transcripts/new.jsonl': '{}\n',
    'rooms/lab/ROOM.md': '---\nname: Lab\nworker: human\n---\n',
    'rooms/lab/transcripts/old.jsonl': '{}\n',
  })
  const old = new Date(Date.now() - 40 * 86_400_000)
  mkdirSync(join(home.dir, '.git/neo/transcripts'), { recursive: true })
  for (const path of ['.git/neo/transcripts/s-old.jsonl', '.git/neo/transcripts/s-new.jsonl'])
    writeFileSync(join(home.dir, path), '{}\n')
  for (const path of [
    'rooms/shop/transcripts/old.jsonl',
    'rooms/lab/transcripts/old.jsonl',
    '.git/neo/transcripts/s-old.jsonl',
  ])
    utimesSync(join(home.dir, path), old, old)
  // From before the clock went back.
  writeFileSync(join(home.dir, '.git/neo/care.json'), JSON.stringify({ at: Date.now() + 86_400_000 }))
  const daemon = home.watch()
  await until(() => daemon.events.some(({ kind }) => kind === 'clean'))
  await daemon.stop()
  const paths = [
    'tasks/daily-1.md',
    'tasks/daily-2.md',
    'tasks/daily-3.md',
    'tasks/mine.md',
    'transcripts/old.jsonl',
    'transcripts/new.jsonl',
  ]
  expect(paths.map((path) => home.has(`rooms/shop/${path}`))).toEqual([false, false, true, true, false, true])
  expect([
    home.has('.git/neo/transcripts/s-old.jsonl'),
    home.has('.git/neo/transcripts/s-new.jsonl'),
  ]).toEqual([false, true])
  expect(subjects(home).filter((subject) => subject.includes('remove'))).toEqual([
    'neo(shop): remove 2 old ended tasks',
    'neo: remove 2 old transcripts',
  ])
  expect(home.git('status', '--porcelain')).toBe('')
})

test('maintain() packs loose objects, unreachable ones too, and deletes none', async () => {
  const home = makeHome()
  makeLoose(home)
  const lost = home.git(
    'rev-parse',
    '--verify',
    execFileSync('git', ['hash-object', '--stdin'], { cwd: home.dir, input: '7\n', encoding: 'utf8' }).trim(),
  )
  const world = await composeWorld(home.dir)
  expect(await world.git.maintain()).toBe('done')
  await world.git.close()
  expect(home.git('count-objects')).toMatch(/^0 objects/)
  expect(home.git('cat-file', '-t', lost)).toBe('blob')
  expect(home.git('fsck', '--strict', '--no-dangling')).toBe('')
})

test('commits go on while objects are packed', async () => {
  const home = makeHome()
  makeLoose(home)
  const folder = mkdtempSync(join(tmpdir(), 'neo-packing-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  // A git whose maintenance goes on until `end` is there.
  const wait = `touch "${folder}/begun"; while [ ! -e "${folder}/end" ]; do sleep 0.05; done`
  const script = `#!/bin/sh\ncase " $* " in *" maintenance "*) ${wait};; esac\nexec "${real}" "$@"\n`
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 })
  process.env['PATH'] = `${folder}:${process.env['PATH']}`
  const world = await composeWorld(home.dir)
  const packed = world.git.maintain()
  await until(() => existsSync(join(folder, 'begun')))
  // Has its turn in the queue of commits.
  await world.git.refresh()
  writeFileSync(join(folder, 'end'), '')
  expect(await packed).toBe('done')
  await world.git.close()
  expect(home.git('count-objects')).toMatch(/^0 objects/)
})

function makeLoose(home: { readonly dir: string }): void {
  const many = Array.from({ length: 3_000 }, (_, index) => `blob\ndata <<E\n${index}\nE\n`).join('')
  execFileSync('git', ['-c', 'fastimport.unpackLimit=100000', 'fast-import', '--quiet'], {
    cwd: home.dir,
    input: many,
  })
}
