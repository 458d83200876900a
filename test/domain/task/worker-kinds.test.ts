/** Why the program that a task names can't do it, in one line that says where to look. */
import { expect, test } from 'vitest'
import {
  clearsWhen,
  missingProgram,
  type WorkerPlace,
  workersIn,
} from '../../../src/domain/task/worker-kinds.ts'
import type { Worker } from '../../../src/domain/task/task.ts'
import { room } from '../../builders.ts'

const EXEC = { command: ['run'], prompt: 'stdin', env: [], read: [], write: [], network: 'deny' } as const
const SERVER = { kind: 'http', url: 'http://localhost:1', headers: {} } as const

function place(over: Partial<Parameters<typeof room>[0]> | null, workers: readonly string[]): WorkerPlace {
  const config = { workers: Object.fromEntries(workers.map((name) => [name, EXEC])) }
  return { config, roomName: 'shop', room: over === null ? null : room(over) }
}

const servers = (...names: readonly string[]) => ({
  mcpServers: Object.fromEntries(names.map((name) => [name, SERVER])),
})

test.each<[string, Worker, WorkerPlace, string | null]>([
  ['an agent', { kind: 'agent' }, place(null, []), null],
  ['a shell', { kind: 'shell' }, place({ permissions: { mcp: 'deny' } }, []), null],
  ['a person', { kind: 'human' }, place(null, []), null],
  ['another home', { kind: 'peer', name: 'qa' }, place(null, []), null],
  ['a program that is there', { kind: 'exec', name: 'tool' }, place(null, ['other', 'tool']), null],
  [
    'a program that is not there',
    { kind: 'exec', name: 'tool' },
    place({}, ['a', 'b']),
    'worker tool not found under workers: in neo.yaml; it has a, b',
  ],
  [
    'a program with the name of a part of every object',
    { kind: 'exec', name: 'constructor' },
    place({}, []),
    'worker constructor not found under workers: in neo.yaml; it has none',
  ],
  ['a server', { kind: 'mcp', name: 'codex' }, place(servers('codex'), []), null],
  ['a tool of a server', { kind: 'mcp', name: 'codex/review' }, place(servers('codex'), []), null],
  [
    'a server of another name',
    { kind: 'mcp', name: 'codex/review' },
    place(servers('code', 'codex/review'), []),
    'MCP server codex not found, or disabled, under mcp_servers: in rooms/shop/ROOM.md; it has code, codex/review',
  ],
  [
    'a server without a room',
    { kind: 'mcp', name: 'codex' },
    place(null, ['codex']),
    'MCP server codex not found, or disabled, under mcp_servers: in rooms/shop/ROOM.md; it has none',
  ],
  [
    'a server that the room denies',
    { kind: 'mcp', name: 'codex' },
    place({ ...servers('codex'), permissions: { mcp: 'deny' } }, []),
    'permissions.mcp in rooms/shop/ROOM.md denies MCP servers',
  ],
  [
    'a server that the room asks about',
    { kind: 'mcp', name: 'codex' },
    place({ ...servers('codex'), permissions: { mcp: 'ask' } }, []),
    null,
  ],
])('missingProgram() of %s', (_, worker, where, why) => {
  expect(missingProgram(worker, where)).toBe(why)
})

test('workersIn() gives kinds without a name, then what is configured', () => {
  const there = place(servers('docs'), ['codex'])
  expect(workersIn(there)).toEqual(['agent', 'shell', 'human', 'exec:codex', 'mcp:docs'])
})

test.each<[Worker, string | null]>([
  [{ kind: 'mcp', name: 'codex/review' }, 'the room has and permits the MCP server codex'],
  [{ kind: 'exec', name: 'tool' }, 'workers: in neo.yaml has tool'],
  [{ kind: 'agent' }, null],
])('clearsWhen() of %j', (worker, when) => {
  expect(clearsWhen(worker)).toBe(when)
})
