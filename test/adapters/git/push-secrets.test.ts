/** A push looks for the values of secrets first, in each commit that the remote does not have. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pushBranch } from '../../../src/adapters/git/remote/remote.ts'
import { learnSecret } from '../../../src/domain/secrets/known-secrets.ts'
import { type Clone, git, gitServer } from '../forges/git-server.ts'

const branch = 'neo/shop/a-1'

/** A server, and a clone of it whose branch has one commit more than main. */
async function scene() {
  const server = await gitServer()
  const clone = server.clone('clone')
  clone.commit(branch, 'a.txt', 'one\n')
  const push = () => pushBranch({ repository: clone.dir, branch, expect: '' })
  return { server, clone, push }
}

const VALUE = 'Lk3xQv9ZtR7mWp2s'

function commitAs(clone: Clone, { message = 'm', name = 'a', email = 'a@localhost' }): void {
  const who = ['-c', `user.name=${name}`, '-c', `user.email=${email}`]
  const id = clone.git(...who, 'commit-tree', '-p', branch, '-m', message, `${branch}^{tree}`).trim()
  clone.git('update-ref', `refs/heads/${branch}`, id)
}

test.each([
  ['in a file', (clone: Clone) => clone.commit(branch, 'k.txt', `key ${VALUE}\n`), 'k.txt'],
  [
    'in base64',
    (clone: Clone) => clone.commit(branch, 'k.txt', Buffer.from(VALUE).toString('base64')),
    'k.txt',
  ],
  [
    'in a commit that a later one undoes',
    (clone: Clone) => {
      clone.commit(branch, 'k.txt', `${VALUE}\n`)
      clone.commit(branch, 'k.txt', 'gone\n')
    },
    'k.txt',
  ],
  ['in a path', (clone: Clone) => clone.commit(branch, `k-${VALUE}.txt`, 'x\n'), 'k-***.txt'],
  [
    'broken over lines',
    (clone: Clone) => clone.commit(branch, 'k.txt', `${VALUE.slice(0, 7)}\\\r\n  ${VALUE.slice(7)}`),
    'k.txt',
  ],
  [
    'behind a replaced object',
    (clone: Clone) => {
      clone.commit(branch, 'k.txt', 'clean\n')
      const clean = clone.git('rev-parse', `${branch}:k.txt`).trim()
      clone.commit(branch, 'k.txt', `${VALUE}\n`)
      clone.git('replace', clone.git('rev-parse', `${branch}:k.txt`).trim(), clean)
    },
    'k.txt',
  ],
  [
    'in a commit that a graft hides',
    (clone: Clone) => {
      clone.commit(branch, 'k.txt', `${VALUE}\n`)
      clone.commit(branch, 'k.txt', 'gone\n')
      const [tip, base] = [branch, 'main'].map((name) => clone.git('rev-parse', name).trim())
      writeFileSync(join(clone.dir, '.git/info/grafts'), `${tip} ${base}\n`)
    },
    'k.txt',
  ],
  ['in UTF-16', (clone: Clone) => clone.commit(branch, 'k.txt', [...VALUE].join('\0')), 'k.txt'],
  ['in a message', (clone: Clone) => commitAs(clone, { message: VALUE }), 'the message of a commit'],
  ['in an author', (clone: Clone) => commitAs(clone, { name: `x ${VALUE}` }), 'the author of a commit'],
  [
    'in an address',
    (clone: Clone) => commitAs(clone, { email: `${VALUE}@localhost` }),
    'the author of a commit',
  ],
])('%s sends nothing', async (_, write, says) => {
  const { server, clone, push } = await scene()
  write(clone)
  learnSecret(VALUE)
  const result = await push()
  expect(result).toMatchObject({ kind: 'rejected', reason: 'refused', why: expect.stringContaining(says) })
  expect(JSON.stringify(result)).not.toContain(VALUE)
  expect(git(server.bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`)).toBe('')
})

test('a branch whose name holds one is not sent, and not named', async () => {
  const { clone } = await scene()
  clone.git('branch', `neo/${VALUE}`, branch)
  learnSecret(VALUE)
  const result = await pushBranch({ repository: clone.dir, branch: `neo/${VALUE}`, expect: '' })
  expect(result).toMatchObject({ kind: 'rejected', why: expect.stringContaining('the name of the branch') })
  expect(JSON.stringify(result)).not.toContain(VALUE)
})

test('that the remote has already hinders no push', async () => {
  const { clone, push } = await scene()
  clone.commit('main', 'k.txt', `${VALUE}\n`)
  clone.git('push', '-q', 'origin', 'main')
  learnSecret(VALUE)
  clone.git('branch', '-f', branch, 'main')
  clone.commit(branch, 'a.txt', 'more\n')
  expect(await push()).toMatchObject({ kind: 'pushed' })
})
