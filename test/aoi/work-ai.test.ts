/** `agent.work_ai`: what does the tasks that agents of other homes start. */
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { callsIn, roomWithServer, WORKER_KEY } from '../path/mcp-worker.ts'
import { pair, startNode } from './node.ts'

const RULE =
  '{ agent_id: ana, scope_type: repository, pattern: acme/shop, permission: write, tasks: [delegated] }'
const TEMPLATE = [
  '---',
  'title: "{{title}}"',
  'worker: agent',
  'params:',
  '  title: { type: text }',
  '  description: { type: text }',
  '---',
  '{{description}}',
  '',
].join('\n')

test('work_ai mcp: an MCP server of the room does the task, and its answer goes back', async () => {
  const room = roomWithServer({ worker: 'human' })
  const files = {
    'rooms/shop/ROOM.md': room.text,
    'templates/tasks/delegated.md': TEMPLATE,
    '.env': `CODER_KEY=${WORKER_KEY}\n`,
  }
  const [ana, ben] = await Promise.all([
    startNode('ana', { host: '127.0.0.2' }),
    startNode('ben', { host: '127.0.0.3', rules: [RULE], agent: 'work_ai: mcp:coder', files }),
  ])
  await pair(ana, ben)
  ana.home.task('paint', '---\ntitle: Paint the door\nworker: peer:ben\n---\nPaint it green.\n')
  await until(() => ana.home.status('paint') === 'completed', 90_000)
  expect(ana.home.neo('paint', 'result')).toBe('ben: the work is done with ***')
  expect(callsIn(room.log)).toHaveLength(1)
  expect((await ben.call('task.list', {})).map(({ worker }) => worker)).toEqual(['mcp:coder'])
  ana.home.task('break', '---\ntitle: Break the door\nworker: peer:ben\n---\nFail.\n')
  await until(() => ana.home.status('break') === 'failed', 90_000)
  expect(ana.home.neo('break', 'error')).toContain('the MCP server coder failed: the tests are red')
})
