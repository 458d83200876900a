/** Agents on the path: a task file is saved, a model works on it with tools, and its result is in git. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UNCONFINED } from './confined.ts'
import { makeHome, until } from './home.ts'
import { type Asked, startModel } from './model.ts'

const AGENT_ROOM = '---\nname: Shop\nworker: agent\nreview: none\n---\nWrite in short sentences.\n'
const FINISH = { name: 'finish_task', input: { result: 'hello is written' } }

test('an agent task is worked on with tools, and what it wrote is merged', async () => {
  const model = await startModel(({ turn }: Asked) => {
    if (turn === 0)
      return { calls: [{ name: 'write_file', input: { path: 'hello.txt', content: 'hello\n' } }] }
    return { calls: [FINISH] }
  })
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': AGENT_ROOM })
  home.task('greet', '# Greet\n\nWrite hello into hello.txt.\n')
  await home.run()
  expect([home.status('greet'), home.neo('greet', 'result')]).toEqual(['completed', 'hello is written'])
  expect(home.read('workspace/files/hello.txt')).toBe('hello\n')
  expect(model.asked[0]?.text).toContain('Write in short sentences.')
  expect(model.asked[0]?.text).toContain('Write hello into hello.txt.')
  expect(model.asked).toHaveLength(2)
  const session = home.neo('greet', 'session') ?? ''
  const file = home.read(`rooms/shop/sessions/${session}.md`)
  expect(file).toMatch(/turns: 2/)
  expect(file).toMatch(/input_tokens: 200\b[\s\S]*output_tokens: 20\b[\s\S]*usd: 0.0006\b/)
  expect(home.git('status', '--porcelain')).toBe('')
})

test('checks that are red go back to the agent, and the task is done when they are green', async () => {
  const model = await startModel(({ turn, last }: Asked) => {
    if (turn === 0) return { calls: [{ name: 'write_file', input: { path: 'n.txt', content: 'bad\n' } }] }
    if (last.includes('checks do not pass yet'))
      return { calls: [{ name: 'write_file', input: { path: 'n.txt', content: 'good\n' } }] }
    return { calls: [FINISH] }
  })
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': AGENT_ROOM })
  home.task('n', '---\nverify: [grep -q good n.txt]\n---\nWrite good into n.txt.\n')
  await home.run()
  expect([home.status('n'), home.neo('n', 'error')]).toEqual(['completed', undefined])
  expect(home.read('workspace/files/n.txt')).toBe('good\n')
  expect(home.text('n')).toMatch(/verified: \{ ?at: .*commands: 1, passed: 1/)
})

test.skipIf(UNCONFINED !== null)(
  'checks and cleanup that run files of an agent stay in the worktree',
  async () => {
    const outside = join(tmpdir(), `neo-outside-${process.pid}-agent`)
    const content = `echo "$0" >> "${outside}" || true\n`
    const model = await startModel(({ turn }: Asked) =>
      turn === 0
        ? { calls: [{ name: 'write_file', input: { path: 'line', content } }] }
        : { calls: [FINISH] },
    )
    const room = AGENT_ROOM.replace('review: none', 'review: none\nverify: [. ./line]\ncleanup: [. ./line]')
    const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': room })
    home.task('n', 'Write line.\n')
    await home.run()
    expect([home.status('n'), home.read('workspace/files/line'), existsSync(outside)]).toEqual([
      'completed',
      content,
      false,
    ])
  },
)

test('a question of an agent becomes an ask, and its answer in the file goes back to it', async () => {
  const model = await startModel(({ turn, last }: Asked) => {
    if (turn === 0) return { calls: [{ name: 'ask_human', input: { question: 'Which colour?' } }] }
    if (turn === 1) return { calls: [{ name: 'write_file', input: { path: 'c.txt', content: last } }] }
    return { calls: [FINISH] }
  })
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': AGENT_ROOM })
  const daemon = home.watch()
  home.task('colour', 'Pick a colour.\n')
  const asks = () => home.git('ls-files', 'rooms/shop/asks').split('\n').filter(Boolean)
  await until(() => asks().length === 1)
  const [path = ''] = asks()
  expect(home.read(path)).toContain('Which colour?')
  home.write(path, home.read(path).replace(/<!--.*-->/, 'Blue, please.'))
  await until(() => home.status('colour') === 'completed')
  await daemon.stop()
  expect(home.read('workspace/files/c.txt')).toContain('Blue, please.')
  expect(home.read(path)).toMatch(/handled_at: /)
})

test('an agent that never says that it is finished fails, and says what it said last', async () => {
  const model = await startModel(() => 'I think it is fine.')
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': AGENT_ROOM })
  home.task('vague', 'Do it.\n')
  await home.run()
  expect(home.status('vague')).toBe('failed')
  expect(home.neo('vague', 'error')).toContain('without calling finish_task')
  expect(model.asked).toHaveLength(3)
})

test.each([
  ['tokens: 150', 'tokens: 15000'],
  ['turns: 2', 'turns: 20'],
])('a task over its budget %s is blocked, costs no further call, and goes on with %s', async (few, more) => {
  const model = await startModel(({ turn }: Asked) => {
    if (turn < 2) return { calls: [{ name: 'write_file', input: { path: `${turn}.txt`, content: 'x\n' } }] }
    return { calls: [FINISH] }
  })
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': AGENT_ROOM })
  home.task('dear', `---\nbudget: { ${few} }\nretry: 1\n---\nWrite.\n`)
  await home.run()
  expect([home.status('dear'), home.neo('dear', 'blocked')]).toEqual(['blocked', 'budget'])
  expect(model.asked).toHaveLength(2)
  home.write('rooms/shop/tasks/dear.md', home.text('dear').replace(few, more))
  await home.run()
  expect(home.status('dear')).toBe('completed')
})

test('without a model an agent task is blocked with words, and starts by itself once there is one', async () => {
  const model = await startModel(() => ({ calls: [FINISH] }))
  const home = makeHome({ 'neo.yaml': 'model: rules\n', 'rooms/shop/ROOM.md': AGENT_ROOM })
  home.task('later', 'Do it.\n')
  await home.run()
  expect([home.status('later'), home.neo('later', 'blocked')]).toEqual(['blocked', 'model'])
  expect(home.neo('later', 'error')).toContain('no model is configured')
  home.write('neo.yaml', model.config)
  await home.run()
  expect(home.status('later')).toBe('completed')
})

test.skipIf(UNCONFINED !== null)(
  'an edit of the task reaches the agent that works on it as a message',
  async () => {
    const model = await startModel(({ turn, text, last }: Asked) => {
      if (last.includes('in green')) return { calls: [FINISH] }
      if (text.includes('in green') || turn > 40) return 'The edit came too early.'
      return { calls: [{ name: 'shell', input: { command: 'sleep 0.2' } }] }
    })
    const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': AGENT_ROOM })
    const daemon = home.watch()
    home.task('paint', 'Paint it.\n')
    await until(() => home.status('paint') === 'in_progress' && model.asked.length > 1)
    home.write('rooms/shop/tasks/paint.md', home.text('paint').replace('Paint it.', 'Paint it in green.'))
    await until(() => home.status('paint') === 'completed', 30_000)
    await daemon.stop()
    expect(model.asked.filter(({ last }) => last.includes('It now says'))).toHaveLength(1)
  },
)

test.skipIf(UNCONFINED !== null)(
  'work of an agent that changes the rules of the home waits for a person',
  async () => {
    const model = await startModel(({ turn }: Asked) =>
      turn === 0
        ? {
            calls: [
              {
                name: 'shell',
                input: {
                  command: 'mkdir -p docs; echo x > docs/a.md; echo "model: rules" > workspace/SOUL.md',
                },
              },
            ],
          }
        : { calls: [FINISH] },
    )
    const home = makeHome({
      'neo.yaml': model.config,
      'rooms/shop/ROOM.md': AGENT_ROOM.replace('review', 'workspace: .\nreview'),
    })
    home.task('soul', 'Write the soul.\n')
    await home.run()
    await home.run()
    expect([home.status('soul'), home.has('workspace/SOUL.md')]).toEqual(['review', false])
    expect(home.neo('soul', 'error')).toContain('workspace/SOUL.md')
  },
)

test('the checklist of a task is ticked as its agent reports, and what the room remembers is in its first message', async () => {
  const model = await startModel(({ turn }: Asked) =>
    turn === 0
      ? {
          calls: [
            {
              name: 'report_progress',
              input: { text: 'The first part is done.', percent: 50, done: ['Draw it'] },
            },
          ],
        }
      : { calls: [FINISH] },
  )
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': AGENT_ROOM })
  home.write('rooms/shop/memories/colour.md', '---\ntype: preference\n---\nThe page is painted in blue.\n')
  home.task('page', 'Paint the page.\n\n- [ ] Draw it\n- [ ] Print it\n')
  await home.run()
  expect(home.text('page')).toContain('- [x] Draw it\n- [ ] Print it')
  expect(model.asked[0]?.text).toContain('The page is painted in blue.')
})
