/** The built program talks TLS to a Bot API of a private authority, through a proxy that the environment names. */
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeHome, start, temporary } from '../../cli/program.ts'
import { START_MS, soon } from './killing.ts'
import { startTelegram, TOKEN } from './server.ts'
import { OWNER, telegramFiles } from './telegram-home.ts'

/** Known to nobody but the proxy. */
const HOST = 'bots.example'
/** Only these sign a certificate in one command. */
const hasOpenssl = /^OpenSSL [3-9]/.test(spawnSync('openssl', ['version'], { encoding: 'utf8' }).stdout ?? '')

/** An authority of our own, and what it says of HOST. */
function certified() {
  const dir = temporary()
  const at = (name: string) => join(dir, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' })
  const key = ['-newkey', 'rsa:2048', '-nodes', '-sha256', '-days', '2']
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority')
  const from = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', `subjectAltName=DNS:${HOST}`]
  openssl('req', '-x509', ...key, '-keyout', 'own.key', '-out', 'own.pem', '-subj', `/CN=${HOST}`, ...from)
  return {
    ca: at('ca.pem'),
    tls: { key: readFileSync(at('own.key'), 'utf8'), cert: readFileSync(at('own.pem'), 'utf8') },
  }
}

/** Leads every name to one port, and keeps what passes. */
async function startProxy(port: number) {
  const asked: string[] = []
  const passed: Buffer[] = []
  const server = createServer()
  server.on('connect', (request, client) => {
    asked.push(request.url ?? '')
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      target.pipe(client)
      client.on('data', (piece: Buffer) => passed.push(piece))
      client.pipe(target)
    })
    for (const socket of [client, target]) socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, passed }
}

async function talkingTls(trusts: boolean) {
  const { ca, tls } = certified()
  const server = await startTelegram({}, tls)
  const proxy = await startProxy(Number(new URL(server.url).port))
  const home = makeHome(telegramFiles(`https://${HOST}:8443`))
  const env = { HTTPS_PROXY: proxy.url, ...(trusts ? { NODE_EXTRA_CA_CERTS: ca } : {}) }
  const child = start(['watch', '--home', home.dir], { env })
  const ended = once(child, 'exit')
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += String(piece)))
  const end = async () => {
    child.kill('SIGTERM')
    await ended
  }
  onTestFinished(() => void child.kill('SIGKILL'))
  return { server, proxy, home, said: () => said, end }
}

test.skipIf(!hasOpenssl)(
  'what is said goes through the tunnel whole, and the proxy reads nothing of it',
  async () => {
    const { server, proxy, said, end } = await talkingTls(true)
    server.text(OWNER, '/help')
    await soon(() => server.sent.length === 1, START_MS, said)
    await end()
    expect(server.sent[0]?.text).toContain('You are talking to Neo')
    expect(new Set(proxy.asked)).toEqual(new Set([`${HOST}:8443`]))
    expect(Buffer.concat(proxy.passed).includes(TOKEN)).toBe(false)
  },
)

test.skipIf(!hasOpenssl)(
  'an authority that nobody trusts is refused and said, without the token',
  async () => {
    const { server, proxy, home, said, end } = await talkingTls(false)
    await soon(() => proxy.asked.length > 0, START_MS, said)
    const statusOf = async () => (await home.neo('status')).out
    let status = await statusOf()
    const until = Date.now() + START_MS
    while (!/certificate|signed|issuer/i.test(status) && Date.now() < until) status = await statusOf()
    await end()
    expect(status).toMatch(/certificate|signed|issuer/i)
    expect(server.calls).toEqual([])
    expect(`${said()}${status}`).not.toContain(TOKEN)
  },
)
