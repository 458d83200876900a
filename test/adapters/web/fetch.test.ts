/** Pages from a server on this machine, which only tests let in; and addresses that nobody lets in. */
import { createServer, type RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { notPublic, openWeb, type WebOptions } from '../../../src/adapters/web/fetch.ts'
import { reduceHtml } from '../../../src/adapters/web/reduce.ts'
import { cpuMs, MOMENT_MS } from '../../wait.ts'

const local: WebOptions = { allow: (address) => address === '127.0.0.1' }
const limits = (more: { bytes?: number; ms?: number; signal?: AbortSignal } = {}) => ({
  bytes: 2 * 1024 * 1024,
  ms: MOMENT_MS,
  signal: new AbortController().signal,
  ...more,
})

async function serving(answer: RequestListener): Promise<{ readonly url: string; hits(): number }> {
  let hits = 0
  const server = createServer((request, response) => {
    hits += 1
    answer(request, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, hits: () => hits }
}

const NOT_PUBLIC = [
  ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '100.100.100.200', '127.0.0.1', '127.9.9.9', '169.254.169.254'],
  ...[
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
  ],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '168.63.129.16', '192.0.2.1'],
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '::ffff:127.0.0.1'],
  ...[
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::1',
  ],
  ...['2002:7f00:1::', '2001::1', '2001:db8::1', '100::1', '3fff::1', 'fec0::1', 'name', ''],
]

test.each(NOT_PUBLIC)('notPublic() says what "%s" is', (address) => {
  expect(notPublic(address)).toEqual(expect.any(String))
})

test.each([
  '1.1.1.1',
  '8.8.8.8',
  '93.184.215.14',
  '172.32.0.1',
  '2606:4700::1111',
  '2a00:1450:4001:800::200e',
])('notPublic() lets %s be public', (address) => {
  expect(notPublic(address)).toBe(null)
})

const REFUSED = [
  ...['file:///etc/passwd', 'ftp://host/x', 'data:text/plain,x', 'javascript:1', 'gopher://x', 'ws://host/'],
  ...['', 'host/path', '//host', 'http://', 'http://user:secret@example.org/', 'https://user@example.org/'],
  ...['http://127.0.0.1/', 'http://localhost/', 'http://127.1/', 'http://2130706433/', 'http://0x7f000001/'],
  ...[
    'http://0177.0.0.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
  ],
  ...[
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://192.168.0.1:8787/',
    'http://[fe80::1]/',
  ],
  ...[
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://１２７.0.0.1/',
    'http://localhost.:80/',
  ],
]

test.each(REFUSED)('fetch refuses "%s"', async (url) => {
  expect(await openWeb().fetch(url, limits())).toEqual({ refused: expect.stringMatching(/^[^\n]+$/) })
})

test('fetch gives text, status and type', async () => {
  const { url } = await serving((_, response) => {
    response.writeHead(404, { 'content-type': 'text/plain; charset=iso-8859-1' })
    response.end(Buffer.from([0x67, 0x72, 0xfc, 0x6e]))
  })
  const got = await openWeb(local).fetch(`${url}/x`, limits())
  expect(got).toEqual({ url: `${url}/x`, status: 404, type: 'text/plain', text: 'grün', cut: false })
})

test('fetch refuses a name of which any address is not public', async () => {
  const resolve = async () => ['93.184.215.14', '10.0.0.1']
  expect(await openWeb({ resolve }).fetch('http://two.example/', limits())).toEqual({
    refused: 'two.example is not allowed: its address is private',
  })
})

test('fetch connects to the address that was checked, whatever the name means later', async () => {
  const server = await serving((request, response) => response.end(request.headers.host))
  const answers = [['127.0.0.1'], ['10.0.0.1']]
  const web = openWeb({ ...local, resolve: async () => answers.shift() ?? [] })
  const port = new URL(server.url).port
  const got = await web.fetch(`http://changing.example:${port}/`, limits())
  expect(got).toMatchObject({ text: `changing.example:${port}` })
  expect(answers).toHaveLength(1)
})

test('fetch checks every hop of a redirect', async () => {
  const inner = await serving((_, response) => response.end('inner'))
  const outer = await serving((request, response) => {
    response.writeHead(302, {
      location: request.url === '/scheme' ? 'file:///etc/passwd' : 'http://10.0.0.1/',
    })
    response.end()
  })
  const web = openWeb(local)
  expect(await web.fetch(`${outer.url}/`, limits())).toEqual({ refused: expect.stringContaining('private') })
  expect(await web.fetch(`${outer.url}/scheme`, limits())).toEqual({
    refused: expect.stringContaining('file:'),
  })
  expect(inner.hits()).toBe(0)
})

test('fetch follows 5 redirects and no more', async () => {
  const server = await serving((request, response) => {
    const left = Number((request.url ?? '').slice(1))
    if (left === 0) return response.end('there')
    response.writeHead(301, { location: `/${left - 1}` })
    return response.end()
  })
  expect(await openWeb(local).fetch(`${server.url}/5`, limits())).toMatchObject({
    text: 'there',
    url: `${server.url}/0`,
  })
  expect(await openWeb(local).fetch(`${server.url}/6`, limits())).toEqual({
    refused: expect.stringContaining('5'),
  })
})

test('fetch cuts a body at the limit, a packed one after it was unpacked', async () => {
  const { url } = await serving((request, response) => {
    const packed = request.url === '/packed'
    response.writeHead(200, {
      'content-type': 'text/plain',
      ...(packed ? { 'content-encoding': 'gzip' } : {}),
    })
    const bytes = Buffer.alloc(50_000_000, 'x')
    response.end(packed ? gzipSync(bytes) : bytes)
  })
  for (const path of ['/plain', '/packed']) {
    const got = await openWeb(local).fetch(url + path, limits({ bytes: 1000 }))
    expect(got).toMatchObject({ text: 'x'.repeat(1000), cut: true })
  }
})

test('fetch ends at its time limit, and when it is stopped', async () => {
  const { url } = await serving((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.write('slow')
  })
  expect(await openWeb(local).fetch(url, limits({ ms: 300 }))).toEqual({
    refused: 'it took longer than 0.3 s',
  })
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 100)
  expect(await openWeb(local).fetch(url, limits({ signal: stop.signal }))).toEqual({ refused: 'stopped' })
})

test('fetch ends in time where names are never answered', async () => {
  const web = openWeb({ resolve: () => new Promise(() => {}) })
  expect(await web.fetch('http://silent.example/', limits({ ms: 200 }))).toHaveProperty('refused')
})

test.each(['image/png', 'application/octet-stream', 'application/zip'])(
  'fetch refuses a body of %s',
  async (type) => {
    const { url } = await serving((_, response) => {
      response.writeHead(200, { 'content-type': type })
      response.end('x')
    })
    expect(await openWeb(local).fetch(url, limits())).toEqual({ refused: `it is ${type}, want text` })
  },
)

test('fetch sends no cookie, key or address of a page that it came from', async () => {
  const { url } = await serving((request, response) =>
    response.end(Object.keys(request.headers).sort().join()),
  )
  const got = await openWeb(local).fetch(url, limits())
  expect(got).toMatchObject({ text: 'accept,accept-encoding,connection,host,user-agent' })
})

const PAGES: readonly (readonly [string, string])[] = [
  ['<p>one<p>two', 'one\ntwo'],
  ['<script>alert("x")</script>text<style>p {}</style>', 'text'],
  ['a<!-- <p>hidden</p> -->b', 'ab'],
  ['<a href="/x?a=1&amp;b=2">link</a>', '[link](http://host/x?a=1&b=2)'],
  ["<a class=x href='y'>link</a> <a href=z>bare</a>", '[link](http://host/p/y) [bare](http://host/p/z)'],
  ['<a href="javascript:x()">text</a><a href="#top">top</a>', 'texttop'],
  ['<h2>Title</h2><ul><li>a<li>b</ul>', '## Title\n\n- a\n- b'],
  ['1 &lt; 2 &amp;&#32;&#x33; &unknown; &toString; &#0;', '1 < 2 & 3 &unknown; &toString;'],
  ['a < b and <b>bold</b>', 'a < b and bold'],
  ['<script>never closed', ''],
  ['text <a href="x', 'text'],
  ['<SCRIPT>x</SCRIPT ><Title>T</Title>', 'T'],
  ['<table><tr><td>a<td>b<tr><td>c</table>', 'a b\nc'],
]

test.each(PAGES)('reduceHtml() of %j', (html, text) => {
  expect(reduceHtml(html, 'http://host/p/q')).toBe(text)
})

test.each(['<', '<a ', '<script>', '<!--', '&amp', '</', '<a href="', '<p '])(
  'reduceHtml() takes time linear in a page of many "%s"',
  (part) => {
    const page = part.repeat(200_000)
    expect(cpuMs(() => reduceHtml(page, 'http://host/'))).toBeLessThan(5_000)
  },
)
