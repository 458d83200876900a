/** Neo on the path: a message becomes tasks, a session's question is answered, what ended is reported; all at the hub. */
import { expect, test } from 'vitest'
import { openMind } from '../../src/compose-orchestrator.ts'
import { type Home, makeHome, until } from './home.ts'
import { type Answer, type Asked, startModel } from './model.ts'

const ROOM = '---\nname: Shop\nworker: agent\nreview: none\n---\nKeep it small.\n'

/** He is told apart from workers by his tools. */
function isNeo({ tools }: Asked): boolean {
  return tools.includes('create_task')
}

const create = (title: string, more: Record<string, unknown> = {}) => ({
  name: 'create_task',
  input: { title, description: `${title}, please.`, ...more },
})

function neo({ last, text }: Asked): Answer {
  if (last.includes('Build a small shop'))
    return {
      calls: [
        create('Draw the page'),
        create('Write the prices', { depends_on: ['Draw the page'] }),
        create('Check the whole', { depends_on: ['Write the prices'] }),
      ],
    }
  if (last.includes('Which currency')) {
    const session = /session[: ]+"?(s-[a-z0-9]+)/.exec(last)?.[1] ?? /(s-[a-z0-9]{6})/.exec(last)?.[1] ?? ''
    return { calls: [{ name: 'send_message', input: { session_id: session, content: 'Use euros.' } }] }
  }
  if (text.includes('is completed')) return 'All three are done.'
  return 'Understood.'
}

function worker({ text, turn, last }: Asked): Answer {
  const finish = { calls: [{ name: 'finish_task', input: { result: 'it is done' } }] }
  if (!text.includes('# Task: Write the prices')) return finish
  if (turn === 0) return { calls: [{ name: 'ask_human', input: { question: 'Which currency?' } }] }
  if (turn === 1) return { calls: [{ name: 'write_file', input: { path: 'prices.txt', content: last } }] }
  return finish
}

function tasks(home: Home): string[] {
  return home.git('ls-files', 'rooms/shop/tasks').split('\n').filter(Boolean)
}

test('a message with a goal becomes tasks that are worked on; a question is answered, the end reported', async () => {
  const model = await startModel((asked) => (isNeo(asked) ? neo(asked) : worker(asked)))
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  const daemon = home.watch({ openOrchestrator: openMind })
  await daemon.ready()
  home.write('rooms/shop/inbox/goal.md', 'Build a small shop page with prices.\n')
  const done = () =>
    tasks(home).length === 3 && tasks(home).every((path) => /^status: completed$/m.test(home.read(path)))
  await until(done, 60_000)
  await until(() => home.git('log', '--format=%s').includes('as handled'), 20_000)
  await until(() => daemon.events.some(({ text }) => text.includes('All three are done.')), 20_000)
  const { events } = await daemon.stop()
  expect(home.read('workspace/files/prices.txt')).toContain('Use euros.')
  expect(home.has('rooms/shop/inbox/goal.md')).toBe(false)
  expect(home.read('rooms/shop/inbox/archive/goal.md')).toContain('Build a small shop page')
  const all = tasks(home).map((path) => home.read(path))
  expect(all.filter((text) => /created_by: neo/.test(text))).toHaveLength(3)
  expect(all.filter((text) => /^depends_on:/m.test(text))).toHaveLength(2)
  expect(home.git('ls-files', 'rooms/shop/sessions').split('\n').length).toBeGreaterThanOrEqual(3)
  expect(events.filter(({ kind }) => kind === 'trouble')).toEqual([])
  expect(home.git('status', '--porcelain')).toBe('')
})

test('the same words in a file of the same name are a message again', async () => {
  const model = await startModel(({ last }) => (last.includes('yes') ? 'Once more.' : '?'))
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  for (const name of ['yes', 'yes-2', 'yes-3']) {
    home.write('rooms/shop/inbox/yes.md', 'yes\n')
    await home.run({ openOrchestrator: openMind })
    expect(home.read(`rooms/shop/inbox/archive/${name}.md`)).toContain('## Reply\n\nOnce more.')
  }
  expect(model.asked).toHaveLength(3)
})

test('a home in which nothing changes makes no call', async () => {
  const model = await startModel(() => 'Fine.')
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  home.write('rooms/shop/inbox/hello.md', 'Hello?\n')
  await home.run({ openOrchestrator: openMind })
  expect(model.asked).toHaveLength(1)
  await home.run({ openOrchestrator: openMind })
  await home.run({ openOrchestrator: openMind })
  expect(model.asked).toHaveLength(1)
  expect(home.read('rooms/shop/inbox/archive/hello.md')).toContain('## Reply\n\nFine.')
})

test.each([
  ['a message', 'rooms/shop/inbox/hello.md', 'Hello?\n'],
  ['a failed task', 'rooms/shop/tasks/bad.md', '---\nworker: shell\n---\n```sh\nexit 3\n```\n'],
])('%s is answered and told once, although git takes the answer back', async (_, path, text) => {
  const model = await startModel(() => 'I see.')
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM, [path]: text })
  const told: string[] = []
  const run = async () => {
    const { events } = await home.run({ openOrchestrator: openMind })
    told.push(...events.flatMap((event) => (event.text === 'Neo: I see.' ? ['I see.'] : [])))
  }
  await run()
  home.git('revert', '--no-edit', 'HEAD')
  await run()
  home.git('reset', '-q', '--hard', home.git('rev-list', '--max-parents=0', 'HEAD'))
  await run()
  expect([model.asked.length, told]).toEqual([1, ['I see.']])
  if (path.includes('/inbox/')) expect(home.read(path.replace('inbox', 'inbox/archive'))).toContain('I see.')
})

test('a task that failed wakes him once, and its mark says so', async () => {
  const model = await startModel((asked) => (isNeo(asked) ? 'I see.' : 'No.'))
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': ROOM })
  home.task('bad', '---\nworker: shell\n---\n```sh\nexit 3\n```\n')
  await home.run({ openOrchestrator: openMind })
  await home.run({ openOrchestrator: openMind })
  expect(home.neo('bad', 'handled')).toBe('failed@1')
  expect(model.asked.filter(isNeo)).toHaveLength(1)
})
