/** Templates through the hub: listed, filled in strictly, and made into tasks of whoever asks. */
import { expect, test } from 'vitest'
import { EDITOR, hubHome } from './hub-home.ts'

const GREET = `---
title: Greet {{who}}
worker: human
verify: ["true"]
params:
  who: { type: string, description: Whom }
  times: { type: number, default: "1" }
---
Say hello to {{who}}, {{times}} times.
`
const SHELL =
  '---\nworker: shell\nparams: { folder: { type: string } }\n---\n# List {{folder}}\n\n```sh\nls "$folder"\n```\n'
const HOME = {
  'templates/tasks/greet.md': GREET,
  'templates/tasks/list.md': SHELL,
  'templates/tasks/broken.md': '---\nparams: [\n---\n# Broken\n',
}

test('template.list gives those that can be read, with their parameters', async () => {
  const { call } = await hubHome(HOME)
  expect(await call('template.list', {})).toEqual([
    {
      name: 'greet',
      title: 'Greet {{who}}',
      params: [
        { name: 'who', type: 'string', default: null, description: 'Whom' },
        { name: 'times', type: 'number', default: '1', description: '' },
      ],
    },
    expect.objectContaining({ name: 'list' }),
  ])
})

test('template.fill says what would be made, and makes nothing', async () => {
  const { call, home } = await hubHome(HOME)
  expect(await call('template.fill', { name: 'greet', params: { who: 'Ana' } })).toEqual({
    name: 'greet',
    title: 'Greet Ana',
    description: 'Say hello to Ana, 1 times.\n',
    worker: 'human',
  })
  expect(home.git('log', '--format=%s')).toBe('begin')
})

test('template.run by an editor keeps what the writer of the template wanted, and asks nobody', async () => {
  const { call } = await hubHome(HOME)
  const task = await call('template.run', { roomId: 'shop', name: 'greet', params: { who: 'Ana' } }, EDITOR)
  expect(task).toMatchObject({
    title: 'Greet Ana',
    verify: ['true'],
    worker: 'human',
    status: 'pending',
    createdBy: 'editor',
  })
})

test('a value stays out of shell blocks, and goes with the task as a parameter', async () => {
  const { call, home } = await hubHome(HOME)
  const params = { folder: '"; rm -rf /' }
  const { path, description } = await call('template.run', { roomId: 'shop', name: 'list', params })
  expect(description).toContain('```sh\nls "$folder"\n```')
  expect(home.read(path)).toMatch(/^params:/m)
})

test.each([
  [{ name: 'greet' }, /"who" \(string\) is missing/],
  [{ name: 'greet', params: { who: 'Ana', times: 'many' } }, /"times": "many" is not a number/],
  [{ name: 'greet', params: { who: 'Ana', colour: 'red' } }, /unknown parameter "colour"/],
  [{ name: 'none' }, /Cannot find the template/],
  [{ name: '../tasks/greet' }, /Cannot find the template/],
])('template.fill refuses %o', async (given, why) => {
  const { refusal } = await hubHome(HOME)
  expect((await refusal('template.fill', given)).message).toMatch(why)
})
