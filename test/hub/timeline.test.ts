/** audit.timeline: one order over transcripts, the audit log and git, exact to the line and the commit. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import type { ParamsOf, ResultOf } from '../../src/hub/method-table.ts'
import { HUMAN, type HubHome, hubHome, LOBBY_NEO, NEO } from './hub-home.ts'

type Event = ResultOf<'audit.timeline'>['events'][number]
type Asked = ParamsOf<'audit.timeline'>

const line = (at: string, more: object = {}) =>
  `${JSON.stringify({ v: 1, id: `${at}${JSON.stringify(more)}`, parent: null, ts: at, session: 's-aaaaaa', room: 'shop', task: 't-aaaaaa', type: 'assistant', ...more })}\n`

const TASK =
  '---\nneo: { id: t-aaaaaa, created_at: 2026-03-01T09:00:00Z, created_by: human }\nstatus: draft\n---\n# A\n'

async function homeWith(files: Readonly<Record<string, string>> = {}): Promise<HubHome> {
  const home = await hubHome({ 'rooms/shop/tasks/a.md': TASK, 'rooms/other/tasks/b.md': '# B\n' })
  for (const [path, text] of Object.entries(files)) put(home, path, text)
  return home
}

function put({ home }: HubHome, path: string, text: string): void {
  mkdirSync(dirname(join(home.dir, path)), { recursive: true })
  writeFileSync(join(home.dir, path), text)
}

/** By Neo, about the room. */
function committed({ home }: HubHome, subject: string): void {
  home.git('-c', 'user.name=Neo', 'commit', '-q', '--allow-empty', '-m', subject, '-m', 'Neo-Room: shop')
}

async function events(home: HubHome, asked: Asked = {}, as: Principal = HUMAN): Promise<readonly Event[]> {
  return (await home.call('audit.timeline', asked, as)).events
}

const LIVE = '.git/neo/transcripts/s-aaaaaa.jsonl'
const says = (all: readonly Event[]) => all.map(({ kind, says }) => `${kind} ${says}`.trim())

test('each event names its line in a file, or its commit', async () => {
  const home = await homeWith({
    [LIVE]:
      line('2026-03-01T09:00:01.100Z', { text: 'one' }) + line('2026-03-01T09:00:01.200Z', { text: 'two' }),
  })
  await home.call('task.update', { taskId: 'a', updates: { priority: 'low' } })
  const all = await events(home, { taskId: 'a', kinds: ['transcript', 'audit', 'update'] })
  expect(all.map(({ source, file, commit }) => `${source} ${file ?? commit?.length}`)).toEqual([
    `transcript ${LIVE}:1`,
    `transcript ${LIVE}:2`,
    'audit .git/neo/audit.jsonl:1',
    'git 40',
  ])
})

test('torn, foreign and doubled lines are kept out, and those after them keep their numbers', async () => {
  const one = line('2026-03-01T09:00:01.000Z', { text: 'one' })
  const two = line('2026-03-01T09:00:02.000Z', { text: 'two' })
  const home = await homeWith({
    [LIVE]: `${one}\0\0\0\n{"type":"x"}\nno json\n${one}${two}{"v":1,"type":"assist`,
  })
  expect((await events(home, { sessionId: 's-aaaaaa' })).map(({ file }) => file)).toEqual([
    `${LIVE}:1`,
    `${LIVE}:6`,
  ])
})

test('a clock that went back does not turn lines of a file around', async () => {
  const times = ['10', '30', '20', '25', '40'].map((s) => `2026-03-01T09:00:${s}.000Z`)
  const home = await homeWith({ [LIVE]: times.map((at) => line(at, { text: at })).join('') })
  expect((await events(home, { sessionId: 's-aaaaaa' })).map(({ at }) => at)).toEqual(times)
})

test('pages of any size put together are the whole, in one order, each event once', async () => {
  const lines = Array.from({ length: 23 }, (_, n) =>
    line(`2026-03-01T09:00:0${n % 3}.000Z`, { text: `${n}` }),
  )
  const home = await homeWith({ [LIVE]: lines.join('') })
  for (let n = 0; n < 9; n++) committed(home, `c${n}`)
  const asked = { roomId: 'shop', kinds: ['git', 'transcript'] }
  const whole = await events(home, asked)
  expect(whole.length).toBe(23 + 9 + 1)
  for (const limit of [1, 4, 7, 33]) {
    const pages: Event[] = []
    let cursor: string | null = null
    do {
      const page: ResultOf<'audit.timeline'> = await home.call('audit.timeline', {
        ...asked,
        limit,
        ...(cursor === null ? {} : { cursor }),
      })
      pages.unshift(...page.events)
      cursor = page.cursor
    } while (cursor !== null)
    expect(pages).toEqual(whole)
  }
})

test('in one second: what led to a commit, the commit that starts a session, its lines, the commit that ends it', async () => {
  const home = await homeWith()
  const at = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000)
  const ms = (n: number) => new Date(at.getTime() + n).toISOString()
  const body = 'Neo-Room: shop\nNeo-Task: t-aaaaaa\nNeo-Session: s-aaaaaa\nNeo-Event: '
  let parent = home.home.git('rev-parse', 'HEAD')
  for (const event of ['adopt', 'start', 'complete']) {
    const person = `Neo <neo@localhost> ${at.getTime() / 1000} +0000`
    const commit = `tree ${home.home.git('rev-parse', 'HEAD^{tree}')}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\n\n${event}\n\n${body}${event}\n`
    home.home.write('commit.txt', commit)
    parent = home.home.git('hash-object', '-t', 'commit', '-w', 'commit.txt')
  }
  home.home.git('update-ref', 'HEAD', parent)
  const second = (iso: string) => iso.slice(0, 19)
  put(
    home,
    LIVE,
    line(ms(500), { type: 'start', title: 'A' }) + line(ms(700), { type: 'end', outcome: 'done' }),
  )
  const all = (await events(home, { taskId: 'a' })).filter((event) => second(event.at) === second(ms(0)))
  expect(all.map(({ kind, source }) => `${source} ${kind}`)).toEqual([
    'git adopt',
    'git start',
    'transcript start',
    'transcript end',
    'git complete',
  ])
})

test.each<[string, Asked, readonly string[]]>([
  ['kind', { kinds: ['tool_call'] }, ['tool_call ls']],
  ['source', { kinds: ['git'] }, ['commit begin']],
  [
    'since and until',
    { since: '2026-03-01T09:00:02Z', until: '2026-03-01T09:00:03Z' },
    ['assistant two', 'tool_call ls'],
  ],
  ['actor', { actor: 'session:s-aaaaaa', until: '2026-03-01T09:00:02Z' }, ['assistant one', 'assistant two']],
  ['another task', { taskId: 'b', kinds: ['transcript'] }, []],
  [
    'until a day, which is meant whole',
    { kinds: ['transcript'], until: '2026-03-01' },
    ['assistant one', 'assistant two', 'tool_call ls'],
  ],
  ['until the day before', { kinds: ['transcript'], until: '2026-02-28' }, []],
])('events are filtered by %s', async (_, asked, wanted) => {
  const home = await homeWith({
    [LIVE]:
      line('2026-03-01T09:00:01Z', { text: 'one' }) +
      line('2026-03-01T09:00:02Z', { text: 'two' }) +
      line('2026-03-01T09:00:03Z', { type: 'tool_call', command: 'ls' }),
  })
  expect(says(await events(home, asked))).toEqual(wanted)
})

test('reads are left out where they are not asked for', async () => {
  const home = await homeWith()
  await home.call('task.get', { taskId: 'a' })
  await home.refusal('task.get', { taskId: 'a' }, { kind: 'peer', id: 'qa-else' })
  expect(says(await events(home, { roomId: 'shop', kinds: ['audit'] }))).toEqual([
    'decision task.get: deny (peer-default: no rule gives this agent access)',
  ])
  expect((await events(home, { kinds: ['read'] })).length).toBeGreaterThan(0)
})

test('a room’s Neo sees the events of his room alone, the lobby’s sees all', async () => {
  const other = line('2026-03-01T09:00:01Z', {
    text: 'secret',
    room: 'other',
    session: 's-bbbbbb',
    task: 't-bbbbbb',
  })
  const home = await homeWith({ '.git/neo/transcripts/s-bbbbbb.jsonl': other })
  expect(says(await events(home, {}, NEO)).join()).not.toContain('secret')
  expect(await events(home, { sessionId: 's-bbbbbb' }, NEO)).toEqual([])
  expect(await home.refusal('audit.timeline', { roomId: 'other' }, NEO)).toMatchObject({ code: -32001 })
  expect(says(await events(home, {}, LOBBY_NEO)).join()).toContain('secret')
})

test('a transcript of 80 MB is paged through with little memory', async () => {
  const home = await homeWith({ [LIVE]: '' })
  const part = Array.from({ length: 1_000 }, (_, n) =>
    line('2026-03-01T09:00:01Z', { n, output: 'x'.repeat(4_000) }),
  ).join('')
  for (let n = 0; n < 20; n++) appendFileSync(join(home.home.dir, LIVE), part)
  appendFileSync(join(home.home.dir, LIVE), line('2026-03-01T09:00:02Z', { text: 'last' }))
  const before = process.memoryUsage().rss
  const all = await events(home, { sessionId: 's-aaaaaa', limit: 1 })
  expect(all.map(({ file }) => file)).toEqual([`${LIVE}:20001`])
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
})

test.each([
  ['cursor', { cursor: 'x' }],
  ['since', { since: 'yesterday' }],
])('a wrong %s is refused by name', async (key, asked) => {
  const home = await homeWith()
  expect(await home.refusal('audit.timeline', asked)).toMatchObject({
    code: -32602,
    issues: [{ path: [key] }],
  })
})

test('nobody but the owner is told for whom Neo acted and who talks in which conversation', async () => {
  const home = await homeWith({
    'workspace/members/kim.md': '---\nrole: child\npermissions: { rooms: [shop] }\n---\n',
    'workspace/members/anna.md':
      '---\nrole: guest\nchannels: { telegram: "100123" }\npermissions: { rooms: [shop] }\n---\n',
    '.git/neo/scopes/telegram-100123/scope.json': '{"key":"telegram:100123"}\n',
  })
  const within = { scope: 'telegram-100123', speaker: 'member:anna', keeps: 'private' } as const
  const forAnna: Principal = { kind: 'neo', room: 'shop', onBehalfOf: within }
  await home.call('task.list', { roomId: 'shop' }, forAnna)
  await home.refusal('memory.add', { roomId: 'shop', type: 'note', content: 'x' }, forAnna)
  const anna: Principal = { kind: 'member', id: 'anna' }
  await home.call('scope.get', { scopeId: 'telegram-100123', roomId: 'shop' }, anna)
  const kinds = ['audit', 'read']
  const seenBy = async (as: Principal, more: Asked = {}) =>
    JSON.stringify(await events(home, { roomId: 'shop', kinds, ...more }, as))
  const others: readonly Principal[] = [{ kind: 'member', id: 'kim' }, NEO, LOBBY_NEO, { kind: 'editor' }]
  for (const as of others) {
    const seen = await seenBy(as)
    expect(seen).toContain('neo:shop')
    expect(seen).not.toMatch(/anna|100123|private/)
    expect(await seenBy(as, { actor: 'neo:shop for member:anna in telegram-100123' })).toBe('[]')
  }
  expect(await seenBy(HUMAN)).toContain('neo:shop for member:anna in telegram-100123')
  expect(await seenBy(anna)).toContain('scope.get')
})
