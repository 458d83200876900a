/** schedule.*: what is to be done again and again, changed and deleted through the hub; and what a client may not forge. */
import { expect, test } from 'vitest'
import { hubHome, LOBBY_NEO, NEO, SESSION } from './hub-home.ts'

const AT = '2026-03-01T09:00:00Z'
const PATH = 'rooms/shop/schedules/daily.md'
const schedule = (by: string) =>
  `---\n# Each morning\ncron: "0 9 * * 1-5"   # working days\nneo: { id: c-aaaaaa, created_at: ${AT}, created_by: ${by} }\n---\nLook.\n`
const DAILY = { roomId: 'shop', name: 'daily' }

test('a schedule tells when it is next due; paused it is not', async () => {
  const { call } = await hubHome({ [PATH]: schedule('human') })
  const [listed] = await call('schedule.list', { roomId: 'shop' })
  expect(Date.parse(listed?.nextAt ?? '')).toBeGreaterThan(Date.now())
  const paused = await call('schedule.update', { ...DAILY, updates: { status: 'paused' } })
  expect([paused.status, paused.nextAt]).toEqual(['paused', null])
})

test('a change keeps comments and all other lines, and is a commit', async () => {
  const { home, call } = await hubHome({ [PATH]: schedule('human') })
  await call('schedule.update', {
    ...DAILY,
    updates: { cron: '30 8 * * *', overlap: 'queue', catchUp: 'none', content: 'Look twice.' },
  })
  const text = home.read(PATH)
  expect(text).toContain('# Each morning\ncron: "30 8 * * *"   # working days\n')
  expect(text).toMatch(/overlap: queue\n[\s\S]*---\nLook twice\.\n$/)
  await call('schedule.update', { ...DAILY, updates: { cron: null, every: '2h' } })
  expect((await call('schedule.list', { roomId: 'shop' }))[0]?.when).toBe('every 7200s')
  expect(home.git('status', '--porcelain')).toBe('')
  expect(home.git('log', '-1', '--format=%an: %s')).toBe('Person: neo(shop): change schedule daily')
})

test.each([
  ['no time left', { cron: null }],
  ['a time that is none', { cron: 'each day' }],
  ['one that is due each second', { cron: '* * * * * *' }],
  ['two times', { every: '1d' }],
])('%s is refused, and the file stays', async (_, updates) => {
  const { home, refusal } = await hubHome({ [PATH]: schedule('human') })
  expect(await refusal('schedule.update', { ...DAILY, updates })).toMatchObject({ code: -32602 })
  expect(home.read(PATH)).toBe(schedule('human'))
})

test('a schedule is deleted with a commit, and one that is not there is missing', async () => {
  const { home, call, refusal } = await hubHome({ [PATH]: schedule('human') })
  expect(await call('schedule.delete', DAILY)).toEqual({ path: PATH })
  expect(home.git('log', '-1', '--format=%s')).toBe('neo(shop): delete schedule daily')
  for (const name of ['daily', '../tasks/a', 'no'])
    expect(await refusal('schedule.delete', { roomId: 'shop', name })).toMatchObject({ code: -32002 })
})

test('a model changes what models plan once; what recurs, and what people plan, becomes a request', async () => {
  const once = schedule('neo').replace('cron: "0 9 * * 1-5"', 'at: 2030-01-01T09:00')
  const own = await hubHome({ [PATH]: once })
  expect((await own.call('schedule.update', { ...DAILY, updates: { content: 'More' } }, NEO)).body).toBe(
    'More\n',
  )
  await own.call('schedule.delete', DAILY, NEO)
  const recurring = await hubHome({ [PATH]: schedule('neo') })
  const more = { ...DAILY, updates: { content: 'More' } }
  expect(await recurring.refusal('schedule.update', more, NEO)).toMatchObject({ code: -32001 })
  const { home, refusal } = await hubHome({ [PATH]: schedule('human') })
  const asks = [
    await refusal('schedule.update', { ...DAILY, updates: { content: 'rm -rf' } }, NEO),
    await refusal('schedule.delete', DAILY, NEO),
  ]
  expect(asks.map(({ code, ask }) => [code, typeof ask])).toEqual([
    [-32001, 'string'],
    [-32001, 'string'],
  ])
  expect(home.read(PATH)).toBe(schedule('human'))
})

const ASK = 'rooms/shop/asks/a-aaaaaa.md'
const PENDING = `---\nkind: approval\naction: { tool: x, arguments: {}, files: [], sha256: "0" }\ndecision: pending\nneo: { id: a-aaaaaa, created_at: ${AT} }\n---\n`

test('a yes among the parameters approves nothing', async () => {
  const { home, call, refusal } = await hubHome({
    [ASK]: PENDING,
    'rooms/shop/ROOM.md': '---\nname: Shop\n---\n',
  })
  for (const forged of [{ approved: true }, { approvedBy: 'ana' }, { decision: 'approved' }]) {
    const asked = { roomId: 'shop', updates: { verify: ['true'] }, ...forged }
    expect(await refusal('room.update', asked, NEO)).toMatchObject({ code: -32602 })
  }
  const asked = await refusal('room.update', { roomId: 'shop', updates: { verify: ['true'] } }, NEO)
  expect([asked.code, typeof asked.ask]).toEqual([-32001, 'string'])
  for (const as of [NEO, LOBBY_NEO, SESSION])
    expect(await refusal('ask.decide', { askId: 'a-aaaaaa', decision: 'approved' }, as)).toMatchObject({
      code: -32001,
    })
  expect((await call('room.get', { roomId: 'shop' })).verify).toEqual([])
  expect(home.read(ASK)).toBe(PENDING)
})

test('who sends is who calls: a name among the parameters is refused, and what another room sends is recorded as its', async () => {
  const { audit, refusal } = await hubHome({ 'rooms/other/ROOM.md': '---\nname: Other\n---\n' })
  for (const forged of [{ from: 'human' }, { principal: { kind: 'human' } }, { createdBy: 'human' }])
    expect(await refusal('message.send', { roomId: 'shop', content: 'x', ...forged }, NEO)).toMatchObject({
      code: -32602,
    })
  const asked = { roomId: 'other', title: 'x', description: '' }
  expect(await refusal('task.create', asked, NEO)).toMatchObject({ code: -32001, rule: 'own-room' })
  expect(audit().map(({ who, effect }) => `${who} ${effect}`)).toEqual(['neo:shop deny'])
})
