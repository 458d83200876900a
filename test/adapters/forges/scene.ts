/** What tests of forges begin with: a forge of a kind with git behind it, or one for looking only. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openForges } from '../../../src/adapters/forges/forges.ts'
import type { ForgeKind } from '../../../src/domain/text/forge.ts'
import { fakeForge } from './forge-server.ts'
import { git, gitServer } from './git-server.ts'

export const branch = 'neo/shop/a-1'
export const TOKEN = 'word-that-nobody-may-see'
export const forges = openForges({ requestMs: 60_000, gitMs: 60_000 })
/** For a forge that never answers. */
export const hurried = openForges({ requestMs: 1_000, gitMs: 20_000 })

const NAMES = {
  github: { host: 'GH_HOST', token: 'GITHUB_TOKEN', api: 'NEO_GITHUB_API', path: '' },
  gitlab: { host: 'GITLAB_HOST', token: 'GITLAB_TOKEN', api: 'NEO_GITLAB_API', path: '' },
  gitea: { host: 'GITEA_HOST', token: 'GITEA_TOKEN', api: 'NEO_GITEA_API', path: '/v1' },
} as const

/** A forge of that kind: git over http, which asks for the token as a login, and its API. */
export async function scene(kind: ForgeKind, options: { token?: 'none'; login?: 'none' } = {}) {
  const users = { github: 'x-access-token', gitlab: 'oauth2', gitea: 'neo' }
  const server = await gitServer(options.login === 'none' ? undefined : `${users[kind]}:${TOKEN}`)
  const forge = await fakeForge()
  const clone = server.clone('clone')
  clone.git('remote', 'set-url', 'origin', server.url)
  const commit = clone.commit(branch, 'a.txt', 'one\n')
  const names = NAMES[kind]
  const env = {
    [names.host]: server.host,
    [names.api]: `${forge.origin}${names.path}`,
    ...(options.token === 'none' ? {} : { [names.token]: TOKEN }),
  }
  const place = { repository: clone.dir, folder: '', base: 'main' }
  const open = (title = 'Fix the login', body = 'It is fixed.') =>
    forges.open({ place, branch, title, body, env })
  const state = () => forges.state({ place, branch, env })
  const tip = () => git(server.bare, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`)
  return { server, forge, clone, commit, env, place, open, state, tip }
}

/** A forge without git behind it: for looking only. */
export async function looking(kind: ForgeKind, through = forges) {
  const forge = await fakeForge()
  const dir = mkdtempSync(join(tmpdir(), 'neo-forge-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  git(dir, 'init', '-q', '-b', 'main')
  git(dir, 'remote', 'add', 'origin', 'git@forge.example:acme/shop.git')
  const names = NAMES[kind]
  const env = {
    [names.host]: 'forge.example',
    [names.token]: TOKEN,
    [names.api]: `${forge.origin}${names.path}`,
  }
  const state = () => through.state({ place: { repository: dir, folder: '', base: 'main' }, branch, env })
  return { forge, dir, env, state }
}
