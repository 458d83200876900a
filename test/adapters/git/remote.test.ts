/** Remotes: one branch pushed with lease and fetched, over http and paths; nothing lost, nothing hangs, nothing shown. */
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fetchBranch, pushBranch, remoteOf } from '../../../src/adapters/git/remote/remote.ts'
import { MOMENT_MS } from '../../wait.ts'
import { type Clone, type GitServer, git, gitServer, silentServer } from '../forges/git-server.ts'

const branch = 'neo/shop/a-1'

/** A server, and a clone of it whose branch has one commit more than main. */
async function scene(options: { over?: 'http'; login?: string } = {}) {
  const server = await gitServer(options.login)
  const clone = server.clone('clone')
  if (options.over === 'http') clone.git('remote', 'set-url', 'origin', server.url)
  const commit = clone.commit(branch, 'a.txt', 'one\n')
  const push = (expect: string | null = '', more = {}) =>
    pushBranch({ repository: clone.dir, branch, expect, ...more })
  return { server, clone, commit, push }
}

function tipAt(server: GitServer, name = branch): string {
  return git(server.bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${name}`)
}

function other(server: GitServer, from: string, file: string): { clone: Clone; commit: string } {
  const clone = server.clone('other')
  clone.git('fetch', '-q', 'origin', `+refs/heads/*:refs/remotes/origin/*`)
  clone.git('branch', '-q', branch, from)
  return { clone, commit: clone.commit(branch, file, 'theirs\n') }
}

describe('remoteOf', () => {
  test('remoteOf() applies insteadOf and hides the login', async () => {
    const { clone } = await scene()
    clone.git('remote', 'set-url', 'origin', 'hub:acme/shop.git')
    clone.git('config', 'url.https://me:word@hub.example/.insteadOf', 'hub:')
    const remote = await remoteOf(clone.dir)
    expect(remote?.url).toBe('https://me:word@hub.example/acme/shop.git')
    expect(remote?.shown).toBe('https://hub.example/acme/shop.git')
  })

  test('remoteOf() gives null where there is no such remote', async () => {
    const { clone } = await scene()
    clone.git('remote', 'rename', 'origin', 'upstream')
    expect(await remoteOf(clone.dir)).toBeNull()
  })
})

describe.each(['path', 'http'] as const)('pushBranch over %s', (over) => {
  const here = () => scene(over === 'http' ? { over } : {})

  test('pushBranch() makes the branch, and nothing else', async () => {
    const { server, clone, commit, push } = await here()
    clone.git('tag', 'v1', branch)
    clone.git('config', 'push.followTags', 'true')
    expect(await push()).toEqual({ kind: 'pushed', commit, said: '' })
    expect(git(server.bare, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      'refs/heads/main',
      `refs/heads/${branch}`,
    ])
  })

  test('pushBranch() says pushed again where the remote has it already, whatever the lease', async () => {
    const { push } = await here()
    await push()
    expect(await push('')).toMatchObject({ kind: 'pushed' })
  })

  test('pushBranch() tells the second of two, and the first one stays', async () => {
    const { server, clone, push } = await here()
    const theirs = other(server, 'origin/main', 'b.txt')
    theirs.clone.git('push', '-q', 'origin', branch)
    expect(await push('')).toMatchObject({ kind: 'rejected', reason: 'stale' })
    expect(tipAt(server)).toBe(theirs.commit)
    expect(clone.git('log', '-1', '--format=%s', branch)).toBe('write a.txt')
  })

  test('pushBranch() replaces what it has seen, and nothing newer', async () => {
    const { server, clone, commit, push } = await here()
    await push()
    clone.git('branch', '-f', branch, 'main')
    const second = clone.commit(branch, 'a.txt', 'again\n')
    expect(await push(commit)).toMatchObject({ kind: 'pushed' })
    expect(tipAt(server)).toBe(second)
    expect(await push('0123456789012345678901234567890123456789')).toMatchObject({ kind: 'pushed' })
    clone.git('branch', '-f', branch, 'main')
    clone.commit(branch, 'a.txt', 'third\n')
    expect(await push(commit)).toMatchObject({ kind: 'rejected', reason: 'stale' })
    expect(tipAt(server)).toBe(second)
  })

  test('pushBranch() gives the words of a hook that refuses', async () => {
    const { server, push } = await here()
    server.hook('pre-receive', 'echo "neo branches are closed on Sundays"; exit 1')
    const result = await push()
    expect(result).toMatchObject({ kind: 'rejected', reason: 'refused' })
    expect('why' in result ? result.why : '').toContain('neo branches are closed on Sundays')
    expect(tipAt(server)).toBe('')
  })

  test('pushBranch() hands over options, and gives what the server said', async () => {
    const { server, push } = await here()
    server.hook('post-receive', 'echo "got $GIT_PUSH_OPTION_COUNT: $GIT_PUSH_OPTION_0"')
    const result = await push('', { options: ['topic=a\nb'] })
    expect(result).toMatchObject({ kind: 'pushed', said: 'got 1: topic=a b' })
  })

  test('pushBranch() says so where the server takes no options', async () => {
    const { server, push } = await here()
    git(server.bare, 'config', 'receive.advertisePushOptions', 'false')
    expect(await push('', { options: ['topic=a'] })).toMatchObject({ kind: 'rejected', reason: 'options' })
  })

  test('two pushes of one branch at once: one is told, and the other stands', async () => {
    const { server, clone, commit } = await here()
    const theirs = other(server, 'origin/main', 'b.txt')
    const results = await Promise.all(
      [clone, theirs.clone].map(({ dir }) => pushBranch({ repository: dir, branch, expect: '' })),
    )
    const won = results.flatMap((result) => (result.kind === 'pushed' ? [result.commit] : []))
    expect(won).toEqual([tipAt(server)])
    expect([commit, theirs.commit]).toContain(won[0])
    expect(results.filter(({ kind }) => kind === 'rejected')).toHaveLength(1)
  })
})

describe('a login', () => {
  const login = { user: 'me', token: 'word', origin: '' }

  test('pushBranch() without one is told, without a prompt and without credentials in the words', async () => {
    const { server, clone, push } = await scene({ over: 'http', login: 'me:word' })
    clone.git('remote', 'set-url', 'origin', server.url.replace('//', '//me:wrong@'))
    const result = await push()
    expect(result).toMatchObject({ kind: 'rejected', reason: 'permission' })
    expect(JSON.stringify(result)).not.toContain('wrong')
  })

  test('pushBranch() with one that is lent is let in', async () => {
    const { server, push } = await scene({ over: 'http', login: 'me:word' })
    expect(await push('', { login: { ...login, origin: server.origin } })).toMatchObject({ kind: 'pushed' })
  })

  test('pushBranch() lends it to no other origin', async () => {
    const { server, push } = await scene({ over: 'http', login: 'me:word' })
    const result = await push('', { login: { ...login, origin: 'http://127.0.0.1:1' } })
    expect([result.kind, server.logins]).toEqual(['rejected', []])
  })

  test('pushBranch() lends it not where the repository itself sets how http goes', async () => {
    const { server, clone, push } = await scene({ over: 'http', login: 'me:word' })
    clone.git('config', 'http.sslVerify', 'false')
    const result = await push('', { login: { ...login, origin: server.origin } })
    expect([result.kind, server.logins]).toEqual(['rejected', []])
  })
})

describe('a repository of which a worker wrote the configuration', () => {
  /** A program that leaves a file where it was run. */
  function trap(server: GitServer): { program: string; sprung: () => boolean } {
    const program = join(server.root, 'trap')
    const mark = join(server.root, 'sprung')
    writeFileSync(program, `#!/bin/sh\ntouch "${mark}"\nexec "$@"\n`)
    chmodSync(program, 0o755)
    return { program, sprung: () => existsSync(mark) }
  }

  test.each([
    ['remote.origin.receivepack', (program: string) => `${program} git-receive-pack`],
    ['remote.origin.uploadpack', (program: string) => `${program} git-upload-pack`],
    ['credential.helper', (program: string) => `!${program}`],
    ['core.sshCommand', (program: string) => program],
    ['core.askPass', (program: string) => program],
  ])('push and fetch run no program that %s names', async (key, value) => {
    const { server, clone, push } = await scene({ login: 'me:word' })
    const { program, sprung } = trap(server)
    clone.git('config', key, value(program))
    await push()
    await fetchBranch({ repository: clone.dir, branch: 'main' })
    clone.git('remote', 'set-url', 'origin', server.url)
    await push()
    clone.git('remote', 'set-url', 'origin', 'ssh://127.0.0.1:1/acme/shop.git')
    await push()
    expect(sprung()).toBe(false)
  })

  test('push goes through no transport that runs a command', async () => {
    const { server, clone, push } = await scene()
    const { program, sprung } = trap(server)
    clone.git('config', 'protocol.ext.allow', 'always')
    clone.git('remote', 'set-url', 'origin', `ext::${program} %S`)
    expect(await push()).toMatchObject({ kind: 'unreachable' })
    expect(sprung()).toBe(false)
  })

  test('push runs no hook, and sends no option that the configuration names', async () => {
    const { server, clone, push } = await scene()
    server.hook('post-receive', 'echo "options: $GIT_PUSH_OPTION_COUNT"')
    clone.git('config', 'push.pushOption', 'merge_request.merge_when_pipeline_succeeds')
    writeFileSync(join(clone.dir, '.git', 'hooks', 'pre-push'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    expect(await push()).toMatchObject({ kind: 'pushed', said: 'options: 0' })
  })
})

describe('trouble', () => {
  test('push and fetch are cut at the limit where the remote says nothing', async () => {
    const { clone, push } = await scene()
    clone.git('remote', 'set-url', 'origin', `http://${await silentServer()}/acme/shop.git`)
    const began = Date.now()
    expect(await push('', { ms: 400 })).toEqual({
      kind: 'unreachable',
      why: 'origin does not answer in time',
    })
    expect(await fetchBranch({ repository: clone.dir, branch: 'main', ms: 400 })).toMatchObject({
      kind: 'unreachable',
    })
    expect(Date.now() - began).toBeLessThan(MOMENT_MS)
  })

  test('push says in one line that nobody is there', async () => {
    const { clone, push } = await scene()
    clone.git('remote', 'set-url', 'origin', 'http://127.0.0.1:1/acme/shop.git')
    const result = await push()
    expect(result.kind).toBe('unreachable')
    expect('why' in result ? result.why.split('\n') : []).toHaveLength(1)
  })
})

describe('fetchBranch', () => {
  test('fetchBranch() writes one ref, and keeps tags and other refs as they are', async () => {
    const { server, clone } = await scene()
    const theirs = other(server, 'origin/main', 'b.txt')
    theirs.clone.git('tag', 'v2', branch)
    theirs.clone.git('push', '-q', 'origin', branch, 'v2', 'main:refs/heads/extra')
    clone.git('update-ref', 'refs/remotes/origin/gone', 'main')
    const before = clone.git('for-each-ref').split('\n')
    expect(await fetchBranch({ repository: clone.dir, branch })).toEqual({
      kind: 'fetched',
      commit: theirs.commit,
    })
    const added = clone
      .git('for-each-ref')
      .split('\n')
      .filter((line) => !before.includes(line))
    expect(added).toEqual([`${theirs.commit} commit\trefs/remotes/origin/${branch}`])
  })

  test('fetchBranch() says missing where the remote has no such branch', async () => {
    const { clone } = await scene()
    expect(await fetchBranch({ repository: clone.dir, branch: 'nothing' })).toEqual({ kind: 'missing' })
  })
})
