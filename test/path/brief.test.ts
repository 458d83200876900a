/** What an agent is told at its start, over the wire: the home's texts, its room, skills by name, the task; long ones cut. */
import { expect, test } from 'vitest'
import { makeHome } from './home.ts'
import { type Asked, startModel } from './model.ts'

const FINISH = { calls: [{ name: 'finish_task', input: { result: 'done' } }] }
const SKILL = { calls: [{ name: 'use_skill', input: { name: 'release' } }] }

const FILES = {
  'workspace/SOUL.md': 'Calm and brief.\n',
  'workspace/AGENTS.md': 'Tests come first.\n',
  'workspace/USER.md': 'She reads on a small screen.\n',
  'workspace/skills/release/SKILL.md':
    '---\nname: release\ndescription: How a release is made\n---\nTag it, then tell everybody.\n',
  'rooms/shop/ROOM.md': '---\nworker: agent\nreview: none\n---\nPrices are in euros.\n',
  'rooms/shop/memories/tax.md': '---\ntype: note\n---\nThe tax of the shop is 19 percent.\n',
}

test('an agent is told the texts of the home, its room, skills by name, its task and what is remembered', async () => {
  const model = await startModel(({ turn }: Asked) => (turn === 0 ? SKILL : FINISH))
  const home = makeHome({ 'neo.yaml': model.config, ...FILES })
  home.task('page', '# Make the page of the shop\n\nIt shows the tax.\n')
  await home.run()
  expect(home.status('page')).toBe('completed')
  const [first = { text: '' }, second = { last: '' }] = model.asked
  const wanted = [
    'You are a worker of Neo Rooms',
    'Calm and brief.',
    'Tests come first.',
    'She reads on a small screen.',
    'Prices are in euros.',
    'How a release is made',
    '# Task: Make the page of the shop',
    'It shows the tax.',
    'The tax of the shop is 19 percent.',
  ]
  expect(wanted.filter((text) => !first.text.includes(text))).toEqual([])
  expect(first.text).not.toContain('Tag it, then tell everybody.')
  expect(second.last).toContain('Tag it, then tell everybody.')
})

test('the standing text is the same in every request of a session, and of the next one of its room', async () => {
  const model = await startModel(({ turn }: Asked) => (turn === 0 ? SKILL : FINISH))
  const home = makeHome({ 'neo.yaml': model.config, ...FILES })
  home.task('a', 'Do one thing.\n')
  home.task('b', 'Do another thing.\n')
  await home.run()
  const standing = model.asked.map(({ text }) => text.split('# Task:')[0])
  expect([standing.length, new Set(standing).size]).toEqual([4, 1])
})

test('a text of 50 KB is cut for the model, and says so', async () => {
  const model = await startModel(() => FINISH)
  const long = 'A line of the house, forty letters long..\n'.repeat(1250)
  const home = makeHome({
    'neo.yaml': model.config,
    ...FILES,
    'workspace/AGENTS.md': long,
    'workspace/memory/MEMORY.md': long,
    'rooms/shop/memories/long.md': `---\ntype: note\n---\nThe shop: ${long}`,
  })
  home.task('page', '# Make the page of the shop\n\nIt shows the tax.\n')
  await home.run()
  const [{ text } = { text: '' }] = model.asked
  expect(text).toContain('(cut)')
  expect(text.length).toBeLessThan(60_000)
})
