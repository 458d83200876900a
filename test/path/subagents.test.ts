/** Subagents and sessions on the path: a session that waits for its subagent, and one that a call of Neo starts. */
import { expect, test } from 'vitest'
import { openMind } from '../../src/mind.ts'
import { makeHome, until } from './home.ts'
import { type Asked, startModel } from './model.ts'

const FINISH = { calls: [{ name: 'finish_task', input: { result: 'twelve lines' } }] }

test('a session that waits for its subagent leaves it the only slot, and hears its result once', async () => {
  const model = await startModel(({ turn, last, text }: Asked) => {
    if (text.includes('# Task: Count')) return FINISH
    if (turn === 0) return { calls: [{ name: 'spawn_subagent', input: { prompt: 'Count the lines.' } }] }
    return last.includes('twelve lines') ? FINISH : 'I wait for the count.'
  })
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': '---\nworker: agent\nreview: none\nconcurrency: 1\n---\n',
  })
  home.task('whole', 'Do the whole.\n')
  await home.run({ timeoutMs: 30_000 })
  expect([home.status('whole'), home.neo('whole', 'error')]).toEqual(['completed', undefined])
  expect(model.asked.filter(({ last }) => last.includes('is completed: twelve lines'))).toHaveLength(1)
})

test('a session that Neo starts is started at once: his call does not hold up the daemon', async () => {
  const model = await startModel(({ tools, last }: Asked) => {
    if (!tools.includes('create_task')) return FINISH
    return last.includes('Start it')
      ? { calls: [{ name: 'create_session', input: { task_id: 'later' } }] }
      : last
  })
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': '---\nworker: agent\nreview: none\n---\n',
    'rooms/shop/tasks/later.md': '---\nstatus: draft\nneo: { id: t-000000, created_by: neo }\n---\n# Later\n',
  })
  const daemon = home.watch({ mind: openMind })
  await daemon.ready()
  home.write('rooms/shop/inbox/go.md', 'Start it.\n')
  const began = Date.now()
  await until(() => model.asked.some(({ last }) => last.includes('Opened session s-')), 20_000)
  expect(Date.now() - began).toBeLessThan(9_000)
  await until(() => home.status('later') === 'completed')
  await daemon.stop()
})
