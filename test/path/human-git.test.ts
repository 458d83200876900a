/** A person who uses git all the while: nothing of theirs is lost or fails, nothing of theirs gets into our commits. */
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Home, makeHome, runbook, until } from './home.ts'

const TASKS = 8
const NAMES = Array.from({ length: TASKS }, (_, index) => `t${index}`)
const SETTINGS = { 'neo.yaml': 'daemon: { settle: 20ms, rescan: 1s, concurrency: 2 }\n', 'notes/a.md': 'a\n' }

function addTasks(home: Home): void {
  for (const name of NAMES) home.task(name, runbook([`echo ${name} > ${name}.txt`]))
}

async function allDone(home: Home): Promise<void> {
  await until(() => NAMES.every((name) => home.status(name) === 'completed'), 40_000)
  await until(() => NAMES.every((name) => home.read(`workspace/files/${name}.txt`) === `${name}\n`))
}

const run = promisify(execFile)

/** Git as a person types it, and once more when it refuses because a file or the index is just being written. */
async function patiently(home: Home, ...args: readonly string[]): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return void (await run('git', args, { cwd: home.dir }))
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string }
      if (!/index\.lock|cannot lock ref|would be (overwritten|removed)/.test(stderr) || attempt > 50)
        throw error
      await pause(10)
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Commits of ours that touch files that are not. */
function foreign(home: Home): string[] {
  const log = home.git('log', '--name-only', '--format=%x00%an%x09%s', '--first-parent', 'main')
  return log.split('\0').filter((entry) => {
    const [head = '', ...paths] = entry.split('\n').filter(Boolean)
    return head.includes('\tneo(') && paths.some((path) => !/^(rooms|workspace\/files)\//.test(path))
  })
}

test('watch and a person who commits in a loop lose nothing of each other', async () => {
  const home = makeHome(SETTINGS)
  const daemon = home.watch()
  await daemon.ready()
  addTasks(home)
  const commits = 25
  for (let index = 0; index < commits; index++) {
    home.write(`notes/n${index}.md`, `${index}\n`)
    await patiently(home, 'add', `notes/n${index}.md`)
    await patiently(home, 'commit', '-q', '-m', `note ${index}`)
    await pause(20)
  }
  await allDone(home)
  await until(() => home.git('status', '--porcelain') === '')
  const { events } = await daemon.stop()
  const log = home.git('log', '--format=%s').split('\n')
  expect(log.filter((subject) => subject.startsWith('note '))).toHaveLength(commits)
  expect(log.filter((subject) => subject.includes(': complete '))).toHaveLength(TASKS)
  expect([foreign(home), home.git('fsck', '--strict', '--no-dangling')]).toEqual([[], ''])
  expect(events.filter(({ kind }) => kind === 'fail' || kind === 'trouble')).toEqual([])
})

test('watch leaves staged, changed and untracked files as they are', async () => {
  const home = makeHome(SETTINGS)
  home.write('notes/a.md', 'staged\n')
  home.write('notes/staged.md', 'new\n')
  home.git('add', 'notes')
  home.write('notes/a.md', 'changed after\n')
  home.write('secret.txt', 'mine\n')
  const before = home.git('status', '--porcelain')
  const daemon = home.watch()
  addTasks(home)
  await allDone(home)
  await until(() => home.git('status', '--porcelain') === before)
  await daemon.stop()
  expect(home.git('diff', '--cached', '--name-status')).toBe('M\tnotes/a.md\nA\tnotes/staged.md')
  expect(foreign(home)).toEqual([])
})

test('watch goes on after a stash and its pop while a task runs', async () => {
  const home = makeHome(SETTINGS)
  const daemon = home.watch()
  await daemon.ready()
  for (let index = 0; index < 4; index++) {
    const go = `"$NEO_HOME/.git/go-${index}"`
    home.task(`t${index}`, runbook([`while ! test -e ${go}; do sleep 0.02; done`]))
    await until(() => home.status(`t${index}`) === 'in_progress' && home.git('status', '--porcelain') === '')
    home.write('notes/a.md', `mine ${index}\n`)
    await patiently(home, 'stash', 'push', '-q', '-u')
    await pause(60)
    await patiently(home, 'stash', 'pop', '-q')
    home.write(`.git/go-${index}`, '')
    await until(() => home.status(`t${index}`) === 'completed')
    expect(home.read('notes/a.md')).toBe(`mine ${index}\n`)
    await patiently(home, 'commit', '-q', '-m', `note ${index}`, '--', 'notes/a.md')
  }
  await until(() => home.git('status', '--porcelain') === '')
  await daemon.stop()
})

test('watch starts nothing on another branch, deletes nothing, and goes on after the way back', async () => {
  const home = makeHome({ ...SETTINGS, 'neo.yaml': 'daemon: { branch: main, settle: 20ms, rescan: 1s }\n' })
  const daemon = home.watch()
  await daemon.ready()
  addTasks(home)
  await until(() => NAMES.every((name) => home.neo(name, 'id') !== undefined))
  const begin = home.git('rev-list', '--max-parents=0', 'HEAD')
  for (let index = 0; index < 6; index++) {
    await patiently(home, 'checkout', '-q', '-B', 'side', begin)
    await pause(150)
    expect(home.git('rev-parse', 'side')).toBe(begin)
    await patiently(home, 'checkout', '-q', 'main')
    await pause(100)
  }
  await allDone(home)
  await daemon.stop()
  expect(home.git('log', '--format=%s')).not.toContain('delete ')
  expect(NAMES.map((name) => home.neo(name, 'attempt'))).toEqual(NAMES.map(() => '1'))
})

test('watch leaves HEAD where a reset put it', async () => {
  const home = makeHome(SETTINGS)
  home.task('a', runbook(['true']))
  await home.run()
  const target = home.git('rev-parse', 'HEAD~1')
  const daemon = home.watch()
  await daemon.ready()
  await patiently(home, 'reset', '-q', '--hard', target)
  home.write('notes/b.md', 'b\n')
  await patiently(home, 'add', 'notes/b.md')
  await patiently(home, 'commit', '-q', '-m', 'mine')
  home.task('b', runbook(['true']))
  await until(() => home.status('b') === 'completed')
  await daemon.stop()
  expect(() => home.git('merge-base', '--is-ancestor', target, 'HEAD')).not.toThrow()
  expect(home.git('log', '--format=%s')).toContain('mine')
})

const TASK = 'rooms/shop/tasks/a.md'
const COUNTS = runbook(['echo ran >> "$NEO_HOME/.git/ran"'])
const BEGIN = 'rev-list --max-parents=0 HEAD'

/** Commits: begin (the person's, with the task), adopt, start, complete. */
test.each([
  ['a reset over its end', ['reset -q --hard HEAD~1']],
  ['a reset over its start', ['reset -q --hard HEAD~2']],
  ['a reset over its adoption', ['reset -q --hard BEGIN']],
  ['a revert of its end', ['revert --no-edit HEAD']],
  ['a commit of an older version', [`checkout HEAD~2 -- ${TASK}`, 'commit -q -m back']],
  ['a branch from before', ['branch old HEAD~2', 'checkout -q old']],
])('run runs no task again after %s, until a person says so', async (_what, commands) => {
  const home = makeHome({ [TASK]: COUNTS })
  await home.run()
  const begin = home.git(...BEGIN.split(' '))
  for (const command of commands) home.git(...command.replace('BEGIN', begin).split(' '))
  await home.run()
  await home.run()
  const error = home.neo('a', 'error')
  expect([home.status('a'), home.read('.git/ran')]).toEqual(['blocked', 'ran\n'])
  expect(error).toContain(`neo task start ${home.neo('a', 'id')} to run it again`)
  home.task('a', home.text('a').replace('status: blocked', 'status: pending'))
  home.git('commit', '-q', '-a', '-m', 'again')
  await home.run()
  expect([home.status('a'), home.neo('a', 'attempt'), home.read('.git/ran')]).toEqual([
    'completed',
    '2',
    'ran\nran\n',
  ])
})

test.each(['pending', 'draft'])(
  'run runs a task that a person sets to %s and on after a reset',
  async (status) => {
    const home = makeHome({ [TASK]: COUNTS })
    await home.run()
    home.git('reset', '-q', '--hard', 'HEAD~1')
    for (const next of new Set([status, 'pending'])) {
      home.task('a', home.text('a').replace(/status: \w+/, `status: ${next}`))
      if (next === 'draft') await home.run()
    }
    await home.run()
    expect([home.status('a'), home.read('.git/ran')]).toEqual(['completed', 'ran\nran\n'])
  },
)

test('run runs a task with the name and text of one that a reset has removed', async () => {
  const home = makeHome()
  home.task('a', COUNTS)
  await home.run()
  const id = home.neo('a', 'id')
  home.git('reset', '-q', '--hard', home.git(...BEGIN.split(' ')))
  home.task('a', COUNTS)
  await home.run()
  expect([home.status('a'), home.read('.git/ran')]).toEqual(['completed', 'ran\nran\n'])
  expect(home.neo('a', 'id')).not.toBe(id)
})

test('watch waits while a person settles a merge conflict, and goes on after it', async () => {
  const home = makeHome(SETTINGS)
  home.git('checkout', '-q', '-b', 'side')
  home.write('notes/a.md', 'side\n')
  home.git('commit', '-q', '-a', '-m', 'side')
  home.git('checkout', '-q', 'main')
  home.write('notes/a.md', 'main\n')
  home.git('commit', '-q', '-a', '-m', 'main')
  const daemon = home.watch()
  await daemon.ready()
  // What it adopts at the start is committed before the person begins.
  const adopted = () => home.git('log', '--format=%s').includes('adopt room')
  await until(() => adopted() && home.git('status', '--porcelain') === '')
  expect(() => home.git('merge', '-q', 'side')).toThrow()
  const head = home.git('rev-parse', 'HEAD')
  home.task('a', runbook(['true']))
  await pause(1500)
  expect([home.git('rev-parse', 'HEAD'), home.neo('a', 'id')]).toEqual([head, undefined])
  home.write('notes/a.md', 'both\n')
  await patiently(home, 'commit', '-q', '-a', '-m', 'merged')
  await until(() => home.status('a') === 'completed')
  await daemon.stop()
  expect(home.git('log', '--format=%s')).toContain('merged')
})

test('watch keeps what a person amends', async () => {
  const home = makeHome(SETTINGS)
  const daemon = home.watch()
  await daemon.ready()
  addTasks(home)
  for (let index = 0; index < 10; index++) {
    home.write(`notes/n${index}.md`, 'first\n')
    await patiently(home, 'add', `notes/n${index}.md`)
    await patiently(home, 'commit', '-q', '-m', `note ${index}`, '--', `notes/n${index}.md`)
    home.write(`notes/n${index}.md`, 'second\n')
    await patiently(home, 'commit', '-q', '--amend', '--no-edit', '--', `notes/n${index}.md`)
    await pause(40)
  }
  // A session that began at the commit that was amended may meet it as a conflict: then it waits for review.
  await until(() => NAMES.every((name) => ['completed', 'review'].includes(home.status(name))), 40_000)
  await daemon.stop()
  const kept = Array.from({ length: 10 }, (_, index) => home.git('show', `HEAD:notes/n${index}.md`))
  expect(kept).toEqual(kept.map(() => 'second'))
})

test('watch waits for a held index.lock and brings the index up afterwards', async () => {
  const home = makeHome(SETTINGS)
  const daemon = home.watch()
  await daemon.ready()
  home.write('.git/index.lock', '')
  home.task('a', '---\nworker: human\n---\n')
  await until(() => home.status('a') === 'in_progress')
  await until(() => home.git('log', '--format=%s').includes('assign a to human'))
  expect(home.has('.git/index.lock')).toBe(true)
  rmSync(`${home.dir}/.git/index.lock`)
  await until(() => home.git('status', '--porcelain') === '')
  await daemon.stop()
})
