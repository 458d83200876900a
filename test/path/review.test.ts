/** Work that waits for a person: merged by hand, squashed, deleted, and merges that wait for an edit to end. */
import { expect, test } from 'vitest'
import { type Home, makeHome, runbook } from './home.ts'

async function inReview(): Promise<{ home: Home; branch: string }> {
  const home = makeHome()
  home.task('a', runbook(['echo x > out.txt'], ['review: branch']))
  await home.run()
  return { home, branch: home.neo('a', 'branch') ?? '' }
}

test('run leaves work on its branch where review is wanted, and says so', async () => {
  const home = makeHome()
  home.task('a', runbook(['echo x > out.txt'], ['review: branch']))
  const ran = await home.run()
  expect([home.status('a'), home.neo('a', 'branch')]).toEqual(['review', 'neo/shop/a-1'])
  expect(home.has('workspace/files/out.txt')).toBe(false)
  expect(ran.events.filter(({ kind }) => kind === 'notice').map(({ text }) => text)).toEqual([
    expect.stringContaining('neo review diff'),
  ])
})

test('run completes a task whose branch a person merged', async () => {
  const { home, branch } = await inReview()
  home.git('merge', '-q', '--no-edit', branch)
  await home.run()
  expect([home.status('a'), home.neo('a', 'branch')]).toEqual(['completed', undefined])
  expect(home.git('branch', '--list', 'neo/*')).toBe('')
})

test('run completes a task whose branch a person squashed', async () => {
  const { home, branch } = await inReview()
  home.git('merge', '-q', '--squash', branch)
  home.git('commit', '-q', '-m', 'squashed')
  await home.run()
  expect(home.status('a')).toBe('completed')
})

test('run completes a task whose branch a person rebased onto main', async () => {
  const { home, branch } = await inReview()
  home.write('note.txt', 'n\n')
  home.git('add', 'note.txt')
  home.git('commit', '-q', '-m', 'note')
  home.git('checkout', '-q', branch)
  home.git('rebase', '-q', 'main')
  home.git('checkout', '-q', 'main')
  home.git('merge', '-q', '--ff-only', branch)
  await home.run()
  expect(home.status('a')).toBe('completed')
})

test('run fails a task whose branch is gone unmerged', async () => {
  const { home, branch } = await inReview()
  home.git('branch', '-q', '-D', branch)
  await home.run()
  expect(home.status('a')).toBe('failed')
  expect(home.neo('a', 'error')).toContain('was deleted before it was merged')
})

test('run completes work without a difference without a branch', async () => {
  const home = makeHome()
  home.task('a', runbook(['true'], ['review: branch']))
  await home.run()
  expect([home.status('a'), home.git('branch', '--list', 'neo/*')]).toEqual(['completed', ''])
})

test('run leaves a merge waiting while a person edits a path of it, then merges', async () => {
  const home = makeHome({ 'workspace/files/out.txt': 'old\n' })
  home.task('a', runbook(['echo new > out.txt']))
  home.write('workspace/files/out.txt', 'mine\n')
  await home.run()
  expect([home.status('a'), home.read('workspace/files/out.txt')]).toEqual(['review', 'mine\n'])
  expect(home.neo('a', 'error')).toContain('out.txt')
  home.git('checkout', '-q', '--', 'workspace/files/out.txt')
  await home.run()
  expect([home.status('a'), home.read('workspace/files/out.txt')]).toEqual(['completed', 'new\n'])
})

test('run keeps both sides of a conflict for review', async () => {
  const home = makeHome({ 'workspace/files/out.txt': 'old\n' })
  const edit = 'echo theirs > out.txt; cd "$NEO_HOME"; echo mine > workspace/files/out.txt'
  home.task('a', runbook([`${edit}; git commit -q -m mine workspace/files/out.txt`]))
  await home.run()
  expect([home.status('a'), home.read('workspace/files/out.txt')]).toEqual(['review', 'mine\n'])
  expect(home.git('show', `${home.neo('a', 'branch')}:workspace/files/out.txt`)).toBe('theirs')
})

test('run starts a new attempt on the branch of a task in review that is set to pending', async () => {
  const { home, branch } = await inReview()
  home.task('a', home.text('a').replace('status: review', 'status: pending').replace('> out', '>> out'))
  const { events } = await home.run()
  expect(events.find(({ kind }) => kind === 'start')?.text).toMatch(
    RegExp(`^start a: attempt 2 continues on ${branch}, which lacks \\d commits? of main$`),
  )
  expect([home.status('a'), home.neo('a', 'branch')]).toEqual(['review', branch])
  expect(home.git('show', `${branch}:workspace/files/out.txt`)).toBe('x\nx')
})
