/** Pull requests without a token: opened by a push alone, where the forge can. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pullFor } from './forge-server.ts'
import { git } from './git-server.ts'
import { branch, scene } from './scene.ts'

const bare = { token: 'none', login: 'none' } as const

test('GitHub is said to need one, and nothing is pushed', async () => {
  const { open, tip } = await scene('github', bare)
  expect(await open()).toEqual({ wrong: expect.stringContaining('set GH_ENTERPRISE_TOKEN') })
  expect(tip()).toBe('')
})

test('GitLab opens one by push options', async () => {
  const { server, commit, open, tip } = await scene('gitlab', bare)
  server.hook('pre-receive', 'env | grep ^GIT_PUSH_OPTION > options')
  server.hook(
    'post-receive',
    'echo "View merge request for it:"; echo "  https://lab/acme/shop/-/merge_requests/12"',
  )
  const opened = await open('Fix the login', '# It\n\nis fixed')
  expect(opened).toEqual({ url: 'https://lab/acme/shop/-/merge_requests/12', number: 12, state: 'open' })
  expect(tip()).toBe(commit)
  const options = readOptions(server.bare)
  expect(options).toContain('=merge_request.create\n')
  expect(options).toContain('=merge_request.title=Fix the login\n')
  expect(options).toContain('=merge_request.description=# It is fixed\n')
})

test('Gitea opens one by a push for review', async () => {
  const { server, commit, open, tip } = await scene('gitea', bare)
  server.hook('pre-receive', 'env | grep ^GIT_PUSH_OPTION > options; cat > refs-seen')
  server.hook(
    'post-receive',
    'echo "Visit the existing pull request:"; echo "  https://tea/acme/shop/pulls/3"',
  )
  expect(await open()).toEqual({ url: 'https://tea/acme/shop/pulls/3', number: 3, state: 'open' })
  expect(tip()).toBe('')
  expect(git(server.bare, 'rev-parse', 'refs/for/main')).toBe(commit)
  expect(readOptions(server.bare)).toContain('=topic=neo-shop-a-1\n')
})

test('an open one that everybody may see is found where the push names none', async () => {
  const { forge, open } = await scene('gitlab', bare)
  forge.pulls.push(pullFor(branch))
  expect(await open()).toMatchObject({ number: 7 })
  expect(forge.requests.map(({ line }) => line.split(' ')[0])).toEqual(['GET'])
})

test('a server that takes no push options is said', async () => {
  const { server, open } = await scene('gitlab', bare)
  git(server.bare, 'config', 'receive.advertisePushOptions', 'false')
  expect(await open()).toEqual({ wrong: "origin doesn't support push options" })
})

function readOptions(bare: string): string {
  return readFileSync(join(bare, 'options'), 'utf8')
}
