/** MCP servers of a room on the path: what ROOM.md lists is started for the session, and its tools are the agent's. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Home, makeHome, until } from './home.ts'
import { type Asked, type Call, startModel } from './model.ts'
import { MOMENT_MS } from '../wait.ts'

const SERVER = resolve('test/adapters/mcp-client/server.mjs')
const FINISH = { name: 'finish_task', input: { result: 'done' } }
const KEY = 'value-of-the-shelf-key'

/** A home whose model makes these calls one after the other, and is then finished. */
async function shelfHome(calls: readonly Call[], of: { mode?: string; permissions?: string } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'neo-shelf-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const log = join(dir, 'log')
  const model = await startModel(({ turn }: Asked) => ({ calls: [calls[turn] ?? FINISH] }))
  const room = [
    '---',
    'worker: agent',
    'review: none',
    ...(of.permissions === undefined ? [] : [`permissions: { ${of.permissions} }`]),
    'mcp_servers:',
    '  shelf:',
    `    command: node`,
    `    args: [${SERVER}, "${of.mode ?? ''}"]`,
    `    env: { SERVER_KEY: "\${SHELF_KEY}", SERVER_LOG: ${log} }`,
    '---',
    'Be brief.',
    '',
  ].join('\n')
  const home = makeHome({ 'neo.yaml': model.config, 'rooms/shop/ROOM.md': room })
  home.write('.env', `SHELF_KEY=${KEY}\nOTHER_KEY=other\n`)
  const started = () =>
    existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number) : []
  return { home, model, started }
}

function call(tool: string, input: Call['input'] = {}): Call {
  return { name: `mcp_shelf_${tool}`, input }
}

/** Of all that the session left: transcript, session file, records. */
function written(home: Home): string {
  const all = readdirSync(home.dir, { recursive: true, withFileTypes: true })
  const files = all.filter((entry) => entry.isFile() && /\.(md|jsonl?|txt)$/.test(entry.name))
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')).join('\n')
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('tools of a server that only read are called without asking, and the server ends with the session', async () => {
  const named = /^mcp_shelf_look_up_[0-9a-f]{8}$/
  let lookUp = ''
  const model = await startModel(({ turn, tools }: Asked) => {
    lookUp = tools.find((name) => named.test(name)) ?? ''
    const input = { title: 'Emma', where: { floor: 2 } }
    return { calls: [turn === 0 ? { name: lookUp, input } : FINISH] }
  })
  const { home, started } = await shelfHome([])
  home.write('neo.yaml', model.config)
  home.task('find', 'Find Emma.\n')
  await home.run()
  expect([home.status('find'), home.neo('find', 'error')]).toEqual(['completed', undefined])
  expect(model.asked[0]?.tools).toContain('mcp_shelf_lend')
  expect(model.asked[1]?.last).toContain('Emma is on shelf 3')
  expect(started().filter(lives)).toEqual([])
})

test('a key is filled in for the server alone: no record, transcript or request has it', async () => {
  const { home, model } = await shelfHome([call('env')])
  let lookUp = ''
  const keyed = await startModel(({ turn, tools }: Asked) => {
    lookUp = tools.find((name) => name.startsWith('mcp_shelf_look')) ?? ''
    return { calls: [turn === 0 ? { name: lookUp, input: { title: 'Emma' } } : FINISH] }
  })
  home.write('neo.yaml', keyed.config)
  home.task('find', 'Find Emma.\n')
  await home.run()
  expect(home.status('find')).toBe('completed')
  expect(keyed.asked[1]?.last).toContain('key ***')
  expect(written(home)).not.toContain(KEY)
  expect([...model.asked, ...keyed.asked].some(({ text }) => text.includes(KEY))).toBe(false)
})

test('a server sees what its entry names and no other key', async () => {
  const { home, model } = await shelfHome([call('env')])
  home.task('look', 'Look.\n')
  await home.run()
  const said = model.asked[1]?.last ?? ''
  expect(said).toContain('SERVER_KEY')
  expect(said).toContain('NEO_WORKSPACE')
  expect(said).not.toMatch(/OTHER_KEY|SHELF_KEY|VITEST/)
})

test('a server sees the names of its room too, and what they hold is masked in its results', async () => {
  const { home, model } = await shelfHome([call('env')])
  home.write('.env', `SHELF_KEY=${KEY}\nSHOP_NAME=the-shop-of-books\nOTHER_KEY=other\n`)
  const room = 'rooms/shop/ROOM.md'
  home.write(room, home.read(room).replace('worker: agent', 'worker: agent\nenv: [SHOP_NAME]'))
  home.task('look', 'Look.\n')
  await home.run()
  const said = model.asked[1]?.last ?? ''
  expect(said).toContain('SHOP_NAME')
  expect(said).toContain('NEO_ROOM')
  expect(said).not.toMatch(/OTHER_KEY|the-shop-of-books/)
})

test('a tool that changes something asks a person, and runs once it is approved', async () => {
  const { home, model } = await shelfHome([call('lend', { title: 'Emma' })])
  const daemon = home.watch()
  home.task('lend', 'Lend Emma.\n')
  const asks = () => home.git('ls-files', 'rooms/shop/asks').split('\n').filter(Boolean)
  await until(() => asks().length === 1)
  const [path = ''] = asks()
  expect(home.read(path)).toContain('mcp_shelf_lend')
  expect(home.read(path)).toContain('Emma')
  home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
  await until(() => home.status('lend') === 'completed')
  await daemon.stop()
  expect(model.asked[1]?.last).toContain('Emma is lent')
})

test('permissions.mcp: allow asks nobody', async () => {
  const { home, model } = await shelfHome([call('lend', { title: 'Emma' })], { permissions: 'mcp: allow' })
  home.task('lend', 'Lend Emma.\n')
  await home.run()
  expect(home.status('lend')).toBe('completed')
  expect(model.asked[1]?.last).toContain('Emma is lent')
})

test('permissions.mcp: deny starts no server', async () => {
  const { home, model, started } = await shelfHome([], { permissions: 'mcp: deny' })
  home.task('lend', 'Lend Emma.\n')
  await home.run()
  expect(home.status('lend')).toBe('completed')
  expect(model.asked[0]?.tools.filter((name) => name.startsWith('mcp_'))).toEqual([])
  expect(started()).toEqual([])
})

test('a server that dies, and one that gives too much, are results, and the session goes on', async () => {
  const { home, model } = await shelfHome([call('die'), call('fail'), call('flood')])
  home.task('rough', 'Try.\n')
  await home.run()
  expect(home.status('rough')).toBe('completed')
  expect(model.asked[1]?.last).toContain('the roof fell in')
  expect(model.asked[2]?.last).toContain('the shelf is locked')
  const flood = model.asked[3]?.last ?? ''
  expect(flood).toContain('left out …')
  expect(flood.length).toBeLessThan(40_000)
})

test('a server that does not start is named to the model, and the session goes on without it', async () => {
  const { home, model } = await shelfHome([{ name: 'mcp_shelf', input: {} }], { mode: 'broken' })
  home.task('none', 'Try.\n')
  await home.run()
  expect(home.status('none')).toBe('completed')
  expect(model.asked[1]?.last).toContain('Cannot use the MCP server shelf: it did not start')
  expect(model.asked[1]?.last).toContain('no licence was found')
})

test('a key that the environment does not have is named, and nothing is started', async () => {
  const { home, model, started } = await shelfHome([{ name: 'mcp_shelf', input: {} }])
  home.write('.env', '')
  home.task('none', 'Try.\n')
  await home.run()
  expect(home.status('none')).toBe('completed')
  expect(model.asked[1]?.last).toContain('missing environment variables: SHELF_KEY')
  expect(started()).toEqual([])
})

test('a stop in the middle of a call ends the session and its server', async () => {
  const { home, started } = await shelfHome([call('hang')])
  const daemon = home.watch()
  home.task('hang', 'Try.\n')
  await until(() => written(home).includes('"tool":"mcp_shelf_hang"'))
  const began = Date.now()
  home.write('rooms/shop/tasks/hang.md', home.text('hang').replace('in_progress', 'cancelled'))
  await until(() => home.git('log', '--format=%s').includes('stop hang') && !started().some(lives))
  expect(Date.now() - began).toBeLessThan(MOMENT_MS)
  await daemon.stop()
})
