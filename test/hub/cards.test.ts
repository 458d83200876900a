/** The channel `room:ID:tasks`: what it tells, and that nobody waits for a commit to hear of a saved file. */
import fc from 'fast-check'
import WebSocket from 'ws'
import { expect, onTestFinished, test } from 'vitest'
import { withChange, type Change, type State } from '../../page/store/apply-change.ts'
import { NO_SUM } from '../../src/domain/budget/usage-sum.ts'
import type { TaskFile } from '../../src/domain/plan/snapshot.ts'
import { openRoomCards, viewCard } from '../../src/hub/subscriptions/card-states.ts'
import { snapshot, taskFile } from '../builders.ts'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'

const names = fc.constantFrom('a', 'b', 'c', 'd')
const file = fc
  .record({
    name: names,
    id: fc.constantFrom('t-one', 't-two', 't-three', undefined),
    room: fc.constantFrom('shop', 'desk'),
    title: fc.constantFrom('One', 'Two'),
    status: fc.constantFrom('draft' as const, 'pending' as const),
  })
  .map(({ name, id, room, title, status }) => {
    const made = taskFile(name, { room, title, status })
    return { ...made, task: { ...made.task, neo: id === undefined ? {} : { id } } } satisfies TaskFile
  })
const looks = fc.array(fc.uniqueArray(file, { selector: ({ path }) => path }), { maxLength: 6 })

test('the first state and every change after it give the cards of the room, and no change is no event', () => {
  fc.assert(
    fc.property(looks, (all) => {
      const cards = openRoomCards('shop', { brief: ({ tasks }) => tasks.size, costs: () => new Map() })
      cards.next(snapshot())
      let state = cards.state() as State
      for (const tasks of all) {
        const seen = snapshot({ tasks })
        const change = cards.next(seen) as Change | null
        if (change !== null) state = withChange(state, change)
        const own = tasks.filter(({ room }) => room === 'shop').map(viewCard)
        expect(state['tasks']).toEqual(Object.fromEntries(own.map((card) => [card.id, card])))
        expect(state).toEqual(cards.state())
        expect(cards.next(snapshot({ tasks }))).toBe(null)
      }
    }),
  )
})

test('a card has its cost, which changes without its file; tasks of other rooms tell nothing', () => {
  const calls = new Map([
    ['t-a', { ...NO_SUM, calls: 1, knownUsd: 0.5 }],
    ['t-elsewhere', { ...NO_SUM, calls: 1, knownUsd: 9 }],
  ])
  const cards = openRoomCards('shop', { brief: () => 0, costs: () => calls })
  const seen = snapshot({ tasks: [taskFile('a')] })
  const cost = (usd: number) => ({ 't-a': { tokens: 0, usd, knownUsd: usd } })
  expect(cards.next(seen)).toMatchObject({ set: { costs: cost(0.5) } })
  expect(cards.next(seen)).toBe(null)
  calls.set('t-a', { ...NO_SUM, calls: 2, knownUsd: 0.75 })
  expect(cards.next(seen)).toEqual({ set: { costs: cost(0.75) }, gone: {} })
  expect(cards.next(snapshot())).toEqual({ set: {}, gone: { tasks: ['t-a'], costs: ['t-a'] } })
})

test('a saved task is told before it is adopted and committed', async () => {
  const served = servedHome({ 'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n' })
  const { url } = await served.door()
  const { token } = served.said()
  const ws = new WebSocket(`${url.replace('http', 'ws')}/hub`, {
    headers: { authorization: `Bearer ${token}` },
  })
  onTestFinished(() => ws.terminate())
  const changes: Change[] = []
  let isThere = false
  ws.on('message', (data) => {
    const { params } = JSON.parse(String(data)) as { params?: { data?: { change?: Change } } }
    if (params?.data?.change !== undefined) changes.push(params.data.change)
    else isThere = true
  })
  await new Promise((resolve) => ws.once('open', resolve))
  const params = { channel: 'room:shop:tasks' }
  ws.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params }))
  await until(() => isThere)
  served.home.task('b', '---\nstatus: draft\n---\n# B\n')
  const path = 'rooms/shop/tasks/b.md'
  await until(() => changes.some(({ gone }) => gone['tasks']?.includes(path)))
  const told = changes.flatMap(
    ({ set }) => Object.values(set['tasks'] ?? {}) as { id: string; title: string }[],
  )
  const [first, adopted] = told.filter(({ title }) => title === 'B')
  expect(first?.id).toBe(path)
  expect(adopted?.id).toMatch(/^t-/)
})
