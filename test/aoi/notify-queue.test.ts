/** Notifications to other agents: kept until they are taken, in their order, whatever fails. */
import { expect, onTestFinished, test } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { CANCEL, type Notification, Notifications } from '../../src/aoi/out/notify-queue.ts'
import type { Peer } from '../../src/domain/peer/peer.ts'
import { MovedClock, settled } from '../moved-clock.ts'

const DAY = 24 * 3_600_000
const ana = { id: 'ana', endpoint: 'https://ana:8443' } as Peer

function queue(dir = folder(), clock = new MovedClock(), files = openFiles()) {
  const sent: string[] = []
  const of = { peers: [ana, { ...ana, id: 'eve' } as Peer], away: new Set<string>() }
  const notifications = new Notifications({
    ...{ files, clock, dir },
    peer: (id) => of.peers.find((one) => one.id === id) ?? null,
    async send({ id }, { data }) {
      if (of.away.has(id)) throw new Error('no route to host')
      sent.push(`${id} ${data['query_id'] ?? data['taskId']}`)
      return true
    },
  })
  const put = (agentId: string, query: string, more: Partial<Notification> = {}) =>
    notifications.put({
      ...{ agentId, event: 'query.completed', relatedQueryId: '1', at: clock.now() },
      ...{ data: { query_id: query }, ...more },
    })
  return { notifications, put, sent, of, clock, again: () => queue(dir, clock) }
}

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-notify-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('two answers to requests with one id are both sent, in their order', async () => {
  const { put, sent } = queue()
  put('ana', 'q-1')
  put('ana', 'q-2')
  await settled()
  expect(sent).toEqual(['ana q-1', 'ana q-2'])
})

test('an agent that can’t be reached is tried again, ever less often, and holds up no other', async () => {
  const { put, sent, of, clock } = queue()
  of.away.add('ana')
  put('ana', 'q-1')
  put('eve', 'q-2')
  await clock.move(60_000)
  expect(sent).toEqual(['eve q-2'])
  of.away.clear()
  await clock.move(5 * 60_000)
  expect(sent).toEqual(['eve q-2', 'ana q-1'])
})

test('what waits is sent after a restart, once', async () => {
  const { put, of, clock, notifications, again } = queue()
  of.away.add('ana')
  put('ana', 'q-1')
  await clock.move(2_000)
  notifications.close()
  const later = again()
  later.notifications.begin()
  await settled()
  expect(later.sent).toEqual(['ana q-1'])
  const last = later.again()
  last.notifications.begin()
  await settled()
  expect(last.sent).toEqual([])
})

test.each([
  ['older than a week', () => {}, { at: new MovedClock().now() - 7 * DAY - 1 }],
  ['to a revoked agent', ({ of }: ReturnType<typeof queue>) => void of.peers.shift(), {}],
  [
    'to an agent without an endpoint',
    ({ of }: ReturnType<typeof queue>) => void of.peers.splice(0, 1, { id: 'ana' } as Peer),
    {},
  ],
  ['that were forgotten', (one: ReturnType<typeof queue>) => one.notifications.forget('ana'), {}],
])('notifications %s are dropped', async (_, happens, more) => {
  const one = queue()
  one.of.away.add('ana')
  one.put('ana', 'q-1', more)
  await settled()
  happens(one)
  one.of.away.clear()
  one.put('eve', 'q-2')
  await one.clock.move(10 * 60_000)
  expect(one.sent).toEqual(['eve q-2'])
})

test('of an agent that takes none, the newest 200 wait', async () => {
  const files = openFiles()
  const append: typeof files.append = (path, line) => files.append(path, line, 'later')
  const { put, sent, of, clock } = queue(folder(), new MovedClock(), { ...files, append })
  of.away.add('ana')
  for (let at = 0; at < 205; at++) put('ana', `q-${at}`)
  await settled()
  of.away.clear()
  await clock.move(10 * 60_000)
  expect([sent.length, sent[0], sent.at(-1)]).toEqual([200, 'ana q-5', 'ana q-204'])
})

test('cancelled tasks make no room for notifications, and are told each, also after a restart', async () => {
  const { put, of, notifications, again } = queue()
  of.away.add('ana')
  for (const task of ['t-1', 't-2'])
    put('ana', '', { event: CANCEL, relatedQueryId: task, data: { taskId: task } })
  for (let at = 0; at < 201; at++) put('ana', `q-${at}`)
  await settled()
  notifications.close()
  const later = again()
  later.notifications.begin()
  await settled()
  expect([later.sent.length, ...later.sent.slice(0, 3)]).toEqual([202, 'ana t-1', 'ana t-2', 'ana q-1'])
})

test('a disk that refuses for a while ends nothing: it is sent again', async () => {
  const files = openFiles()
  let full = false
  const append: typeof files.append = (...of) => {
    if (full) throw new Error('no space left on device')
    files.append(...of)
  }
  const { put, sent, clock } = queue(folder(), new MovedClock(), { ...files, append })
  put('ana', 'q-1')
  full = true
  await settled()
  expect(sent).toEqual(['ana q-1'])
  full = false
  await clock.move(2_000)
  put('ana', 'q-2')
  await settled()
  expect(sent).toEqual(['ana q-1', 'ana q-1', 'ana q-2'])
})
