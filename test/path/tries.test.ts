/** What becomes of an attempt: chains, retries, time limits, red checks. */
import { expect, test } from 'vitest'
import { makeHome, runbook, subjects } from './home.ts'
import { MOMENT_MS } from '../wait.ts'

test('run starts a task after the tasks that it depends on', async () => {
  const home = makeHome()
  home.task('c', runbook(['cat b.txt && echo c >> log.txt'], ['depends_on: [b]']))
  home.task('b', runbook(['cat a.txt && echo b | tee b.txt >> log.txt'], ['depends_on: [a]']))
  home.task('a', runbook(['echo a | tee a.txt >> log.txt']))
  const ran = await home.run()
  expect(ran.exitCode).toBe(0)
  expect(home.read('workspace/files/log.txt')).toBe('a\nb\nc\n')
})

test('run leaves what waits for a failed task pending', async () => {
  const home = makeHome()
  home.task('b', runbook(['true'], ['depends_on: [a]']))
  home.task('a', runbook(['exit 3']))
  const ran = await home.run()
  expect([ran.exitCode, home.status('a'), home.status('b')]).toEqual([1, 'failed', 'pending'])
})

test('run fails a task at its first failing block and says exit code and output', async () => {
  const home = makeHome()
  home.task('a', runbook(['echo one >> log.txt', 'echo no such thing >&2; exit 3', 'echo three >> log.txt']))
  const ran = await home.run()
  expect(home.neo('a', 'error')).toContain('exit code 3: no such thing')
  expect(home.has('workspace/files/log.txt')).toBe(false)
  expect(ran.events.filter(({ kind }) => kind === 'notice')).toHaveLength(1)
})

test('run keeps what a failed attempt did on its branch', async () => {
  const home = makeHome()
  home.task('a', runbook(['echo half > half.txt; exit 1']))
  await home.run()
  const branch = home.neo('a', 'branch') ?? ''
  expect(home.git('show', `${branch}:workspace/files/half.txt`)).toBe('half')
})

test('run begins a failed runbook that is retried from the base as it is now, and keeps what it left', async () => {
  const home = makeHome()
  home.task('a', runbook(['echo half > half.txt', 'cat orders.txt > out.txt']))
  await home.run()
  const left = home.neo('a', 'branch') ?? ''
  home.write('workspace/files/orders.txt', 'one\n')
  home.git('add', '-A')
  home.git('commit', '-q', '-m', 'orders')
  home.task('a', home.text('a').replace('status: failed', 'status: pending'))
  const { events } = await home.run()
  expect([home.status('a'), home.read('workspace/files/out.txt')]).toEqual(['completed', 'one\n'])
  const [kept = ''] = home.git('for-each-ref', '--format=%(refname)', 'refs/neo/attempts').split('\n')
  expect(home.git('show', `${kept}:workspace/files/half.txt`)).toBe('half')
  expect(events.find(({ kind }) => kind === 'start')?.text).toBe(
    `start a: attempt 2 from main; earlier work stays on ${left}`,
  )
})

test('run tries again after a backoff that doubles', async () => {
  const home = makeHome()
  home.task('a', runbook(['exit 1'], ['retry: { max: 2, backoff: 1s }']))
  const began = Date.now()
  const ran = await home.run()
  expect(Date.now() - began).toBeGreaterThan(2000)
  expect([ran.exitCode, home.status('a'), home.neo('a', 'attempt')]).toEqual([1, 'failed', '3'])
  expect(subjects(home).filter((subject) => subject.includes('retry a'))).toHaveLength(2)
})

test('run completes a task whose second try passes', async () => {
  const home = makeHome()
  const flaky = `test -e "$NEO_HOME/.git/tried" || { touch "$NEO_HOME/.git/tried"; exit 1; }`
  home.task('a', runbook([flaky], ['retry: { max: 1, backoff: 1s }']))
  const ran = await home.run()
  expect([home.status('a'), home.neo('a', 'attempt'), home.neo('a', 'error')]).toEqual([
    'completed',
    '2',
    undefined,
  ])
  expect(ran.exitCode).toBe(0)
})

test('run runs an ended task again when a person sets it to pending', async () => {
  const home = makeHome()
  home.task('a', runbook(['echo x >> log.txt']))
  await home.run()
  home.task('a', home.text('a').replace('completed', 'pending'))
  await home.run()
  expect([home.status('a'), home.neo('a', 'attempt')]).toEqual(['completed', '2'])
  expect(home.read('workspace/files/log.txt')).toBe('x\nx\n')
})

test('run ends a task at its time limit, children included', async () => {
  const home = makeHome()
  home.task('a', runbook(['sleep 661.25 & sleep 661.25; echo late > late.txt'], ['timeout: 1s']))
  const began = Date.now()
  await home.run()
  expect(Date.now() - began).toBeLessThan(MOMENT_MS)
  expect(home.status('a')).toBe('failed')
  expect(home.neo('a', 'error')).toContain('Timed out after 1s')
  expect(home.git('status', '--porcelain')).toBe('')
})

test('run fails a task whose check is red and merges nothing', async () => {
  const home = makeHome()
  home.task('a', runbook(['echo x > out.txt'], ["verify: ['test -e other.txt', 'true']"]))
  await home.run()
  expect(home.status('a')).toBe('failed')
  expect(home.text('a')).toMatch(/verified: .*commands: 2, passed: 1|commands: 2\n +passed: 1/)
  expect(home.has('workspace/files/out.txt')).toBe(false)
  expect(home.git('show', `${home.neo('a', 'branch')}:workspace/files/out.txt`)).toBe('x')
})

test('run starts no more at once than the room allows', async () => {
  const home = makeHome({ 'rooms/shop/ROOM.md': '---\nworker: shell\nconcurrency: 1\n---\n' })
  const alone = 'mkdir "$NEO_HOME/.git/alone"; sleep 0.1; rmdir "$NEO_HOME/.git/alone"'
  for (const name of ['a', 'b', 'c', 'd']) home.task(name, runbook([alone]))
  const ran = await home.run()
  expect(ran.exitCode).toBe(0)
})

test('run fails a task without a block to run and says what to do', async () => {
  const home = makeHome()
  home.task('a', '# Nothing\n')
  await home.run()
  expect(home.neo('a', 'error')).toContain('no sh, shell or bash code block')
})

test('run starts urgent tasks first', async () => {
  const home = makeHome({ 'rooms/shop/ROOM.md': '---\nworker: shell\nconcurrency: 1\n---\n' })
  const note = (name: string) => `echo ${name} >> "$NEO_HOME/.git/order"`
  home.task('a', runbook([note('a')], ['priority: low']))
  home.task('b', runbook([note('b')]))
  home.task('c', runbook([note('c')], ['priority: urgent']))
  await home.run()
  expect(home.read('.git/order')).toBe('c\nb\na\n')
})

test.each(['neo', 'neo/shop', 'neo-work'])(
  'run works in a repository with a branch named %s',
  async (name) => {
    const home = makeHome()
    home.git('branch', name)
    home.task('a', runbook(['echo x > x.txt']))
    const ran = await home.run()
    expect([ran.exitCode, home.status('a')]).toEqual([0, 'completed'])
    expect(home.read('workspace/files/x.txt')).toBe('x\n')
    expect(home.git('branch', '--format=%(refname:short)').split('\n').sort()).toEqual(['main', name])
  },
)
