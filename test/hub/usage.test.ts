/** usage.summary: runs of sessions and tasks beside what models used, and who sees which. */
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { type HubHome, hubHome } from './hub-home.ts'

const KIM: Principal = { kind: 'member', id: 'kim' }
const session = (id: string, head: string) =>
  `---\nid: ${id}\ntask: t-${id.slice(2)}\nworker: shell\n${head}\n---\nDone.\n`
const FILES = {
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/shop/sessions/s-aaaaaa.md': session(
    's-aaaaaa',
    'status: completed\nstarted_at: 2026-03-01T09:00:00Z\nended_at: 2026-03-01T09:01:00Z',
  ),
  'rooms/desk/sessions/s-bbbbbb.md': session(
    's-bbbbbb',
    'status: failed\nstarted_at: 2026-03-02T09:00:00Z\nended_at: 2026-03-02T09:00:10Z',
  ),
  'rooms/shop/tasks/old.md':
    '---\nstatus: failed\nneo: { id: t-cccccc, created_at: 2026-03-01T08:00:00Z, created_by: human, session: s-cccccc, started_at: 2026-03-01T08:00:00Z, completed_at: 2026-03-01T08:00:30Z }\n---\n# Old\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}

function used({ context }: HubHome): void {
  const usage = { input: 10, cacheRead: 0, cacheWrite: 0, output: 5, source: 'told' } as const
  const one = {
    at: '2026-03-01T09:00:00Z',
    task: null,
    kind: 'session',
    usd: 1,
    usage,
    model: 'x/one',
  } as const
  context.usage.add('a:1', { ...one, room: 'shop', session: 's-aaaaaa' })
  context.usage.add('b:1', { ...one, room: 'desk', session: 's-bbbbbb' })
  context.usage.add('c:1', { ...one, room: null, session: null })
}

test('runs come from session files, and from tasks if the file is gone', async () => {
  const home = await hubHome(FILES)
  used(home)
  const { rows, total, zone } = await home.call('usage.summary', { by: 'room' })
  expect(
    rows.map(({ name, calls, runs, failed, durationMs }) => [name, calls, runs, failed, durationMs]),
  ).toEqual([
    ['shop', 1, 2, 1, 30_000],
    ['desk', 1, 1, 1, 10_000],
    [null, 1, 0, 0, null],
  ])
  expect([total.runs, total.failed, total.tokens, zone]).toEqual([3, 2, 45, expect.any(String)])
  home.home.write(
    'rooms/desk/sessions/s-bbbbbb.md',
    FILES['rooms/desk/sessions/s-bbbbbb.md'].replace('failed', 'completed'),
  )
  expect((await home.call('usage.summary', {})).total.failed).toBe(1)
})

test('a span leaves out runs before and after it', async () => {
  const { call } = await hubHome(FILES)
  const runs = async (span: object) => (await call('usage.summary', span)).total.runs
  expect([await runs({ from: '2026-03-02' }), await runs({ to: '2026-03-01' })]).toEqual([1, 2])
})

test('a member gets the usage and runs of their rooms only', async () => {
  const home = await hubHome(FILES)
  used(home)
  const { rows, total } = await home.call('usage.summary', { by: 'room' }, KIM)
  expect([rows.map(({ name }) => name), total.calls, total.runs]).toEqual([['shop'], 1, 2])
  expect(await home.refusal('usage.summary', { roomId: 'desk' }, KIM)).toMatchObject({ code: -32001 })
})
