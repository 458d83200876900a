/** Which forge a remote is, at which address, and whose token it gets: a token belongs to one host alone. */
import { describe, expect, test } from 'vitest'
import { accessOf, loginOf } from '../../../src/adapters/forges/access.ts'

type Env = Readonly<Record<string, string>>

describe('accessOf', () => {
  test.each<readonly [string, Env, object]>([
    [
      'https://github.com/a/b.git',
      { GITHUB_TOKEN: 't' },
      { kind: 'github', api: 'https://api.github.com', token: 't', tokenName: 'GITHUB_TOKEN' },
    ],
    ['git@github.com:a/b.git', { GH_TOKEN: 'u' }, { token: 'u', tokenName: 'GH_TOKEN' }],
    ['git@github.com:a/b.git', { GITHUB_TOKEN: '  ', GH_TOKEN: 'u' }, { token: 'u' }],
    ['git@github.com:a/b.git', {}, { token: null, tokenName: 'GITHUB_TOKEN' }],
    [
      'https://git.firm.example/a/b',
      { GH_HOST: 'git.firm.example', GITHUB_TOKEN: 't' },
      { kind: 'github', api: 'https://git.firm.example/api/v3', token: 't' },
    ],
    [
      'https://git.firm.example/a/b',
      { GH_HOST: 'https://GIT.firm.example/x', GH_ENTERPRISE_TOKEN: 'e', GITHUB_TOKEN: 't' },
      { token: 'e', tokenName: 'GH_ENTERPRISE_TOKEN' },
    ],
    ['https://gitlab.com/g/s/b', { GITLAB_TOKEN: 't' }, { kind: 'gitlab', api: 'https://gitlab.com/api/v4' }],
    ['https://codeberg.org/a/b', { FORGEJO_TOKEN: 't', GITEA_TOKEN: 'no' }, { kind: 'gitea', token: 't' }],
    ['http://localhost:3000/a/b', { GITEA_HOST: 'localhost:3000' }, { api: 'http://localhost:3000/api/v1' }],
    ['http://git.local/a/b', { GITEA_HOST: 'git.local' }, { api: 'https://git.local/api/v1' }],
    [
      'http://git.local/a/b',
      { GITEA_HOST: 'git.local', NEO_GITEA_API: 'http://x/api//' },
      { api: 'http://x/api' },
    ],
  ])('of %s with %j', (url, env, wanted) => {
    expect(accessOf(url, env)).toMatchObject(wanted)
  })

  test.each<readonly [string, Env]>([
    ['https://github.com.evil.example/a/b', { GITHUB_TOKEN: 't' }],
    ['https://gitlab.firm.example/a/b', { GITLAB_TOKEN: 't', GITHUB_TOKEN: 't' }],
    ['https://github.com/a/b', { GITLAB_TOKEN: 't', GH_ENTERPRISE_TOKEN: 't', GITEA_TOKEN: 't' }],
    ['https://github.com/a/b', { GH_HOST: 'other.example', GH_ENTERPRISE_TOKEN: 't' }],
  ])('lends %s no token of another host', (url, env) => {
    const access = accessOf(url, env)
    expect('wrong' in access ? null : access.token).toBeNull()
  })

  test.each([
    ['/srv/git/b.git', 'is no forge'],
    ['https://u:secret@unknown.example/a/b', 'nobody knows what kind of forge unknown.example is'],
  ])('says what is wrong with %s, without a login', (url, words) => {
    const access = accessOf(url, {})
    expect(access).toEqual({ wrong: expect.stringContaining(words) })
    expect(JSON.stringify(access)).not.toContain('secret')
  })
})

describe('loginOf', () => {
  const of = (url: string, env: Env) => {
    const access = accessOf(url, env)
    return 'wrong' in access ? access : loginOf(access)
  }
  test.each<readonly [string, Env, unknown]>([
    [
      'https://github.com/a/b',
      { GITHUB_TOKEN: 't' },
      { origin: 'https://github.com', user: 'x-access-token', token: 't' },
    ],
    [
      'https://gitlab.com/a/b',
      { GITLAB_TOKEN: 't' },
      { origin: 'https://gitlab.com', user: 'oauth2', token: 't' },
    ],
    ['https://github.com/a/b', {}, null],
    ['git@github.com:a/b', { GITHUB_TOKEN: 't' }, null],
    ['https://me:word@github.com/a/b', { GITHUB_TOKEN: 't' }, null],
  ])('of %s with %j is %j', (url, env, wanted) => {
    expect(of(url, env)).toEqual(wanted)
  })
})
