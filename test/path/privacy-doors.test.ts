/**
 * Private stays private at the doors of the real program: twenty private scopes with a marker each, some of them damaged,
 * and a model that fails with the marker in its words. What a daemon prints, keeps in `.neo/` and audits, what page, API,
 * MCP, other members' tokens and commands are told, is searched: no marker is in any of it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { watching } from '../cli/daemon.ts'
import { dataOf, type Home, makeHome, neo } from '../cli/program.ts'
import { overStdio, use } from '../servers/mcp/client.ts'
import { user } from '../memory/said.ts'
import { until } from './home.ts'
import { startModel } from './model.ts'

const MARKER = /qzdoor\d\dx/g
const DAY = '2026-03-01'

interface Place {
  readonly scope: string
  readonly member: string
  readonly marker: string
}

const PLACES: readonly Place[] = Array.from({ length: 20 }, (_, n) => ({
  scope: n < 10 ? `telegram-${100 + n}` : `g${n}`,
  member: `p${n % 10}`,
  marker: `qzdoor${String(n).padStart(2, '0')}x`,
}))

function files(config: string): Record<string, string> {
  const all: Record<string, string> = {
    'neo.yaml': `${config}memory: { distill: model, window: 6, sync_every: 2s }\nlog: { level: debug }\n`,
    'rooms/shop/memories/m.md': 'The story word of the shop is open to all of its people\n',
  }
  for (const [n, { scope, member, marker }] of PLACES.entries()) {
    if (n < 10) {
      const who = `role: ${n % 2 === 0 ? 'parent' : 'guest'}\nchannels: { telegram: "${100 + n}" }`
      all[`workspace/members/${member}.md`] = `---\n${who}\npermissions: { rooms: [shop] }\n---\n`
    } else {
      const rules = `type: group\nchannel: "telegram:-${900 + n}"\nmembers: [${member}]`
      all[`workspace/scopes/${scope}/SCOPE.md`] = `---\n${rules}\n---\n`
    }
    const folder = `.git/neo/scopes/${scope}`
    const says = Array.from({ length: 8 }, (_, m) => user(`story ${m} is ${marker}`, `member:${member}`))
    all[`${folder}/scope.json`] = JSON.stringify({
      key: n < 10 ? `telegram:${100 + n}` : `telegram:-${900 + n}`,
    })
    all[`${folder}/transcripts/neo-${scope}-${DAY}-1.jsonl`] = says.join('')
    // Every third cannot be distilled, every fourth has marks and an index that cannot be read.
    all[`${folder}/MEMORY.md`] = `${n % 3 === 0 ? '<<<<<<< HEAD\n' : ''}- story ${marker}\n`
    all[`${folder}/${DAY}.md`] = `- 09:12 [member] story ${marker}\n`
    if (n % 4 === 0) {
      all[`${folder}/by-model.json`] = `${marker} is no JSON`
      all[`${folder}/index.db`] = `${marker} is no database`.repeat(99)
    }
  }
  return all
}

function markersIn(text: string): readonly string[] {
  return [...new Set(text.match(MARKER) ?? [])].toSorted()
}

function strays({ dir }: Home): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = relative(dir, join(entry.parentPath, entry.name))
    const owner = /^\.git\/neo\/scopes\/([^/]+)\//.exec(path)?.[1]
    if (!entry.isFile()) return []
    const found = markersIn(readFileSync(join(dir, path), 'latin1'))
    const astray = found.filter((marker) => PLACES.find((one) => one.marker === marker)?.scope !== owner)
    return astray.map((marker) => `${marker} in ${path}`)
  })
}

interface Served {
  readonly url: string
  readonly token: string
}

function servedAt(home: Home): Served {
  return JSON.parse(home.text('.neo/daemon.json')) as Served
}

async function fetched({ url }: Served, token: string, path: string, call?: object): Promise<string> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const post = { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...call }) }
  return (await fetch(`${url}${path}`, call === undefined ? { headers } : post)).text()
}

/** Everything that somebody with this token is told, who has a part in the scopes of one member at most. */
async function toldTo(at: Served, token: string, paths: readonly string[]): Promise<string> {
  const texts = await Promise.all(paths.map((path) => fetched(at, token, path)))
  for (const { scope, marker } of PLACES)
    for (const params of [
      { query: marker, limit: 50 },
      { query: 'story', scopeId: scope },
    ])
      texts.push(await fetched(at, token, '/rpc', { method: 'memory.search', params }))
  return texts.join('\n')
}

const PATHS = ['/', '/me', '/status', '/sessions', '/sessions-with-counts', '/policy/status']
const TAILS = [
  '/events/tail',
  '/transcripts/tail',
  ...PLACES.map(({ scope }) => `/transcripts/tail?sessionId=${scope}`),
]

async function editorIsTold(home: Home): Promise<string> {
  const client = await overStdio(home.dir, 'legacy')
  const { tools } = await client.listTools()
  const { resources } = await client.listResources()
  const texts = [JSON.stringify([tools, resources, await client.listPrompts()])]
  for (const { uri } of resources)
    texts.push(JSON.stringify(await client.readResource({ uri }).catch(String)))
  for (const { name, inputSchema } of tools) {
    if (Object.keys(inputSchema.required ?? []).length === 0)
      texts.push(JSON.stringify(await use(client, name).catch(String)))
    if (!name.includes('memory_search')) continue
    for (const { marker } of PLACES)
      texts.push(JSON.stringify(await use(client, name, { query: marker }).catch(String)))
  }
  return texts.join('\n')
}

const COMMANDS = [
  ['status'],
  ['log'],
  ['memory', 'list'],
  ['memory', 'log'],
  ['session', 'list'],
  ['usage'],
  ['doctor'],
  ['config', 'check'],
  ['search', 'story'],
]

test('at no door of the program is anything of twenty private scopes told to others', async () => {
  const model = await startModel(({ text }) => `I cannot, because of ${markersIn(text).join(' ')}`)
  const home = makeHome()
  for (const [path, text] of Object.entries(files(model.config))) home.put(path, text)
  home.git('add', '-A')
  home.git('commit', '-q', '-m', 'people')
  const daemon = await watching(home)
  await until(
    () => model.asked.length >= 10 && home.text('.neo/memory.json').includes('did not summarise'),
    40_000,
  )
  const at = servedAt(home)

  for (const member of ['p0', 'p1', 'p5']) {
    const made = await home.neo('member', 'token', member, '--json')
    const { token } = dataOf(made) as { token: string }
    const own = PLACES.filter((place) => place.member === member).map(({ marker }) => marker)
    const told = markersIn(await toldTo(at, token, [...PATHS, ...TAILS]))
    expect(told.filter((marker) => !own.includes(marker))).toEqual([])
    // Their own they do find.
    expect(told).not.toEqual([])
  }
  expect(markersIn((await Promise.all(PATHS.map((path) => fetched(at, at.token, path)))).join('\n'))).toEqual(
    [],
  )
  expect(markersIn(await editorIsTold(home))).toEqual([])
  for (const words of COMMANDS) {
    const { out, err } = await neo([...words, '--json', '--home', home.dir])
    expect([words, markersIn(out + err)]).toEqual([words, []])
  }
  await daemon.stop()
  expect(markersIn(daemon.said())).toEqual([])
  expect(strays(home)).toEqual([])
  // The search itself: what is looked for is there.
  expect(new Set(model.asked.flatMap(({ text }) => markersIn(text))).size).toBeGreaterThanOrEqual(10)
  expect(markersIn(home.text('.git/neo/scopes/g11/MEMORY.md'))).toEqual(['qzdoor11x'])
})
