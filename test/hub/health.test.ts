/** The channel `health`: the parts of a home with state, time and what to do; live when a trouble begins and ends. */
import { expect, test } from 'vitest'
import type { HubEvent } from '../../src/hub/hub.ts'
import type { HealthItem } from '../../src/hub/views/home-health.ts'
import { until } from '../path/home.ts'
import { HUMAN, hubHome, PEER, SESSION } from './hub-home.ts'

const CHANNEL = { channel: 'health' }
type Parts = Readonly<Record<string, HealthItem & { readonly since: string }>>

function partsIn(event: HubEvent | undefined): Parts {
  const { snapshot } = (event?.data ?? { snapshot: { parts: {} } }) as {
    readonly snapshot: { readonly parts: Parts }
  }
  return snapshot.parts
}

test('each part has a state, since when, and what to do if it does not work', async () => {
  const { hub } = await hubHome({
    'rooms/shop/tasks/t.md': '---\ntitel: draft\nstatus: draft\n---\n# Typo\n',
  })
  const events: HubEvent[] = []
  await hub.subscribe(HUMAN, CHANNEL, (event) => void events.push(event))
  const parts = partsIn(events[0])
  for (const part of [
    'daemon',
    'lock',
    'git',
    'configuration',
    'files',
    'watcher',
    'sync',
    'schedules',
    'disk',
  ])
    expect([part, parts[part]?.since]).toEqual([part, expect.stringMatching(/^\d{4}-/)])
  expect(parts['files']).toMatchObject({
    state: 'ok',
    says: '1 file with warnings',
    next: expect.stringContaining('inbox'),
  })
  expect(parts['channel telegram']).toMatchObject({
    state: 'off',
    next: expect.stringContaining('channels.telegram'),
  })
})

test('a trouble is told when it begins and when it ends, with its own time', async () => {
  const { hub, context } = await hubHome()
  const events: HubEvent[] = []
  await hub.subscribe(HUMAN, CHANNEL, (event) => void events.push(event))
  const since = '2026-03-01T09:00:00.000Z'
  const says = () => JSON.stringify(events.at(-1)?.data)
  context.troubles.set('watcher', { why: 'too many files', since })
  for (const hear of context.troubled) hear()
  await until(() => says().includes('too many files'))
  expect(events.at(-1)?.data).toMatchObject({
    change: { set: { parts: { watcher: { state: 'trouble', since } } } },
  })
  context.troubles.delete('watcher')
  for (const hear of context.troubled) hear()
  await until(() => says().includes('noticed at once') || says().includes('no daemon watches'))
})

test.each([PEER, SESSION, { kind: 'member', id: 'kim' } as const])('it is refused to $kind', async (who) => {
  const { hub } = await hubHome({ 'workspace/members/kim.md': '---\nrole: parent\n---\n' })
  await expect(hub.subscribe(who, CHANNEL, () => {})).rejects.toMatchObject({ code: -32001 })
})

test('the inbox of the owner has what keeps the home from going on, as neo status does; that of a member has not', async () => {
  const { hub, context } = await hubHome({ 'workspace/members/kim.md': '---\nrole: parent\n---\n' })
  const [own, theirs]: HubEvent[][] = [[], []]
  await hub.subscribe(HUMAN, { channel: 'inbox' }, (event) => void own?.push(event))
  await hub.subscribe(
    { kind: 'member', id: 'kim' },
    { channel: 'inbox' },
    (event) => void theirs?.push(event),
  )
  const tell = () => {
    for (const hear of context.troubled) hear()
  }
  const since = '2026-03-01T09:00:00.000Z'
  context.troubles.set('sync', { why: 'conflict in rooms/shop/ROOM.md', since, needs: 'person' })
  context.troubles.set('watcher', { why: 'too many files', since })
  tell()
  await until(() => JSON.stringify(own?.at(-1)?.data).includes('conflict in'))
  expect(own?.at(-1)?.data).toMatchObject({
    change: { set: { home: { sync: { says: 'conflict in rooms/shop/ROOM.md' } } } },
  })
  context.troubles.clear()
  tell()
  await until(() => (own?.length ?? 0) > 2)
  expect(JSON.stringify([own, theirs])).not.toContain('too many files')
  expect(JSON.stringify(theirs)).not.toContain('conflict in')
})
