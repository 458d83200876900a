/** What commands do where the daemon cannot be asked, or is none of this home: the files are there, and nothing is done twice. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Daemon, watching } from './daemon.ts'
import { type Ended, type Home, makeHome, neo, start, temporary, until } from './program.ts'

const PAUSED = { 'rooms/shop/ROOM.md': '---\nname: Shop\nworker: human\nstatus: paused\n---\n' }
const TITLES = (home: Home) =>
  home.names('rooms/shop/tasks').filter((name) => name.startsWith('thing--')).length

function make(home: Home): Promise<Ended> {
  return home.neo('task', 'new', '--room', 'shop', '--title', 'Thing')
}

type DaemonFile = Record<'pid' | 'url' | 'token' | 'home', unknown>

function change(home: Home, more: Partial<DaemonFile>): void {
  const path = join(home.dir, '.neo/daemon.json')
  const said = JSON.parse(readFileSync(path, 'utf8')) as DaemonFile
  writeFileSync(path, JSON.stringify({ ...said, ...more }))
}

/** A server in the place of the daemon's; gives its address. */
async function inItsPlace(answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A daemon that has written down all that it says of itself. */
async function watched(): Promise<{ home: Home; daemon: Daemon }> {
  const home = makeHome(PAUSED)
  const daemon = await watching(home)
  await until(
    () => home.git('log', '--format=%s').includes('adopt') && home.git('status', '--porcelain') === '',
  )
  return { home, daemon }
}

test('a daemon.json that a killed daemon left, or that is no JSON, is as good as none', async () => {
  const { home, daemon } = await watched()
  const left = home.text('.neo/daemon.json')
  await daemon.stop()
  for (const text of [left, '{', '[]', 'null', '{"url": 1}']) {
    home.put('.neo/daemon.json', text)
    expect(await make(home)).toMatchObject({ code: 0, err: '' })
  }
  expect(TITLES(home)).toBe(5)
})

test('a token that is not the right one leaves the work to the files, and says so', async () => {
  const { home } = await watched()
  change(home, { token: 'x'.repeat(43) })
  const { code, err } = await make(home)
  expect({ code, err }).toEqual({ code: 0, err: expect.stringMatching(/it answers 401.*done in the files/) })
  expect(TITLES(home)).toBe(1)
})

test.each([
  ['an address that is none', { url: 'nowhere' }, 'Invalid URL'],
  ['an address of another protocol', { url: 'https://127.0.0.1:1' }, 'not supported'],
  ['a token that no header holds', { token: 'a\nb' }, 'Invalid character'],
] as const)('%s in daemon.json leaves the work to the files', async (_, more, why) => {
  const { home } = await watched()
  change(home, more)
  const { code, err } = await make(home)
  expect({ code, err, made: TITLES(home) }).toEqual({ code: 0, err: expect.stringContaining(why), made: 1 })
})

test('a copy of a watched home is acted on itself, never its original', async () => {
  const { home } = await watched()
  const dir = join(temporary(), 'copy')
  cpSync(home.dir, dir, { recursive: true })
  const copy: Home = { ...home, dir, names: (path) => home.names(join('..', '..', dir, path)) }
  const { out, code } = await neo(['task', 'new', '--home', dir, '--room', 'shop', '--title', 'Thing'])
  expect(code).toBe(0)
  expect(readFileSync(join(copy.dir, out.trim()), 'utf8')).toContain('title: Thing')
  expect(TITLES(home)).toBe(0)
})

test('a daemon that stands still is not waited for, and does not do it once more when it goes on', async () => {
  const home = makeHome(PAUSED)
  const child = start(['watch', '--home', home.dir])
  let said = ''
  child.stdout.on('data', (piece) => (said += String(piece)))
  child.stderr.on('data', (piece) => (said += String(piece)))
  onTestFinished(() => void child.kill('SIGKILL'))
  await until(() => /^Page: http/m.test(said))
  child.kill('SIGSTOP')
  const made = await make(home)
  const kept = await home.neo('memory', 'add', 'shop', 'The pump is blue')
  child.kill('SIGCONT')
  expect(kept).toMatchObject({ code: 0 })
  expect(home.names('rooms/shop/memories')).toHaveLength(1)
  expect(made).toMatchObject({ code: 0, err: expect.stringContaining('did not answer') })
  await until(() => home.git('log', '--format=%s').includes('thing--'))
  expect(TITLES(home)).toBe(1)
})

test('a daemon that ends in the middle of a call leaves open what is done, and the command says so', async () => {
  const { home } = await watched()
  const url = await inItsPlace((request, response) => {
    if (request.url === '/healthz') response.end('{"ok": true}')
    else request.socket.destroy()
  })
  change(home, { url })
  const { code, err } = await make(home)
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('Cannot tell whether it was done') })
  expect(TITLES(home)).toBe(0)
})

test('what policy refuses is refused with its reason and 5, and not done in the files', async () => {
  const { home } = await watched()
  const data = { rule: 'a-rule', reason: 'a reason', why: 'a reason' }
  const url = await inItsPlace((request, response) => {
    const error = { code: -32001, message: 'Denied: a reason', data }
    response.end(JSON.stringify(request.url === '/healthz' ? { ok: true } : { jsonrpc: '2.0', id: 1, error }))
  })
  change(home, { url })
  expect(await make(home)).toMatchObject({ code: 5, err: expect.stringContaining('Denied: a reason') })
  expect(TITLES(home)).toBe(0)
})

test('a file that the daemon has not taken in yet is acted on at once', async () => {
  const home = makeHome({ ...PAUSED, 'neo.yaml': 'daemon: { branch: main, settle: 1h }\n' })
  await watching(home)
  home.put('rooms/shop/tasks/fresh.md', '---\ntitle: Fresh\nstatus: pending\n---\nText.\n')
  expect(await home.neo('task', 'cancel', 'fresh')).toMatchObject({
    code: 0,
    out: 'shop/fresh pending → cancelled\n',
  })
  expect(home.text('rooms/shop/tasks/fresh.md')).toContain('status: cancelled')
})

test('many commands at once are each done once', async () => {
  const { home } = await watched()
  const one = () => home.program('task', 'new', '--room', 'shop', '--title', 'Thing')
  const made = await Promise.all(Array.from({ length: 6 }, one))
  expect(made.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
  expect([new Set(made.map(({ out }) => out)).size, TITLES(home)]).toEqual([6, 6])
})
