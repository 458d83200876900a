/** MCP servers as workers on the path: `worker: mcp:<server>` calls a tool of the room's server with the task. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ended, engine } from './engine.ts'
import { sessionFile } from './exec-tool.ts'
import { type Home, until } from './home.ts'
import { WORKER_KEY, workerHome } from './mcp-worker.ts'

const outcome = (home: Home, task: string) => [home.status(task), home.neo(task, 'error')]

test('the tool gets the task and the worktree, and its answer is the result', async () => {
  const home = workerHome()
  home.task('door', '# Paint the door\n\nPaint it.\n')
  await home.run()
  expect(outcome(home, 'door')).toEqual(['completed', undefined])
  expect(home.neo('door', 'result')).toBe('the work is done with ***')
  expect(home.read('workspace/files/work.txt')).toBe('first\n')
  expect(sessionFile(home, 'door')).toContain('It was easy.')
  expect(home.calls()).toHaveLength(1)
})

test('what the server says is in the transcript, without the keys that it got', async () => {
  const home = workerHome()
  home.task('door', 'Paint the door.\n')
  await home.run()
  const said = written(home)
  expect(said).toContain('reads the task with ***')
  expect(said).toContain('1 of 2 half of it')
  expect(said).toContain('coder/do')
  expect(written(home)).not.toContain(WORKER_KEY)
})

test('checks that fail are told to the tool, which is called again', async () => {
  const home = workerHome()
  home.task('door', '---\nverify: [grep -q good work.txt]\n---\nPaint the door.\n')
  await home.run()
  expect(outcome(home, 'door')).toEqual(['completed', undefined])
  expect(home.calls()).toHaveLength(2)
})

const FAILURES: readonly (readonly [string, string, string])[] = [
  ['Fail.', 'an error of the tool', 'the MCP server coder failed: the tests are red'],
  ['Die.', 'the end of the server', 'the MCP server coder failed: '],
]
for (const [body, what, error] of FAILURES)
  test(`${what} fails the task`, async () => {
    const home = workerHome()
    home.task('door', `${body}\n`)
    await home.run()
    expect(home.status('door')).toBe('failed')
    expect(home.neo('door', 'error')).toContain(error)
    expect(home.calls()).toHaveLength(1)
  })

test('a rate limit lets the task wait', async () => {
  const home = workerHome()
  home.task('door', 'Busy.\n')
  const daemon = home.watch()
  await until(() => home.neo('door', 'retry_at') !== undefined)
  await daemon.stop()
  expect([home.status('door'), home.neo('door', 'retries')]).toEqual(['pending', undefined])
})

const TOOLS: readonly (readonly [string, string, string | RegExp])[] = [
  ['mcp:coder/review', 'many', 'reviewed true'],
  ['mcp:coder', 'many', 'name a tool of the MCP server coder, as mcp:coder/TOOL: do, review'],
  ['mcp:coder/none', '', 'the MCP server coder has no tool none; it has do, reply'],
  ['mcp:coder/reply', '', /^the tool reply of the MCP server coder can't take a task: it needs/],
]
for (const [worker, mode, says] of TOOLS)
  test(`worker ${worker} of a server with ${mode || 'one fitting'} tool: ${says}`, async () => {
    const home = workerHome({ worker, mode })
    home.task('look', 'Look at the door.\n')
    await home.run()
    expect(home.neo('look', 'error') ?? home.neo('look', 'result')).toMatch(says)
  })

test('a server that the room does not have blocks the task, which starts once it is there', async () => {
  const home = workerHome({ worker: 'mcp:coder' })
  const room = home.read('rooms/shop/ROOM.md')
  home.write('rooms/shop/ROOM.md', room.replace('  coder:', '  other:'))
  home.task('door', 'Paint the door.\n')
  await home.run()
  expect([home.status('door'), home.neo('door', 'blocked')]).toEqual(['blocked', 'model'])
  expect(home.neo('door', 'error')).toBe(
    'MCP server coder not found, or disabled, under mcp_servers: in rooms/shop/ROOM.md; it has other',
  )
  home.write('rooms/shop/ROOM.md', room)
  await home.run()
  expect(home.status('door')).toBe('completed')
})

test('permissions.mcp: deny blocks the task', async () => {
  const home = workerHome({ room: ['permissions: { mcp: deny }'] })
  home.task('door', 'Paint the door.\n')
  await home.run()
  expect(home.neo('door', 'error')).toContain('permissions.mcp in rooms/shop/ROOM.md denies')
  expect(home.calls()).toEqual([])
})

test('permissions.mcp: ask asks once, and the tool is called once it is approved', async () => {
  const home = workerHome({ room: ['permissions: { mcp: ask }'] })
  const daemon = home.watch()
  home.task('door', 'Paint the door.\n')
  const asks = () => home.git('ls-files', 'rooms/shop/asks').split('\n').filter(Boolean)
  await until(() => asks().length === 1)
  const [path = ''] = asks()
  expect([home.calls(), home.read(path).includes('coder')]).toEqual([[], true])
  home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
  await until(() => home.status('door') === 'completed')
  await daemon.stop()
  expect(home.calls()).toHaveLength(1)
})

test('a server at a URL gets no task before a person approves it', async () => {
  const home = workerHome()
  const room = [
    '---',
    'worker: mcp:far',
    'mcp_servers: { far: { url: "http://127.0.0.1:9/mcp" } }',
    '---',
    'x',
  ]
  home.write('rooms/shop/ROOM.md', `${room.join('\n')}\n`)
  home.git('commit', '-qam', 'far')
  const daemon = home.watch()
  home.task('door', 'Paint the door.\n')
  const asks = () => home.git('ls-files', 'rooms/shop/asks').split('\n').filter(Boolean)
  await until(() => asks().length === 1)
  const [path = ''] = asks()
  expect(home.read(path)).toContain('this sends the task to the MCP server far')
  home.write(path, home.read(path).replace('decision: pending', 'decision: denied'))
  await until(() => home.status('door') === 'failed')
  await daemon.stop()
  expect(home.neo('door', 'error')).toContain('not allowed')
})

test('the server is confined: what it writes outside of the worktree is not there', async () => {
  const home = workerHome()
  const [, outside = ''] = /OUTSIDE: (\S+) \}/.exec(home.read('rooms/shop/ROOM.md')) ?? []
  home.task('door', 'Escape.\n')
  await home.run()
  expect(existsSync(join(outside, 'log'))).toBe(true)
  expect(existsSync(join(outside, 'escaped.txt'))).toBe(false)
})

test('a stop cancels the call and ends the server', async () => {
  const home = workerHome()
  const daemon = home.watch()
  home.task('door', 'Hang.\n')
  await until(() => home.calls().length === 1)
  home.write('rooms/shop/tasks/door.md', home.text('door').replace('in_progress', 'cancelled'))
  await until(() => home.git('log', '--format=%s').includes('stop door') && serversOf(home).length === 0)
  await daemon.stop()
})

test('the time limit ends the call and the server', async () => {
  const home = workerHome()
  home.task('door', '---\ntimeout: 3s\n---\nHang.\n')
  await home.run()
  expect([home.status('door'), home.neo('door', 'error')]).toEqual(['failed', 'Timed out'])
  expect(serversOf(home)).toEqual([])
})

test('a daemon that dies in the middle of a call asks before the tool is called again', async () => {
  const home = workerHome()
  home.task('door', 'Hang.\n')
  const first = engine(home.dir)
  await until(() => home.calls().length === 1)
  first.child.kill('SIGKILL')
  await ended(first)
  await until(() => serversOf(home).length === 0)
  await home.run()
  expect([home.status('door'), home.neo('door', 'blocked')]).toEqual(['blocked', 'interrupted'])
  expect(written(home)).toContain('it is unknown how far it got')
  expect(home.calls()).toHaveLength(1)
})

/** Processes that have the log of this home's server in their environment. */
function serversOf(home: Home): readonly string[] {
  const [, log = ''] = /WORKER_LOG: ([^,]+),/.exec(home.read('rooms/shop/ROOM.md')) ?? []
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(log))
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

/** Of all that the session left: transcript, session file, records. */
function written(home: Home): string {
  const all = readdirSync(home.dir, { recursive: true, withFileTypes: true })
  const files = all.filter((entry) => entry.isFile() && /\.(md|jsonl?|txt)$/.test(entry.name))
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n')
}
