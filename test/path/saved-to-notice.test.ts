/** The path of one saved file: adopted, started, result written, committed, said. */
import { expect, test } from 'vitest'
import { makeHome, NEO, PERSON, runbook, subjects } from './home.ts'

test('run takes a saved file to its result, with one commit for each transition', async () => {
  const home = makeHome()
  home.task('hello', runbook(['echo hi > out.txt; echo done well']))
  const ran = await home.run()
  expect(ran.exitCode).toBe(0)
  expect(home.status('hello')).toBe('completed')
  expect(home.read('workspace/files/out.txt')).toBe('hi\n')
  expect(subjects(home)).toEqual([
    'neo(shop): adopt room shop, hello',
    'neo(shop): start hello',
    'neo(shop): merge hello',
    'neo(shop): complete hello (1 step passed: done well)',
  ])
  expect(home.git('status', '--porcelain')).toBe('')
  expect(home.git('fsck', '--strict')).toBe('')
})

test('run signs transitions as Neo and adoptions as the person', async () => {
  const home = makeHome()
  home.task('hello', runbook(['true']))
  await home.run()
  const log = home.git('log', '--format=%an <%ae>|%s', '--reverse').split('\n').slice(1)
  expect(log).toEqual([
    `${PERSON}|neo(shop): adopt room shop, hello`,
    `${NEO}|neo(shop): start hello`,
    `${NEO}|neo(shop): complete hello (1 step passed)`,
  ])
})

test('run names room, task, session and event in the trailers of a completion', async () => {
  const home = makeHome()
  home.task('hello', runbook(['true'], ['verify: ["true"]']))
  await home.run()
  const id = home.neo('hello', 'id')
  const session = home.neo('hello', 'session')
  const trailers = home.git('log', '-1', '--format=%(trailers:only,unfold)')
  expect(trailers.trim().split('\n')).toEqual([
    'Neo-Room: shop',
    `Neo-Task: ${id}`,
    'Neo-Event: complete',
    `Neo-Session: ${session}`,
    'Neo-Verified: 1 of 1',
  ])
})

test('run adopts the text as the person wrote it', async () => {
  const home = makeHome()
  const text = runbook(['true'], ['labels: [a,  b]   # mine', "title: 'Say it'"])
  home.task('hello', text)
  await home.run()
  const adopted = home.git('log', '--format=%H', '--grep=^adopt hello').trim()
  const shown = home.git('show', `${adopted}:rooms/shop/tasks/hello.md`)
  expect(shown.replace(/^neo:\n( {2}.*\n)*/m, '')).toBe(text.trimEnd())
})

test('run writes a session file that says how it went', async () => {
  const home = makeHome()
  home.task('hello', runbook(['echo well']))
  await home.run()
  const text = home.read(`rooms/shop/sessions/${home.neo('hello', 'session')}.md`)
  expect(text).toMatch(/^status: completed$/m)
  expect(text).toContain('1 step passed: well')
})

test('run clears away worktree, branch and record of a task that is done', async () => {
  const home = makeHome()
  home.task('hello', runbook(['echo hi > out.txt']))
  await home.run()
  expect(home.git('branch', '--list', 'neo/*')).toBe('')
  expect(home.git('worktree', 'list').split('\n')).toHaveLength(1)
  expect(home.git('ls-files', '--others', '--ignored', '--exclude-standard', '.neo/worktrees')).toBe('')
})

test('run plans nothing new on a home at rest', async () => {
  const home = makeHome()
  home.task('hello', runbook(['true']))
  await home.run()
  const head = home.git('rev-parse', 'HEAD')
  const again = await home.run()
  expect(home.git('rev-parse', 'HEAD')).toBe(head)
  expect(again.events.filter(({ kind }) => kind !== 'ready')).toEqual([])
})

test('run takes a file of two lines as a task', async () => {
  const home = makeHome({ 'rooms/shop/ROOM.md': '---\nworker: human\n---\n' })
  home.task('fix', '# Fix the login\nIt goes to the wrong page.\n')
  await home.run()
  expect(home.status('fix')).toBe('in_progress')
  expect(home.text('fix')).toContain('# Fix the login\nIt goes to the wrong page.\n')
})

test('run hands a human task over and takes its end from the file', async () => {
  const home = makeHome()
  home.task('call', '---\nworker: human\n---\nCall them.\n')
  await home.run()
  expect(home.status('call')).toBe('in_progress')
  home.task('call', home.text('call').replace('in_progress', 'completed'))
  await home.run()
  expect(subjects(home).slice(-2)).toEqual([
    'neo(shop): assign call to human (set status: completed when it is done)',
    'neo(shop): set call to completed (by hand)',
  ])
  expect(home.neo('call', 'completed_at')).toBeDefined()
})

test('run blocks model tasks and says which key is missing', async () => {
  const home = makeHome({ 'rooms/shop/ROOM.md': '---\nname: Shop\n---\n' })
  home.task('think', '# Think\nAbout it.\n')
  const ran = await home.run()
  expect(home.status('think')).toBe('blocked')
  expect(home.neo('think', 'blocked')).toBe('model')
  expect(ran.events.some(({ text }) => text.includes('ANTHROPIC_API_KEY'))).toBe(true)
})
