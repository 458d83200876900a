/** The routes of administration over real conversations: a private chat under the git dir, and a group in the home. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { type ServedHome, servedHome } from './served-home.ts'

const MARK = 'quartz'
const entry = (scope: string, n: number, text: string) =>
  JSON.stringify({
    ...{
      v: 1,
      id: `e-${n}`,
      parent: null,
      ts: `2026-03-01T09:00:0${n}Z`,
      session: `neo-${scope}`,
      room: 'lobby',
    },
    ...{ task: '', type: n % 2 === 0 ? 'assistant' : 'user', text, from: 'human' },
  })
const talk = (scope: string, words: readonly string[]) =>
  `${words.map((text, n) => entry(scope, n + 1, text)).join('\n')}\n`
const said = (scope: string) =>
  talk(scope, [`<message from="human">\nMy stone is ${MARK}\n</message>`, 'Noted.', 'And now'])

const PRIVATE = '.git/neo/scopes/test-7'
const THEIRS = '.git/neo/scopes/test-8'
/** `test-7` is a private chat of the person, `test-8` of kim; `club` is a group that is in git. */
const FILES = {
  'neo.yaml':
    'daemon: { settle: 0s, rescan: 1s }\nchannels: { telegram: { enabled: false, allow_from: ["7"] } }\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: child\nchannels: { telegram: "8" }\n---\n',
  'workspace/scopes/club/SCOPE.md': '---\ntype: group\nchannel: "test:77"\n---\n',
  'workspace/scopes/club/MEMORY.md': `# Memory\n\n- **hall** (member:kim): ${MARK}\n`,
}

interface At {
  readonly served: ServedHome
  ask(path: string, verb?: string, headers?: object): Promise<readonly [status: number, body: unknown]>
  has(path: string): boolean
}

async function scopes(): Promise<At> {
  const served = servedHome(FILES)
  const { home } = served
  for (const [folder, key] of [
    [PRIVATE, 'telegram:7'],
    [THEIRS, 'telegram:8'],
  ] as const) {
    const name = folder.slice(folder.lastIndexOf('/') + 1)
    home.write(`${folder}/scope.json`, JSON.stringify({ key }))
    home.write(`${folder}/transcripts/neo-${name}-2026-03-01-1.jsonl`, said(name))
    home.write(`${folder}/MEMORY.md`, `# Memory\n\n- **stone** (human): ${MARK}\n`)
    home.write(`${folder}/context/kept.json`, '{}')
  }
  const { url } = await served.door()
  await until(() => served.said().token !== null)
  const headers = { authorization: `Bearer ${served.said().token}` }
  return {
    served,
    has: (path) => existsSync(join(home.dir, path)),
    async ask(path, method = 'GET', more = {}) {
      const answer = await fetch(`${url}${path}`, { method, headers: { ...headers, ...more } })
      return [answer.status, await answer.json()]
    },
  }
}

/** Files that hold the mark, anywhere under a folder. */
function holding(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && readFileSync(join(file.parentPath, file.name)).includes(MARK))
    .map((file) => file.name)
}

test('conversations are listed with how much was said in each, and whether people are heard', async () => {
  const { ask } = await scopes()
  expect(await ask('/sessions')).toEqual([200, ['club', 'test-7', 'test-8']])
  expect(await ask('/sessions-with-counts')).toEqual([
    200,
    [
      { scopeId: 'club', itemCount: 0 },
      { scopeId: 'test-7', itemCount: 3 },
      { scopeId: 'test-8', itemCount: 3 },
    ],
  ])
  const [, policy] = await ask('/policy/status')
  expect(policy).toMatchObject([
    { scopeId: 'club', allowed: true, keeps: 'shared' },
    { scopeId: 'test-7', allowed: true, keeps: 'private' },
    { scopeId: 'test-8', allowed: true, why: 'the private chat of kim' },
  ])
})

test('the tail of a conversation is told by its scope, of a private chat to its owner alone', async () => {
  const { ask } = await scopes()
  const [status, entries] = await ask('/transcripts/tail?scopeId=test-7&lines=2')
  expect(status).toBe(200)
  expect(entries).toMatchObject([{ text: 'Noted.' }, { text: 'And now' }])
  expect(await ask('/transcripts/tail?scopeId=club')).toEqual([200, []])
  const theirs = await ask('/transcripts/tail?scopeId=test-8')
  expect(theirs).toMatchObject([403, { error: { code: -32001 } }])
  expect(JSON.stringify(theirs)).not.toContain(MARK)
  expect(await ask('/transcripts/tail?scopeId=test-9')).toMatchObject([404, { error: { code: -32002 } }])
})

test('clear takes away what is derived of one conversation, and nothing that was said', async () => {
  const { ask, has } = await scopes()
  expect(await ask('/sessions/test-7/clear', 'POST')).toEqual([200, null])
  expect(has(`${PRIVATE}/context`)).toBe(false)
  expect(has(`${THEIRS}/context/kept.json`)).toBe(true)
  const [, counts] = await ask('/sessions-with-counts')
  expect(counts).toContainEqual({ scopeId: 'test-7', itemCount: 3 })
  expect(has(`${PRIVATE}/MEMORY.md`)).toBe(true)
})

test('distill makes facts of what was said there, in its own files', async () => {
  const { ask, served } = await scopes()
  served.home.write(`${PRIVATE}/MEMORY.md`, '# Memory\n')
  const [status, report] = await ask('/sessions/test-7/distill', 'POST')
  expect([status, report]).toMatchObject([200, { scope: 'test-7', kind: 'done', facts: 1 }])
  expect(served.home.read(`${PRIVATE}/MEMORY.md`)).toContain(MARK)
  expect(served.home.git('status', '--porcelain')).toBe('')
})

test('purge wants the name twice, from this machine, and leaves nothing that was said', async () => {
  const { ask, served, has } = await scopes()
  const purge = '/sessions/test-7/purge?confirm='
  expect((await ask(`${purge}test-8`, 'POST'))[0]).toBe(400)
  expect((await ask(`${purge}test-7`, 'POST', { 'x-forwarded-for': '10.0.0.1' }))[0]).toBe(403)
  expect((await ask(`${purge}test-7`, 'GET'))[0]).toBe(405)
  expect(has(`${PRIVATE}/MEMORY.md`)).toBe(true)
  expect(await ask(`${purge}test-7`, 'POST')).toMatchObject([200, { scopeId: 'test-7', kept: '' }])
  expect(has(PRIVATE)).toBe(false)
  expect(await ask('/sessions')).toEqual([200, ['club', 'test-8']])
  const [, purged] = await ask('/sessions/club/purge?confirm=club', 'POST')
  expect(purged).toMatchObject({ files: 1, kept: expect.stringMatching(/^git keeps/) })
  expect(served.home.git('ls-files', 'workspace/scopes')).toBe('workspace/scopes/club/SCOPE.md')
  const left = holding(join(served.home.dir, '.git/neo'))
  expect(new Set(left)).toEqual(new Set(['MEMORY.md', 'neo-test-8-2026-03-01-1.jsonl']))
})
