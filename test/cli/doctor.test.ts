/** neo doctor on what agents stand on: models on a fake server, the sandbox, ripgrep, forges; and no key is printed. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, expect, test } from 'vitest'
import { scene, TOKEN } from '../adapters/forges/scene.ts'
import { startModel } from '../path/model.ts'
import { watching } from './daemon.ts'
import { dataOf, type Ended, type Home, makeHome, neo, program, until } from './program.ts'
import { MOMENT_MS } from '../wait.ts'

interface Row {
  readonly part: string
  readonly state: 'ok' | 'note' | 'wrong'
  readonly says: string
}

async function rows(home: Home, env: Readonly<Record<string, string>> = {}, ...more: string[]) {
  const ended = await neo(['doctor', '--json', '--home', home.dir, ...more], { env })
  return { ended, of: (part: string) => (dataOf(ended) as Row[]).filter((row) => row.part === part) }
}

/** A server that counts who came, and answers each with this. */
async function server(status: number, body: unknown): Promise<{ url: string; came: string[] }> {
  const came: string[] = []
  const http = createServer((request, response) => {
    came.push(`${request.method} ${request.url}`)
    if (status === 0) return
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, came }
}

const KEY = 'word-that-is-a-key-of-nobody'

const anthropic = (url: string): Readonly<Record<string, string>> => ({
  ANTHROPIC_API_KEY: KEY,
  ANTHROPIC_BASE_URL: url,
})

function printed({ out, err }: Ended): string {
  return out + err
}

test('a model that answers is ok, once for all places that name it', async () => {
  const model = await startModel(() => 'OK')
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': '---\nname: Shop\nmodel: fake/claude-sonnet-5-5\n---\n',
  })
  const { ended, of } = await rows(home)
  expect(ended.code).toBe(0)
  expect(of('model')).toMatchObject([
    { state: 'ok', says: expect.stringMatching(/^fake\/\S+ answers \(.*neo\.yaml\)/) },
  ])
  expect(model.asked).toHaveLength(1)
})

test('a model of a room that cannot be asked is wrong, with what to do', async () => {
  const model = await startModel(() => 'OK')
  const home = makeHome({
    'neo.yaml': model.config,
    'rooms/shop/ROOM.md': '---\nname: Shop\nmodel: nowhere/big\n---\n',
    'rooms/shop/tasks/a.md': '---\nstatus: draft\nmodel: fake/other\n---\nx\n',
  })
  const { ended, of } = await rows(home)
  expect(ended.code).toBe(1)
  expect(of('model')).toHaveLength(2)
  expect(of('model')[1]).toMatchObject({
    state: 'wrong',
    says: expect.stringMatching(/nowhere[\s\S]*\(room shop\)/),
  })
  const all = await rows(home, {}, '--models')
  expect(all.of('model')).toHaveLength(3)
})

test('a key that is refused is said without the key, even where the server says it', async () => {
  const refusing = await server(401, {
    type: 'error',
    error: { type: 'authentication_error', message: `invalid x-api-key ${KEY}` },
  })
  const home = makeHome()
  const { ended, of } = await rows(home, anthropic(refusing.url))
  expect(ended.code).toBe(1)
  expect(of('model')).toMatchObject([{ state: 'wrong', says: expect.stringContaining('invalid x-api-key') }])
  expect(
    printed(ended) + printed(await neo(['doctor', '--home', home.dir], { env: anthropic(refusing.url) })),
  ).not.toContain(KEY)
})

test('a model that says nothing is given up after ten seconds', async () => {
  const silent = await server(0, null)
  const began = Date.now()
  const { of } = await rows(makeHome(), anthropic(silent.url))
  expect(of('model')).toMatchObject([
    { state: 'wrong', says: expect.stringContaining('no answer within 10 s') },
  ])
  expect(Date.now() - began).toBeLessThan(MOMENT_MS)
})

test('without a model nothing is asked; a key that rules keep from use is noted', async () => {
  const never = await server(200, {})
  const home = makeHome({ 'neo.yaml': 'model: rules\n' })
  const { ended, of } = await rows(home, anthropic(never.url), '--models')
  expect(ended.code).toBe(0)
  expect(of('model')).toMatchObject([
    { state: 'note', says: expect.stringContaining('ANTHROPIC_API_KEY is set') },
  ])
  expect(never.came).toEqual([])
  expect((await rows(makeHome())).of('model')).toMatchObject([{ state: 'ok' }])
})

test.each([
  ['daemon: { sync: 60s }\n', 1],
  ['daemon: { sync: 60s, node: first }\n', 0],
  ['daemon: { settle: 0s }\n', 0],
])('with %j doctor has %i notes about hosts that start the same task', async (config, notes) => {
  const { ended, of } = await rows(makeHome({ 'neo.yaml': config }))
  expect([ended.code, of('hosts').length]).toEqual([0, notes])
})

test('the sandbox and ripgrep are named, and what to install where they are not there', async () => {
  const home = makeHome()
  const { of } = await rows(home)
  expect(of('sandbox')).toHaveLength(1)
  expect(of('ripgrep')).toMatchObject([{ state: 'ok' }])
  const text = await neo(['doctor', '--home', home.dir], { env: { PATH: '/usr/bin:/bin', HOME: home.dir } })
  expect(text.out).toMatch(/sandbox +(ok +bubblewrap|note +none \(.*\n[\s\S]*next: \S)/)
})

test('a command-line agent that is not there is wrong', async () => {
  const workers = 'workers:\n  there: { command: [sh, -c, true] }\n  gone: { command: [no-such-program] }\n'
  const { ended, of } = await rows(makeHome({ 'neo.yaml': workers }))
  expect(ended.code).toBe(1)
  expect(of('exec:there')).toMatchObject([{ state: 'ok' }])
  expect(of('exec:gone')).toMatchObject([
    { state: 'wrong', says: expect.stringContaining('no-such-program') },
  ])
})

test('an MCP server that does tasks is checked in each room that needs it', async () => {
  const room = (servers: string) => `---\nworker: mcp:coder\nmcp_servers: { ${servers} }\n---\nBe brief.\n`
  const { of } = await rows(
    makeHome({
      'rooms/shop/ROOM.md': room('coder: { command: sh }'),
      'rooms/attic/ROOM.md': room('other: { command: sh }'),
    }),
  )
  expect(of('mcp:coder (shop)')).toMatchObject([{ state: 'ok' }])
  expect(of('mcp:coder (attic)')).toMatchObject([
    { state: 'wrong', says: expect.stringContaining('it has other') },
  ])
})

test('a command-line agent is seen by the sandbox where it is installed, behind links too', async () => {
  const home = makeHome()
  const tool = mkdtempSync(join(tmpdir(), 'neo-doctor-'))
  onTestFinished(() => rmSync(tool, { recursive: true, force: true }))
  const program = join(tool, 'share', 'prog')
  mkdirSync(join(tool, 'share'))
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  symlinkSync(program, join(tool, 'prog'))
  home.put('neo.yaml', `workers: { own: { command: [${join(tool, 'prog')}] } }\n`)
  expect((await rows(home)).of('exec:own')).toMatchObject([{ state: 'ok' }])
})

const pulls = (workspace: string) => ({
  'rooms/shop/ROOM.md': `---\nname: Shop\nworker: shell\nworkspace: ${workspace}\nreview: pr\n---\n`,
})

test('a room that wants pull requests is told whether its forge answers', async () => {
  const at = await scene('github')
  const home = makeHome(pulls(at.clone.dir))
  const { ended, of } = await rows(home, at.env)
  expect(of('review: pr')).toMatchObject([{ state: 'ok', says: expect.stringContaining('room shop') }])
  at.forge.faults.push({ status: 401 }, { status: 401 }, { status: 401 })
  const refused = await rows(home, at.env)
  expect(refused.of('review: pr')).toMatchObject([
    { state: 'wrong', says: expect.stringContaining('GITHUB_TOKEN') },
  ])
  const { GITHUB_TOKEN: _, ...without } = at.env as Record<string, string>
  const tokenless = await rows(home, without)
  expect(tokenless.of('review: pr')).toMatchObject([
    { state: 'wrong', says: expect.stringContaining('GITHUB_TOKEN is not set') },
  ])
  expect([ended, refused.ended, tokenless.ended].map(printed).join('')).not.toContain(TOKEN)
})

test('a room that wants pull requests without a remote is told so; no other room asks a forge', async () => {
  const { ended, of } = await rows(makeHome(pulls('workspace/files')))
  expect(ended.code).toBe(1)
  expect(of('review: pr')).toMatchObject([
    { state: 'wrong', says: expect.stringContaining('no remote "origin"') },
  ])
  expect((await rows(makeHome())).of('review: pr')).toEqual([])
})

test('a damaged index is noted, and --fix takes it away, so that it is made again', async () => {
  const home = makeHome({ 'rooms/shop/memories/m.md': 'Prices are in euros\n' })
  await home.neo('search', 'euros')
  expect((await rows(home)).of('index')).toMatchObject([{ state: 'ok' }])
  for (const end of ['-wal', '-shm']) home.put(`.neo/index.db${end}`, '')
  home.put('.neo/index.db', 'this is no database at all, but long enough to be looked at'.repeat(100))
  expect((await rows(home)).of('index')).toMatchObject([
    { state: 'note', says: expect.stringContaining('the index is damaged') },
  ])
  await rows(home, {}, '--fix')
  expect((await rows(home)).of('index')).toMatchObject([{ state: 'ok' }])
  expect((await home.neo('search', 'euros')).out).toContain('rooms/shop/memories/m.md:1')
})

test('doctor names a git filter that does not run, until neo filter allow, and says that commits are not signed', async () => {
  const home = makeHome()
  home.git('config', 'filter.crypt.clean', 'crypt-it')
  home.git('config', 'commit.gpgsign', 'true')
  const before = await rows(home)
  expect(before.of('git filter')).toMatchObject([{ state: 'note', says: expect.stringContaining('"crypt"') }])
  expect(before.of('signing')).toMatchObject([{ state: 'note', says: expect.stringContaining('not signed') }])
  expect((await neo(['filter', 'allow', 'none', home.dir])).code).not.toBe(0)
  expect((await neo(['filter', 'allow', 'crypt', home.dir])).code).toBe(0)
  expect((await rows(home)).of('git filter')).toEqual([])
})

test('doctor and status name a lock that git left on the branch or on HEAD, with its path', async () => {
  const home = makeHome()
  const locks = ['HEAD.lock', 'refs/heads/main.lock'].map((name) => join(home.dir, '.git', name))
  for (const lock of locks) {
    writeFileSync(lock, '')
    utimesSync(lock, Date.now() / 1000 - 60, Date.now() / 1000 - 60)
  }
  for (const command of ['doctor', 'status']) {
    const { out } = await home.neo(command, '--json')
    for (const lock of locks) expect(out).toContain(`then rm ${lock}`)
  }
})

test('a lock that Neo moved away is named without marks of node', async () => {
  const home = makeHome()
  const lock = join(home.dir, '.git/index.lock')
  writeFileSync(lock, '')
  utimesSync(lock, Date.now() / 1000 - 3600, Date.now() / 1000 - 3600)
  const { code, err } = await program([
    'task',
    'new',
    '--home',
    home.dir,
    '--room',
    'lobby',
    '--status',
    'draft',
    'Thing',
  ])
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^neo: .*index\.lock was older than 10 minutes/),
  })
  expect(err).not.toContain('node:')
})

test('what a running daemon reports is wrong here too', async () => {
  const home = makeHome({ 'neo.yaml': 'daemon:\n  branch: main\n  sync: 5s\n  node: here\n' })
  home.git('remote', 'add', 'origin', join(home.dir, 'nowhere'))
  await watching(home)
  await until(async () => (await rows(home)).of('sync').length > 0)
  expect((await rows(home)).of('sync')).toEqual([
    expect.objectContaining({ state: 'wrong', says: expect.stringMatching(/^sync: /) }),
  ])
})
