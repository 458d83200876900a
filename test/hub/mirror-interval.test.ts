/** `agent.mirror.index_interval`: how old the context in an answer may be. Its owner always sees all. */
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { HOME, PEER, scope } from './effects/agents.ts'
import { type HubHome, hubHome } from './hub-home.ts'

const homeWith = (interval: string) =>
  hubHome({
    ...HOME,
    'neo.yaml': `${HOME['neo.yaml']}`.replace(
      '  owner: Ana',
      `  owner: Ana\n  mirror: { enabled: true, index_interval: ${interval} }`,
    ),
  })
const edit = ({ call }: HubHome, file: string) =>
  call('mirror.event', { roomId: 'shop', kind: 'file.saved', file })
const answer = async ({ call }: HubHome) =>
  (await call('aoi.query', { query: 'how far?', contextScope: scope }, PEER)).facts
    .filter((line) => line.startsWith('open file'))
    .toSorted()

test('an answer within the interval uses what was read before it', async () => {
  const home = await homeWith('1h')
  await edit(home, 'a.ts')
  expect(await answer(home)).toEqual(['open file a.ts'])
  await edit(home, 'b.ts')
  expect(await answer(home)).toEqual(['open file a.ts'])
})

test('an answer after the interval has what came in the meantime', async () => {
  const home = await homeWith('200ms')
  await edit(home, 'a.ts')
  expect(await answer(home)).toEqual(['open file a.ts'])
  await edit(home, 'b.ts')
  await until(async () => (await answer(home)).length === 2)
  expect(await answer(home)).toEqual(['open file a.ts', 'open file b.ts'])
})

test('its owner sees what came last', async () => {
  const home = await homeWith('1h')
  await edit(home, 'a.ts')
  await home.call('mirror.snapshot', { roomId: 'shop' })
  await edit(home, 'b.ts')
  expect((await home.call('mirror.snapshot', { roomId: 'shop' })).activeFiles).toEqual(['b.ts', 'a.ts'])
})
