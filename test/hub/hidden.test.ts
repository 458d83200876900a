/** What a member must not learn of rooms that they don't see. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { HubEvent } from '../../src/hub/hub.ts'
import { until } from '../path/home.ts'
import { HUMAN, hubHome } from './hub-home.ts'

const KIM = { kind: 'member', id: 'kim' } as const
const FILES = {
  'workspace/members/kim.md': '---\nrole: member\npermissions: { rooms: [shop] }\n---\n',
  'rooms/shop/tasks/notes.md': '---\nstatus: draft\n---\n# Notes\n',
  'rooms/secret/tasks/notes.md': '---\nstatus: draft\n---\n# Notes\n',
  'rooms/vault/tasks/notes.md': '---\nstatus: draft\n---\n# Notes\n',
}
const HIDDEN = /secret|vault|\b[23] have/

test('a name of several tasks is told with those that the caller sees', async () => {
  const { hub, call } = await hubHome(FILES)
  const asked = [
    call('task.get', { taskId: 'notes' }, KIM),
    call('task.story', { taskId: 'notes' }, KIM),
    hub.subscribe(KIM, { channel: 'task:notes:state' }, () => {}),
  ]
  for (const one of asked) {
    const error = await one.then(
      () => null,
      (failure: Error & { data: unknown }) => failure,
    )
    expect(`${error?.message} ${JSON.stringify(error?.data)}`).not.toMatch(HIDDEN)
    expect(error?.data).toMatchObject({ paths: ['rooms/shop/tasks/notes.md'] })
  }
  await expect(call('task.get', { taskId: 'notes' })).rejects.toMatchObject({
    data: { paths: expect.arrayContaining(['rooms/secret/tasks/notes.md']) },
  })
})

test('whether a task of a hidden room exists shows nowhere in what a task waits for', async () => {
  const depending = (on: string) => `---\ndepends_on: [${on}]\n---\n# Waits\n`
  const { call } = await hubHome({
    ...FILES,
    'rooms/shop/tasks/a.md': depending('secret/notes'),
    'rooms/shop/tasks/b.md': depending('secret/nothing'),
  })
  const says = async (taskId: string) =>
    (await call('task.get', { taskId }, KIM)).waitsFor.map(({ says: text }) => text.replace(/\w+$/, ''))
  expect(await says('a')).toEqual(await says('b'))
})

test('the channel of memory says nothing about groups that a member is not in', async () => {
  const scope = '---\ntype: group\nroles: [parent]\ncommit: true\n---\n'
  const { hub, home, context } = await hubHome({ ...FILES, 'workspace/scopes/elders/SCOPE.md': scope })
  const stamps: unknown[] = []
  const on = ({ data }: HubEvent) => void stamps.push(data)
  await hub.subscribe(KIM, { channel: 'memory' }, on)
  await until(() => stamps.length === 1)
  const dir = join(home.dir, 'workspace/scopes/elders')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'MEMORY.md'), '- we meet on Tuesdays\n')
  for (const hear of context.hinted) hear('workspace/scopes/elders/MEMORY.md')
  await hub.call(HUMAN, 'room.list', {})
  expect(JSON.stringify(stamps)).not.toMatch(/elders|\d-\d{5}/)
  expect(stamps).toHaveLength(1)
})
