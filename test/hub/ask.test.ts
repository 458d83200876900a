/** Asks through the hub: the first decision stands, what was shown is what runs, once. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TABLE } from '../../src/hub/method-table.ts'
import { openHub } from '../../src/hub/open-hub.ts'
import { until } from '../path/home.ts'
import { EDITOR, HUMAN, type HubHome, hubHome, last, NEO, SESSION, trailer } from './hub-home.ts'

const UPDATES = { verify: ['npm test'], permissions: { shell: 'deny' as const }, description: "it's 0012" }

async function asked(as = NEO): Promise<HubHome & { readonly id: string; readonly path: string }> {
  const home = await hubHome({ 'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n' })
  const method = as === NEO ? 'room.update' : 'task.update'
  const params =
    as === NEO ? { roomId: 'shop', updates: UPDATES } : { taskId: 'a', updates: { verify: ['true'] } }
  const { ask = '' } = await home.refusal(method, params, as)
  return { ...home, id: ask, path: `rooms/shop/asks/${ask}.md` }
}

/** What the daemon does after a round. */
async function round({ context, hub }: HubHome): Promise<number> {
  const { snapshot } = await context.look.look('all')
  return hub.carryOut(snapshot)
}

test('an approved call is carried out once, in one commit with its ask', async () => {
  const home = await asked()
  await home.call('ask.decide', { askId: home.id, decision: 'approved' })
  expect(await home.call('room.get', { roomId: 'shop' })).toMatchObject({ ...UPDATES, worker: 'shell' })
  expect([last(home.home), trailer(home.home, 'Neo-Approved-By')]).toEqual([
    'Neo: neo(shop): update room shop',
    'Person',
  ])
  expect(home.home.git('show', '--name-only', '--format=').split('\n')).toEqual([
    'rooms/shop/ROOM.md',
    home.path,
  ])
  expect(await round(home)).toBe(0)
})

test.each(['noted', 'killed before it was noted'])(
  'an approved call, %s, is not carried out again after a reset takes it back',
  async (how) => {
    const home = await asked()
    await home.call('ask.decide', { askId: home.id, decision: 'approved' })
    const { context } = home
    const next = { ...home, hub: how === 'noted' ? home.hub : openHub({ context, table: TABLE }) }
    if (how !== 'noted') rmSync(join(context.dir, 'started.jsonl'))
    await round(next)
    home.home.git('reset', '-q', '--hard', 'HEAD~1')
    expect([await round(next), await round(next)]).toEqual([1, 0])
    expect((await home.call('room.get', { roomId: 'shop' })).verify).toEqual([])
    expect(home.home.read(home.path)).toMatch(/^handled_at: /m)
  },
)

test('what an editor may not set is carried out when a person says yes, and what it made is named as its own', async () => {
  const home = await hubHome()
  const { id } = await home.call('task.create', { roomId: 'shop', title: 'A', description: '' }, EDITOR)
  const params = { taskId: id ?? '', updates: { verify: ['true'] } }
  const { ask = '' } = await home.refusal('task.update', params, EDITOR)
  await home.call('ask.decide', { askId: ask, decision: 'approved' })
  const { verify, createdBy } = await home.call('task.get', { taskId: id ?? '' })
  expect([verify, createdBy, last(home.home)]).toEqual([
    ['true'],
    'editor',
    `Neo: neo(shop): update a--${id}`,
  ])
})

test('a decision in the file by hand is carried out at the next round', async () => {
  const home = await asked(SESSION)
  home.home.write(home.path, home.home.read(home.path).replace('decision: pending', 'decision: approved'))
  expect([await round(home), await round(home)]).toEqual([1, 0])
  expect((await home.call('task.get', { taskId: 'a' })).verify).toEqual(['true'])
  expect(home.home.read(home.path)).toMatch(/^handled_at: /m)
})

test.each([
  ['arguments', (text: string) => text.replace('npm test', 'true')],
  ['caller', (text: string) => text.replace('created_by: neo:shop', 'created_by: neo:lobby')],
  ['method', (text: string) => text.replace('tool: room.update', 'tool: room.archive')],
])('an approved ask whose %s were changed runs nothing', async (_, change) => {
  const home = await asked()
  const before = home.home.read('rooms/shop/ROOM.md')
  home.home.write(
    home.path,
    change(home.home.read(home.path)).replace('decision: pending', 'decision: approved'),
  )
  await round(home)
  expect(home.home.read('rooms/shop/ROOM.md')).toBe(before)
  expect(home.home.read(home.path)).toMatch(/^decision: denied$/m)
})

test('an approved call that cannot be done just now stays approved, and is done when nothing is in its way', async () => {
  const home = await asked(SESSION)
  const task = home.home.text('a')
  home.home.task('a', task.replace('status: draft', 'status: [draft'))
  await home.call('ask.decide', { askId: home.id, decision: 'approved' })
  expect(await round(home)).toBe(0)
  const ask = home.home.read(home.path)
  expect([/^decision: approved$/m.test(ask), /^handled_at: /m.test(ask)]).toEqual([true, false])
  home.home.task('a', task)
  await until(async () => (await round(home)) === 1)
  expect((await home.call('task.get', { taskId: 'a' })).verify).toEqual(['true'])
  expect(trailer(home.home, 'Neo-Approved-By')).toBe('Person')
  expect(await round(home)).toBe(0)
})

test('an approved call that can never be done closes its ask with the reason', async () => {
  const home = await asked(SESSION)
  home.home.git('rm', '-q', '-f', 'rooms/shop/tasks/a.md')
  home.home.git('commit', '-q', '-m', 'away')
  const { message } = await home.refusal('ask.decide', { askId: home.id, decision: 'approved' })
  expect(message).toContain('Cannot carry out')
  expect(home.home.read(home.path)).toMatch(/^handled_at: /m)
})

test('a denied ask is closed and runs nothing', async () => {
  const home = await asked()
  const ask = await home.call('ask.decide', { askId: home.id, decision: 'denied' })
  expect([ask.decision, ask.decidedBy, typeof ask.handledAt]).toEqual(['denied', 'Person', 'string'])
  expect((await home.call('room.get', { roomId: 'shop' })).verify).toEqual([])
})

test('the second decision is refused', async () => {
  const home = await asked()
  await home.call('ask.decide', { askId: home.id, decision: 'denied' })
  const again = await home.refusal('ask.decide', { askId: home.id, decision: 'approved' })
  expect(again).toMatchObject({ code: -32001, rule: 'decided' })
})

test('an ask that has ended is a no', async () => {
  const home = await asked()
  home.home.write(
    home.path,
    home.home.read(home.path).replace(/^expires_at: .*$/m, 'expires_at: "2026-01-01T00:00:00Z"'),
  )
  expect(await home.refusal('ask.decide', { askId: home.id, decision: 'approved' })).toMatchObject({
    rule: 'expired',
  })
  expect(await round(home)).toBe(1)
  expect(home.home.read(home.path)).toMatch(/^decision: denied$/m)
})

test.each([[NEO], [SESSION]])('ask.decide by %j is denied', async (as) => {
  const home = await asked()
  expect(await home.refusal('ask.decide', { askId: home.id, decision: 'approved' }, as)).toMatchObject({
    code: -32001,
  })
})

test('ask.list gives open asks, with all the others too', async () => {
  const home = await asked()
  expect((await home.call('ask.list', { roomId: 'shop' }, NEO)).map(({ id }) => id)).toEqual([home.id])
  await home.call('ask.decide', { askId: home.id, decision: 'denied' })
  expect(await home.call('ask.list', {}, HUMAN)).toEqual([])
  expect((await home.call('ask.list', { all: true })).map(({ id }) => id)).toEqual([home.id])
})

const QUESTION =
  '---\nkind: question\nreason: Which?\nneo: { id: a-aaaaaa, created_at: 2026-03-01T09:00:00Z }\n---\nWhich one?\n'

test('ask.decide writes the answer to a question under its heading', async () => {
  const { home, call, refusal } = await hubHome({ 'rooms/shop/asks/a-aaaaaa.md': QUESTION })
  expect(await refusal('ask.decide', { askId: 'a-aaaaaa', decision: 'approved' })).toMatchObject({
    code: -32602,
  })
  expect(await refusal('ask.decide', { askId: 'a-aaaaaa', decision: 'answered' })).toMatchObject({
    code: -32602,
  })
  const { answer } = await call('ask.decide', {
    askId: 'a-aaaaaa',
    decision: 'answered',
    answer: 'The second',
  })
  expect([answer, last(home)]).toEqual(['The second', 'Person: neo(shop): decide ask a-aaaaaa (answered)'])
})
