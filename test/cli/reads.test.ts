/** Reading commands beside a daemon: they ask it, they print what the files would, and without an answer they read the files. */
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { openProcesses } from '../../src/adapters/processes/processes.ts'
import { watching } from './daemon.ts'
import { dataOf, type Home, makeHome, RUNBOOK, until } from './program.ts'

const COMMANDS = [['status'], ['plan'], ['log'], ['log', 'shop'], ['search', 'hedge']] as const

function someHome(): Home {
  return makeHome({
    'rooms/shop/tasks/broken.md': '---\nstatus: nowhere\n---\n',
    'rooms/shop/tasks/waits.md': '---\ndepends_on: [nothing]\n---\n# Waits\n',
    'rooms/shop/memories/hedge.md': 'The hedge is cut in March\n',
  })
}

test('a daemon gives what the files give', async () => {
  const home = someHome()
  home.put('rooms/shop/tasks/ran.md', `# Ran\n\n${RUNBOOK}`)
  await watching(home)
  await until(() => home.text('rooms/shop/tasks/ran.md').includes('status: completed'))
  await until(() => home.names('.neo').includes('memory.json'))
  const all = async () => {
    const said: unknown[] = []
    for (const command of COMMANDS) said.push(withoutTimes(dataOf(await home.neo(...command, '--json'))))
    return said
  }
  const said = home.text('.neo/daemon.json')
  let [asked, read]: unknown[][] = [[], []]
  // What the daemon still takes into its index changes scores: then both are asked once more.
  await until(async () => {
    asked = await all()
    rmSync(join(home.dir, '.neo/daemon.json'))
    read = await all()
    writeFileSync(join(home.dir, '.neo/daemon.json'), said)
    return isDeepStrictEqual(asked, read)
  }).catch(() => {})
  expect(asked).toEqual(read)
})

/** How long a search took, and how often the index has looked meanwhile, are never the same. */
function withoutTimes(data: unknown): unknown {
  const text = JSON.stringify(data)
  return JSON.parse(
    text.replace(/"queryTimeMs":\d+/, '"queryTimeMs":0').replace(/passages from \d+ files; [^"]*/, ''),
  )
}

interface Fake {
  readonly home: Home
  readonly paths: string[]
  readonly said: Record<string, unknown>
}

/** A daemon.json of this process, whose server answers each read with `answer`. */
async function fake(answer: string, status = 200): Promise<Fake> {
  const home = someHome()
  const paths: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    request.resume()
    response.writeHead(request.url === '/healthz' ? 200 : status).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const said = { ...openProcesses().self(), home: home.dir, url, token: 'x' }
  home.put('.neo/daemon.json', JSON.stringify(said))
  return { home, paths, said }
}

test('a reading command prints what the daemon of the home says', async () => {
  const data = { git: { kind: 'away', why: 'the moon is full' }, decisions: [], waiting: [], held: [] }
  const { home, paths } = await fake(JSON.stringify({ jsonrpc: '2.0', id: 1, result: data }))
  expect((await home.neo('plan')).out).toContain('the moon is full')
  expect(paths).toEqual(['/healthz', '/reads'])
})

test.each([
  ['of a process that is gone', { pid: 4_194_305 }, false],
  ['of another home', { home: '/elsewhere' }, false],
  ['with an address where nobody listens', { url: 'http://127.0.0.1:1' }, false],
  ['of a daemon that does not know the question', {}, true],
])('a daemon.json %s leaves it to the files', async (_, other, asked) => {
  const { home, paths, said } = await fake(
    '{"error": {"code": -32001, "message": "there is nothing here"}}',
    404,
  )
  home.put('.neo/daemon.json', JSON.stringify({ ...said, ...other }))
  const { code, out } = await home.neo('status')
  expect([code, out.includes('broken.md')]).toEqual([0, true])
  expect(paths.includes('/reads')).toBe(asked)
})
