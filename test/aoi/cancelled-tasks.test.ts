/** Tasks in another home that are stopped here: that home hears of it, whenever it is there again. */
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { settleHome } from '../../src/engine/round.ts'
import { until } from '../path/home.ts'
import { DELEGATES, delegated, ECHO, nodes, states } from './node.ts'

test('a stopped task is cancelled in the other home', async () => {
  const [ana, ben] = await nodes({ rules: [DELEGATES], files: ECHO })
  ana.home.task('say', delegated('task_type: echo, text: hello'))
  await until(async () => (await states(ben)).length === 1 && ana.home.status('say') === 'in_progress')
  await ana.call('task.cancel', { taskId: 'shop/say' })
  await until(async () => (await ben.call('task.list', {})).every(({ status }) => status === 'cancelled'))
})

test('a task is cancelled in the other home once that is there again, also if this one was stopped meanwhile', async () => {
  const [ana, ben] = await nodes({ rules: [DELEGATES], files: ECHO })
  ana.home.task('say', delegated('task_type: echo, text: hello'))
  await until(async () => (await states(ben)).length === 1 && ana.home.status('say') === 'in_progress')
  await ben.stop()
  await ana.stop()
  ana.home.task('say', ana.home.text('say').replace('status: in_progress', 'status: cancelled'))
  expect(await settleHome(await composeWorld(ana.home.dir), ana.home.dir)).toBe('settled')
  await ana.start()
  await until(() => ana.said(/cancelling the task at ben/))
  await ben.start()
  await until(
    async () => (await ben.call('task.list', {})).every(({ status }) => status === 'cancelled'),
    60_000,
  )
})

test('a task whose first answer was lost is cancelled in the other home', async () => {
  const [ana, ben] = await nodes({ rules: [DELEGATES], files: ECHO }, { losesAnswers: 'aoi.task.execute' })
  ana.home.task('say', delegated('task_type: echo, text: hello'))
  await until(async () => (await states(ben)).length === 1 && ana.home.status('say') === 'in_progress')
  await ana.call('task.cancel', { taskId: 'shop/say' })
  await until(async () => (await ben.call('task.list', {})).every(({ status }) => status === 'cancelled'))
})
