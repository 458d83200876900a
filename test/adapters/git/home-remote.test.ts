/** The home's remote: both sides counted, brought together without loss, pushed without force. */
import { expect, test } from 'vitest'
import { openHomeRemote } from '../../../src/adapters/git/remote/home-remote.ts'
import { type Clone, type GitServer, git, gitServer } from '../forges/git-server.ts'

async function scene() {
  const server = await gitServer()
  return { server, clone: server.clone('clone') }
}

function tipAt(server: GitServer): string {
  return git(server.bare, 'rev-parse', 'refs/heads/main')
}

const remote = openHomeRemote()
const at = (clone: Clone) => ({ home: clone.dir, branch: 'main' })

test('look() counts both sides, and gives null without a remote', async () => {
  const { server, clone } = await scene()
  const theirs = server.clone('theirs')
  const commit = theirs.commit('main', 'b.txt', 'b\n')
  theirs.git('push', '-q', 'origin', 'main')
  clone.commit('main', 'c.txt', 'c\n')
  expect(await remote.look(at(clone))).toMatchObject({ kind: 'known', commit, ahead: 1, behind: 1 })
  clone.git('remote', 'remove', 'origin')
  expect(await remote.look(at(clone))).toBeNull()
})

test('push() adds what the remote lacks, and forces nothing where it has moved', async () => {
  const { server, clone } = await scene()
  clone.commit('main', 'c.txt', 'c\n')
  const theirs = server.clone('theirs')
  const commit = theirs.commit('main', 'b.txt', 'b\n')
  expect(await remote.push(at(clone))).toMatchObject({ kind: 'pushed' })
  expect(await remote.push(at(theirs))).toEqual({ kind: 'moved' })
  expect(tipAt(server)).not.toBe(commit)
})

test('forward() brings branch, index and files along, and leaves staged work of others', async () => {
  const { server, clone } = await scene()
  const theirs = server.clone('theirs')
  const commit = theirs.commit('main', 'b.txt', 'b\n')
  theirs.git('push', '-q', 'origin', 'main')
  await remote.look(at(clone))
  clone.write('mine.txt', 'staged\n')
  clone.git('add', 'mine.txt')
  expect(await remote.forward({ ...at(clone), commit })).toEqual({ kind: 'forwarded' })
  expect([clone.git('rev-parse', 'main'), clone.git('status', '--porcelain')]).toEqual([
    commit,
    'A  mine.txt',
  ])
})

test('forward() waits over a path that a person is editing, ignored ones included', async () => {
  const { server, clone } = await scene()
  const theirs = server.clone('theirs')
  const commit = theirs.commit('main', 'b.txt', 'b\n')
  theirs.git('push', '-q', 'origin', 'main')
  await remote.look(at(clone))
  clone.write('.git/info/exclude', 'b.txt\n')
  clone.write('b.txt', 'a person wrote this\n')
  expect(await remote.forward({ ...at(clone), commit })).toEqual({
    kind: 'waits',
    why: 'sync waits: you are editing b.txt; commit the change, or put it aside with git stash',
  })
})

test('look() says new where the remote has no such branch, and what is wrong where there is no answer', async () => {
  const { clone } = await scene()
  expect(await remote.look({ home: clone.dir, branch: 'other' })).toEqual({ kind: 'new' })
  clone.git('remote', 'set-url', 'origin', 'http://127.0.0.1:1/acme/shop.git')
  expect(await remote.look(at(clone))).toEqual({ wrong: expect.stringContaining("can't connect to") })
})

test('forward() waits where HEAD is elsewhere, or a merge is under way', async () => {
  const { clone } = await scene()
  const commit = clone.git('rev-parse', 'main')
  clone.git('checkout', '-q', '-b', 'elsewhere')
  expect(await remote.forward({ ...at(clone), commit })).toMatchObject({ kind: 'waits' })
  clone.git('checkout', '-q', 'main')
  clone.write('.git/MERGE_HEAD', `${commit}\n`)
  expect(await remote.forward({ ...at(clone), commit })).toEqual({
    kind: 'waits',
    why: 'sync waits: a merge is under way',
  })
})

test('join() makes one commit of two with the same content, and refuses where they differ', async () => {
  const { server, clone } = await scene()
  const theirs = server.clone('theirs')
  const same = theirs.commit('main', 'b.txt', 'b\n')
  theirs.git('push', '-q', 'origin', 'main')
  clone.git('config', 'user.name', 'Another')
  clone.commit('main', 'b.txt', 'b\n')
  await remote.look(at(clone))
  expect(await remote.join({ ...at(clone), commit: same, message: 'join' })).toEqual({ kind: 'joined' })
  expect(clone.git('status', '--porcelain')).toBe('')
  expect(await remote.push(at(clone))).toMatchObject({ kind: 'pushed' })
  const more = theirs.commit('main', 'c.txt', 'c\n')
  clone.git('fetch', '-q', theirs.dir, 'main')
  expect(await remote.join({ ...at(clone), commit: more, message: 'join' })).toEqual({ kind: 'moved' })
})

test('mark() and unmark() leave no branch behind', async () => {
  const { clone } = await scene()
  const commit = clone.git('rev-parse', 'main')
  expect(await remote.mark({ ...at(clone), commit })).toBe('neo/sync/main')
  await remote.unmark(at(clone))
  expect(clone.git('branch', '--format=%(refname:short)')).toBe('main')
})
