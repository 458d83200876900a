/** Telegram through a proxy, and calls that nobody answers. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../path/home.ts'
import { startTelegram, TOKEN } from './server.ts'
import { HURRIED, OWNER, readSettings, talking, telegramFiles } from './telegram-home.ts'

/** Tunnels for whoever knows the login. */
async function startProxy(login: string): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer()
  server.on('connect', (request, client) => {
    asked.push(request.url ?? '')
    const known = `Basic ${Buffer.from(login).toString('base64')}`
    if (request.headers['proxy-authorization'] !== known)
      return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    const [host = '', port] = (request.url ?? '').split(':')
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(client)
      client.pipe(target)
    })
    for (const socket of [client, target]) socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, asked }
}

function through(url: string, proxy: string): Record<string, string> {
  const files = telegramFiles(url)
  return {
    ...files,
    'neo.yaml': (files['neo.yaml'] ?? '').replace('api_root:', `proxy: "${proxy}", api_root:`),
  }
}

test('calls and files go through the proxy that neo.yaml names, with its login', async () => {
  const proxy = await startProxy('ana:s%cret')
  const server = await startTelegram({ file: Buffer.from('a text') })
  const { context } = await talking(through(server.url, `http://ana:s%25cret@127.0.0.1:${proxy.port}`))
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 1)
  const document = { file_id: 'd1', file_unique_id: 'u' }
  server.text(OWNER, '', { text: undefined, document })
  const folder = `${context().dir}/scopes/telegram-${OWNER}/media`
  await until(() => context().world.files.names(folder).length === 1)
  expect(new Set(proxy.asked)).toEqual(new Set([server.url.replace('http://', '')]))
})

test('a proxy that refuses is said, without login and token', async () => {
  const proxy = await startProxy('ana:right')
  const server = await startTelegram()
  const { troubles } = await talking(through(server.url, `http://ana:wrong-word@127.0.0.1:${proxy.port}`))
  await until(() => troubles.some((text) => text.includes('the proxy returned 407')))
  expect(troubles.join('\n')).not.toMatch(/wrong-word|scripted-token/)
  expect(server.calls).toEqual([])
})

test.each([
  [{ HTTPS_PROXY: 'http://p:3128' }, {}, 'http://p:3128'],
  [{ https_proxy: 'http://p:3128' }, {}, 'http://p:3128'],
  [{ HTTPS_PROXY: 'http://p:3128' }, { proxy: 'http://own:1' }, 'http://own:1'],
  [{ HTTPS_PROXY: 'http://p:3128', NO_PROXY: 'localhost, .telegram.org' }, {}, null],
  [{ HTTPS_PROXY: 'http://p:3128' }, { api_root: 'http://127.0.0.1:8081' }, null],
  [{}, {}, null],
])('of the environment %j and %j the proxy is %j', (env, more, proxy) => {
  const read = readSettings(
    { rest: { channels: { telegram: { enabled: true, token: TOKEN, ...more } } } },
    env,
  )
  expect(read).toMatchObject({ kind: 'on', settings: { proxy } })
})

test('a proxy that is none keeps the channel shut', () => {
  const telegram = { enabled: true, token: TOKEN, proxy: 'socks5://127.0.0.1:9' }
  expect(readSettings({ rest: { channels: { telegram } } }, {})).toMatchObject({
    kind: 'wrong',
    why: expect.stringMatching(/http:\/\/HOST:PORT/),
  })
})

test('a call that Telegram takes and never answers is given up, said, and made anew', async () => {
  const server = await startTelegram({
    fault: (method, nth) => (method === 'getMe' && nth === 1 ? 'stall' : null),
  })
  const { troubles } = await talking(telegramFiles(server.url), HURRIED)
  server.text(OWNER, '/help')
  await until(() => server.sent.length === 1, 20_000)
  expect(troubles.some((text) => /Can't reach/.test(text))).toBe(true)
})
