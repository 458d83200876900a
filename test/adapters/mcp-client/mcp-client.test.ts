/** Servers of tools, by the official client, against real servers on standard streams and over HTTP. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMcpClients } from '../../../src/adapters/mcp-client/mcp-client.ts'
import type { McpConnection, McpServer } from '../../../src/ports/mcp-port.ts'
import { serveHttp } from './http-server.ts'
import { MOMENT_MS } from '../../wait.ts'

const SERVER = resolve(import.meta.dirname, 'server.mjs')
const never = new AbortController().signal
const limits = { ms: MOMENT_MS, signal: never }

/** A server on standard streams; `started` gives the ids of its processes so far. */
function stdio(mode = ''): { readonly server: McpServer; started(): readonly number[] } {
  const dir = mkdtempSync(join(tmpdir(), 'neo-mcp-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const log = join(dir, 'log')
  const env = { SERVER_LOG: log }
  const argv = ['node', SERVER, mode] as const
  const started = () =>
    existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean).map(Number) : []
  return { server: { name: 'shelf', kind: 'stdio', argv, env, cwd: dir }, started }
}

async function opened(server: McpServer, ms = limits.ms): Promise<McpConnection | { wrong: string }> {
  const all = await openMcpClients().open([server], { ms, signal: never })
  const connection = all.get(server.name) ?? { wrong: 'nothing' }
  if (!('wrong' in connection)) onTestFinished(() => connection.close())
  return connection
}

async function connected(server: McpServer): Promise<McpConnection> {
  const connection = await opened(server)
  if ('wrong' in connection) throw new Error(connection.wrong)
  return connection
}

function lives(pid: number | undefined): boolean {
  try {
    process.kill(pid ?? 0, 0)
    return pid !== undefined
  } catch {
    return false
  }
}

test('open() gives the tools of a server with their schemas and whether they only read', async () => {
  const { tools } = await connected(stdio().server)
  const of = (name: string) => tools.find((tool) => tool.name === name)
  expect(of('look up')).toMatchObject({ description: 'Finds a book.', readOnly: true })
  expect(of('look up')?.schema).toMatchObject({ type: 'object', properties: { title: { type: 'string' } } })
  expect(of('lend')?.readOnly).toBe(false)
})

test('call() gives the text of a result, and what is no text by its type and size', async () => {
  const shelf = await connected(stdio().server)
  expect(await shelf.call({ tool: 'lend', args: { title: 'Emma' } }, limits)).toEqual({
    text: 'Emma is lent',
    isError: false,
  })
  expect((await shelf.call({ tool: 'picture', args: {} }, limits)).text).toBe(
    '[image, image/png, 10 bytes]\nShelf 3',
  )
})

test('a tool that fails, wrong arguments and a tool that is not there are error results', async () => {
  const shelf = await connected(stdio().server)
  expect(await shelf.call({ tool: 'fail', args: {} }, limits)).toEqual({
    text: 'the shelf is locked',
    isError: true,
  })
  expect((await shelf.call({ tool: 'lend', args: { title: 3 } }, limits)).isError).toBe(true)
  expect((await shelf.call({ tool: 'none', args: {} }, limits)).isError).toBe(true)
})

test('a server that dies in a call is an error result with its last words, and is started at the next', async () => {
  const { server, started } = stdio()
  const shelf = await connected(server)
  const died = await shelf.call({ tool: 'die', args: {} }, limits)
  expect(died).toMatchObject({ isError: true })
  expect(died.text).toContain('it said: the roof fell in')
  expect((await shelf.call({ tool: 'lend', args: { title: 'Emma' } }, limits)).text).toBe('Emma is lent')
  expect(started()).toHaveLength(2)
})

test('a call that never ends is an error result at its limit, and the server goes on', async () => {
  const shelf = await connected(stdio().server)
  const hung = await shelf.call({ tool: 'hang', args: {} }, { ms: 300, signal: never })
  expect(hung.isError).toBe(true)
  expect((await shelf.call({ tool: 'lend', args: { title: 'Emma' } }, limits)).isError).toBe(false)
})

test('an aborted signal ends a call at once', async () => {
  const shelf = await connected(stdio().server)
  const signal = AbortSignal.timeout(200)
  expect((await shelf.call({ tool: 'hang', args: {} }, { ms: 60_000, signal })).isError).toBe(true)
})

test('a server that says nothing is given up, and its process is ended', async () => {
  const { server, started } = stdio('silent')
  const given = await opened(server, 1500)
  expect(given).toMatchObject({ wrong: expect.stringContaining('did not start') })
  // On a loaded machine it may be ended before it has written its id.
  expect(started().filter(lives)).toEqual([])
})

test('a server that ends at once is given up with its last words', async () => {
  const given = await opened(stdio('broken').server)
  expect(given).toMatchObject({ wrong: expect.stringContaining('no licence was found') })
})

test('a program that is not there is given up with its name', async () => {
  const argv = ['no-such-program'] as const
  const given = await opened({ name: 'x', kind: 'stdio', argv, env: {}, cwd: tmpdir() })
  expect(given).toMatchObject({ wrong: expect.stringContaining('no-such-program') })
})

test('a server sees of the environment what was given, and no key of ours', async () => {
  process.env['OUR_OWN_KEY'] = 'x'
  onTestFinished(() => void delete process.env['OUR_OWN_KEY'])
  const shelf = await connected(stdio().server)
  const names = (await shelf.call({ tool: 'env', args: {} }, limits)).text.split(' ')
  expect(names).toContain('SERVER_LOG')
  expect(names.filter((name) => /KEY|VITEST|NODE_/.test(name))).toEqual([])
})

test('close() ends the process, and what is called afterwards is an error result', async () => {
  const { server, started } = stdio()
  const shelf = await connected(server)
  await shelf.close()
  expect(lives(started()[0])).toBe(false)
  expect((await shelf.call({ tool: 'lend', args: { title: 'Emma' } }, limits)).isError).toBe(true)
})

test('a server over HTTP is called with its headers', async () => {
  const http = await serveHttp()
  const headers = { authorization: 'Bearer let-me-in' }
  const shelf = await connected({ name: 'web', kind: 'http', url: http.url, headers })
  expect(shelf.tools.map(({ name }) => name)).toEqual(['hello'])
  expect((await shelf.call({ tool: 'hello', args: { name: 'moon' } }, limits)).text).toBe('hello moon')
  expect(new Set(http.authorizations)).toEqual(new Set(['Bearer let-me-in']))
})

test('an address where nobody answers, or that is none, is given up', async () => {
  for (const url of ['http://127.0.0.1:9/', 'no address'])
    expect(await opened({ name: 'web', kind: 'http', url, headers: {} })).toMatchObject({
      wrong: expect.stringContaining('did not start'),
    })
})

test('without the library, it is said what to install', async () => {
  const clients = openMcpClients({ load: () => Promise.reject(new Error('not found')) })
  const all = await clients.open([stdio().server], limits)
  expect(all.get('shelf')).toMatchObject({ wrong: expect.stringContaining('npm install --prefix') })
})
