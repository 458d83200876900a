/** Pull requests: opened, updated and watched at each of the three forges; every trouble is one line, no token in any. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openForges } from '../../src/adapters/forges/forges.ts'
import { type Fault, pullFor } from '../adapters/forges/forge-server.ts'
import { git, gitServer, silentServer } from '../adapters/forges/git-server.ts'
import { branch, forges, hurried, looking, scene, TOKEN } from '../adapters/forges/scene.ts'

describe.each(['github', 'gitlab', 'gitea'] as const)('%s', (kind) => {
  test('open() pushes the branch and opens its pull request', async () => {
    const { forge, commit, open, tip } = await scene(kind)
    const opened = await open('Fix\nthe login')
    expect(opened).toMatchObject({ number: 1, state: 'open', url: expect.stringMatching(/\/1$/) })
    expect(forge.pulls).toEqual([
      pullFor(branch, { number: 1, title: 'Fix the login', body: 'It is fixed.' }),
    ])
    expect(tip()).toBe(commit)
  })

  test('open() again brings branch, title and body of the open one up', async () => {
    const { forge, clone, open, tip } = await scene(kind)
    await open()
    const second = clone.commit(branch, 'a.txt', 'two\n')
    expect(await open('Mend the login', 'Better.')).toMatchObject({ number: 1 })
    expect(forge.pulls).toEqual([pullFor(branch, { number: 1, title: 'Mend the login', body: 'Better.' })])
    expect(tip()).toBe(second)
  })

  test('open() updates one that comes up just before it makes its own', async () => {
    const { forge, open } = await scene(kind)
    forge.race = pullFor(branch)
    expect(await open()).toMatchObject({ number: 7, state: 'open' })
    expect(forge.pulls).toEqual([pullFor(branch, { title: 'Fix the login', body: 'It is fixed.' })])
  })

  test('open() makes a second one where the first is closed', async () => {
    const { forge, open } = await scene(kind)
    await open()
    for (const pull of forge.pulls) pull.state = 'closed'
    expect(await open()).toMatchObject({ number: 2, state: 'open' })
  })

  test('state() gives null where there is none', async () => {
    const { state } = await looking(kind)
    expect(await state()).toBeNull()
  })

  test.each(['open', 'merged'] as const)('state() says %s', async (how) => {
    const { forge, state } = await looking(kind)
    forge.pulls.push(pullFor(branch, { state: how }), pullFor('neo/other', { number: 8 }))
    const seen = await state()
    expect(seen).toMatchObject({ number: 7, state: how })
    expect(seen).not.toHaveProperty('reason')
  })

  test('state() gives the last comment of a closed one, on one line', async () => {
    const { forge, state } = await looking(kind)
    forge.pulls.push(pullFor(branch, { state: 'closed', comments: ['first', 'not now,\nthe shop moves'] }))
    expect(await state()).toMatchObject({ state: 'closed', reason: 'not now, the shop moves' })
  })

  test('state() gives no reason where nobody said one', async () => {
    const { forge, state } = await looking(kind)
    forge.pulls.push(pullFor(branch, { state: 'closed' }))
    expect(await state()).not.toHaveProperty('reason')
  })

  const late = String(Math.floor(Date.UTC(2026, 2, 1, 10, 15) / 1000))
  test.each<[string, Fault, RegExp]>([
    ['401', { status: 401, body: { message: 'Bad credentials' } }, /refuses the token in \w+_TOKEN$/],
    [
      '403 with an empty rate',
      { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': late } },
      /rate limit is reached; it answers again at 10:15 UTC$/,
    ],
    [
      '429',
      { status: 429, headers: { 'retry-after': '90' } },
      /rate limit is reached; it answers again in 2 min$/,
    ],
    ['403', { status: 403, body: { message: 'no scope' } }, /may not do this: no scope$/],
    ['404', { status: 404 }, /there is no acme\/shop, or the token in \w+ may not see it$/],
    [
      '422',
      { status: 422, body: { message: 'No commits between main and it' } },
      /\(422\): No commits between/,
    ],
    ['500', { status: 500, body: 'oh dear' }, /in trouble \(500\)/],
    ['503 of a proxy', { status: 503, body: '<html>busy</html>' }, /in trouble \(503\)/],
    [
      'a page in place of an answer',
      { status: 200, body: '<html>sign in</html>' },
      /not what its API promises/,
    ],
    ['silence', { hang: 'yes' }, /does not answer within 1 s$/],
  ])('open() and state() say in one line what is wrong: %s', async (_, fault, words) => {
    const { forge, state } = await looking(kind, fault.hang === 'yes' ? hurried : forges)
    forge.faults.push(fault)
    const seen = await state()
    expect(seen).toEqual({ wrong: expect.stringMatching(words) })
    expect(seen).toEqual({ wrong: expect.stringMatching(/^forge\.example: [^\n]+$/) })
    expect(JSON.stringify(seen)).not.toContain(TOKEN)
  })

  test('open() after a request that was carried out and not answered finds what it made', async () => {
    const { forge, open } = await scene(kind)
    forge.faults.push(null, { status: 502, after: 'yes' })
    expect(await open()).toEqual({ wrong: expect.stringContaining('in trouble (502)') })
    expect(await open()).toMatchObject({ number: 1 })
    expect(forge.pulls).toHaveLength(1)
  })

  test('the token is stored nowhere in the repository', async () => {
    const { server, clone, open } = await scene(kind)
    await open()
    const login = Buffer.from(TOKEN).toString('base64').slice(0, 20)
    for (const text of [TOKEN, login]) expect(holding(join(clone.dir, '.git'), text)).toEqual([])
    expect(server.logins.length).toBeGreaterThan(0)
  })
})

describe('the branch', () => {
  test('open() replaces a branch that was made anew, since nobody else has pushed to it', async () => {
    const { clone, open, tip } = await scene('github')
    await open()
    clone.git('branch', '-f', branch, 'main')
    const anew = clone.commit(branch, 'a.txt', 'anew\n')
    expect(await open()).toMatchObject({ number: 1 })
    expect(tip()).toBe(anew)
  })

  test('open() leaves what somebody else pushed to the branch, and says so', async () => {
    const { server, forge, clone, open, tip } = await scene('github')
    await open()
    const other = server.clone('other')
    other.git('fetch', '-q', 'origin', branch)
    other.git('branch', branch, 'FETCH_HEAD')
    const theirs = other.commit(branch, 'b.txt', 'theirs\n')
    other.git('push', '-q', 'origin', branch)
    clone.commit(branch, 'a.txt', 'two\n')
    forge.requests.length = 0
    expect(await open()).toEqual({ wrong: expect.stringContaining(`somebody pushed to ${branch}`) })
    expect([tip(), forge.requests]).toEqual([theirs, []])
  })

  test('open() goes on after a crash between push and memory', async () => {
    const { clone, open, tip } = await scene('github')
    await open()
    clone.git('update-ref', '-d', `refs/neo/pushed/${branch}`)
    const second = clone.commit(branch, 'a.txt', 'two\n')
    expect(await open()).toMatchObject({ number: 1 })
    expect(tip()).toBe(second)
  })

  test('state() forgets what was pushed once the pull request is merged', async () => {
    const { forge, clone, open, state } = await scene('github')
    await open()
    for (const pull of forge.pulls) pull.state = 'merged'
    await state()
    expect(clone.git('for-each-ref', 'refs/neo/pushed')).toBe('')
  })

  test('fetchBase() gives the commit of the base at the remote', async () => {
    const { server, place, env } = await scene('github')
    const commit = git(server.bare, 'rev-parse', 'main')
    expect(await forges.fetchBase(place, env)).toBe(commit)
    expect(await forges.fetchBase({ ...place, base: 'nothing' }, env)).toEqual({
      wrong: 'origin has no branch nothing',
    })
  })
})

describe('whose token', () => {
  test('a remote that was turned to another host gets no token', async () => {
    const { forge, dir, state } = await looking('gitlab')
    git(dir, 'remote', 'set-url', 'origin', 'https://elsewhere.example/acme/shop.git')
    expect(await state()).toEqual({
      wrong: expect.stringContaining('what kind of forge elsewhere.example is'),
    })
    expect(forge.requests).toEqual([])
  })

  test('each forge gets its own header', async () => {
    for (const [kind, header] of [
      ['github', `token ${TOKEN}`],
      ['gitlab', `Bearer ${TOKEN}`],
      ['gitea', `token ${TOKEN}`],
    ] as const) {
      const { forge, state } = await looking(kind)
      await state()
      expect(forge.requests[0]?.login).toBe(header)
    }
  })

  test('a repository without a remote, and one whose remote is a folder, are said', async () => {
    const server = await gitServer()
    const clone = server.clone('clone')
    clone.commit(branch, 'a.txt', 'one\n')
    const place = { repository: clone.dir, folder: '', base: 'main' }
    const request = { place, branch, title: 'a', body: 'b', env: {} }
    expect(await forges.open(request)).toEqual({ wrong: expect.stringContaining('which is no forge') })
    expect(await forges.fetchBase(place, {})).toBe(git(server.bare, 'rev-parse', 'main'))
    clone.git('remote', 'remove', 'origin')
    expect(await forges.open(request)).toEqual({ wrong: expect.stringContaining('no remote "origin"') })
    expect(await forges.fetchBase(place, {})).toBeNull()
  })

  test('a push that a hook of the server refuses opens nothing', async () => {
    const { server, forge, open } = await scene('github')
    server.hook('pre-receive', 'echo "frozen until Monday"; exit 1')
    expect(await open()).toEqual({ wrong: expect.stringContaining('frozen until Monday') })
    expect(forge.requests).toEqual([])
  })

  test('a server that hangs is cut at the limit', async () => {
    const { clone, place, env } = await scene('github')
    const silent = await silentServer()
    clone.git('remote', 'set-url', 'origin', `http://${silent}/acme/shop.git`)
    const quick = openForges({ gitMs: 400 })
    const request = { place, branch, title: 'a', body: 'b', env: { ...env, GH_HOST: silent } }
    expect(await quick.open(request)).toEqual({ wrong: 'origin does not answer in time' })
  })
})

/** Files below a folder that hold a text. */
function holding(dir: string, text: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text))
}
