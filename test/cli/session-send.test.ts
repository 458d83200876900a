/** neo session send and resume: a word to a session at work, into a real daemon. */
import { expect, test } from 'vitest'
import { type Asked, startModel } from '../path/model.ts'
import { watching } from './daemon.ts'
import { type Home, makeHome, until } from './program.ts'

const AGENT_ROOM = '---\nname: Shop\nworker: agent\nreview: none\n---\n'
const FINISH = { calls: [{ name: 'finish_task', input: { result: 'done' } }] }

function status(home: Home, name: string): string {
  return /^status: (\w+)/m.exec(home.text(`rooms/shop/tasks/${name}.md`))?.[1] ?? ''
}

test('a message to a session that waits with a question is its answer, within seconds', async () => {
  const model = await startModel(({ turn, last }: Asked) => {
    if (turn === 0) return { calls: [{ name: 'ask_human', input: { question: 'Which colour?' } }] }
    if (turn === 1) return { calls: [{ name: 'write_file', input: { path: 'c.txt', content: last } }] }
    return FINISH
  })
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': AGENT_ROOM })
  await watching(home)
  home.put('rooms/shop/tasks/colour.md', 'Pick a colour.\n')
  await until(async () => (await home.neo('ask', 'list')).out.includes('Which colour?'))
  const { code, out } = await home.neo('session', 'send', 'shop/colour', 'Blue, please.')
  expect(code).toBe(0)
  expect(out).toMatch(/^s-\w+ has its answer /)
  expect((await home.neo('ask', 'list')).out).toBe('')
  const [name = ''] = home.names('rooms/shop/asks')
  expect(home.text(`rooms/shop/asks/${name}`)).toMatch(/^handled_at: [\s\S]*## Answer\n\nBlue, please\.\n$/m)
  await until(() => status(home, 'colour') === 'completed')
  expect(home.text('workspace/files/c.txt')).toContain('Blue, please.')
  const { out: tail } = await home.neo('session', 'tail', 'shop/colour')
  expect(tail).toMatch(/tool_call +write_file c\.txt\n/)
  expect(tail).toMatch(/tool_result +\S.*\n/)
  expect(tail).not.toMatch(/^\S+ (?:assistant|tool_call|tool_result) *$|exit code +after|\\n/m)
  expect((await home.neo('log', 'shop/colour')).out).toContain('tool_call write_file c.txt')
  const after = await home.neo('session', 'send', 'shop/colour', 'Or green?')
  expect(after).toMatchObject({ code: 4, err: expect.stringContaining('it has ended (completed)') })
  const resumed = await home.neo('session', 'resume', 'shop/colour')
  expect(resumed).toMatchObject({ code: 5, err: expect.stringMatching(/has ended[\s\S]*neo task retry t-/) })
})

test('a message to a session at work is read at its next turn', async () => {
  const model = await startModel(({ turn, last, text }: Asked) => {
    if (last.includes('Make it small'))
      return { calls: [{ name: 'write_file', input: { path: 'm.txt', content: last } }] }
    if (text.includes('Make it small')) return FINISH
    return { calls: [{ name: 'write_file', input: { path: 'n.txt', content: `${turn}\n` } }] }
  })
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': AGENT_ROOM })
  await watching(home)
  home.put('rooms/shop/tasks/busy.md', '---\nbudget: { turns: 5000 }\n---\nWrite until you are told.\n')
  await until(() => model.asked.length > 1)
  const { code, out } = await home.neo('session', 'send', 'busy', 'Make it small')
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^s-\w+ reads it at its next turn/),
  })
  await until(() => status(home, 'busy') === 'completed')
  expect(home.text('workspace/files/m.txt')).toContain('Message from human:\nMake it small')
})

test('a session that runs commands reads no messages, and goes on by itself', async () => {
  const slow = '```sh\nwhile [ ! -e "$HOME/go" ]; do sleep 0.05; done\n```\n'
  const home = makeHome({ 'rooms/shop/tasks/slow.md': slow })
  const daemon = await watching(home, { HOME: home.dir })
  await until(() => status(home, 'slow') === 'in_progress')
  const sent = await home.neo('session', 'send', 'slow', 'Faster!')
  expect(sent).toMatchObject({ code: 1, err: expect.stringContaining('reads no messages') })
  const resumed = await home.neo('session', 'resume', 'slow')
  expect(resumed).toMatchObject({ code: 0, out: expect.stringContaining('the daemon continues it') })
  await daemon.stop()
  const alone = await home.neo('session', 'resume', 'slow')
  expect(alone).toMatchObject({
    code: 1,
    err: expect.stringMatching(/no daemon is running[\s\S]*next: neo watch/),
  })
  home.put('go', '')
  await home.neo('run')
  expect(status(home, 'slow')).toBe('completed')
})

test.each([
  [['session', 'send', 's-zzzzzz', 'x'], 4],
  [['session', 'send', 'hello', ' '], 2],
  [['session', 'resume', 's-zzzzzz'], 4],
] as const)('neo %j ends with %i', async (words, code) => {
  const ended = await makeHome().neo(...words)
  expect([ended.code, ended.out]).toEqual([code, ''])
})
