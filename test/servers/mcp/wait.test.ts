/** `neo_task_wait`: until a task has come to rest, its time is over, or nobody wants to know any more. */
import { expect, test } from 'vitest'
import { until } from '../../path/home.ts'
import { type HubHome, hubHome } from '../../hub/hub-home.ts'
import { makeDoor } from '../door.ts'
import { ERAS, overHttp, use } from './client.ts'

interface Waiting extends HubHome {
  client(era?: 'legacy' | 'auto'): ReturnType<typeof overHttp>
  /** What the daemon tells after a round. */
  round(): Promise<void>
  /** Subscriptions that are open now. */
  open(): number
}

async function waiting(): Promise<Waiting> {
  const home = await hubHome({ 'rooms/shop/tasks/a.md': '---\nworker: human\n---\n# A\n' })
  let open = 0
  const hub = {
    ...home.hub,
    async subscribe(...args: Parameters<typeof home.hub.subscribe>) {
      const end = await home.hub.subscribe(...args)
      open++
      return () => {
        open--
        end()
      }
    },
  }
  const door = await makeDoor(hub, { home: home.home.dir })
  return {
    ...home,
    client: (era = 'auto') => overHttp(door, era),
    round: async () => home.hub.changed((await home.context.look.look('all')).snapshot),
    open: () => open,
  }
}

test.each(ERAS)(
  'it gives the task when somebody has completed it, and tells how it goes meanwhile (%s)',
  async (era) => {
    const home = await waiting()
    const client = await home.client(era)
    const told: (string | undefined)[] = []
    const onprogress = ({ message }: { message?: string | undefined }) => void told.push(message)
    const call = { name: 'neo_task_wait', arguments: { taskId: 'a', seconds: 60 } }
    const answer = client.callTool(call, { onprogress })
    await until(() => home.open() === 1)
    await home.call('task.complete', { taskId: 'a', result: 'It is green.' })
    await home.round()
    const { structuredContent } = await answer
    expect(structuredContent).toMatchObject({
      ended: true,
      task: { status: 'completed', result: 'It is green.' },
    })
    expect([told.includes('pending'), home.open()]).toEqual([true, 0])
  },
)

test('it gives the task as it is when the time is over, and at once when it rests already', async () => {
  const home = await waiting()
  const client = await home.client()
  const late = await use(client, 'neo_task_wait', { taskId: 'a', seconds: 1 })
  expect(late.data).toMatchObject({ ended: false, task: { status: 'pending' } })
  await home.call('task.cancel', { taskId: 'a' })
  const rested = await use(client, 'neo_task_wait', { taskId: 'a', seconds: 60 })
  expect(rested.data).toMatchObject({ ended: true, task: { status: 'cancelled' } })
})

test('a request that is cancelled follows nothing any more; a task that is deleted is said', async () => {
  const home = await waiting()
  const client = await home.client()
  const stop = new AbortController()
  const call = { name: 'neo_task_wait', arguments: { taskId: 'a', seconds: 60 } }
  const cancelled = client.callTool(call, { signal: stop.signal }).catch((error: unknown) => error)
  await until(() => home.open() === 1)
  stop.abort()
  await cancelled
  await until(() => home.open() === 0)
  const answer = use(client, 'neo_task_wait', { taskId: 'a', seconds: 60 })
  await until(() => home.open() === 1)
  await home.call('task.delete', { taskId: 'a' })
  await home.round()
  expect(await answer).toMatchObject({ isError: true, text: expect.stringContaining('was deleted') })
})

test.each([{ seconds: 0 }, { seconds: 601 }, { seconds: 'long' }, { colour: 'red' }])(
  '%o is refused',
  async (wrong) => {
    const client = await (await waiting()).client()
    expect(await use(client, 'neo_task_wait', { taskId: 'a', ...wrong })).toMatchObject({ isError: true })
  },
)
