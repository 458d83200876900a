/** What forges have in common: one open pull request a branch, and errors in words without secrets. */
import { describe, expect, test } from 'vitest'
import { accessOf } from '../../../src/adapters/forges/access.ts'
import {
  type Client,
  type ForgeTrouble,
  openPull,
  type Pull,
  pullState,
  titleOf,
  trouble,
} from '../../../src/adapters/forges/rest.ts'

const SECRET = `ghp_${'a1B2'.repeat(9)}`

/** A forge with these pull requests; each `create` takes the next answer. */
function forge(pulls: Pull[], of: { comment?: string | null; appears?: Pull } = {}) {
  const asked: string[] = []
  const client: Client = {
    pulls: async () => [...pulls],
    async create({ title }) {
      asked.push(`create ${title}`)
      if (of.appears === undefined) return { number: 9, url: 'u9', state: 'open' }
      pulls.unshift(of.appears)
      return 'exists'
    },
    async update(number, { title }) {
      asked.push(`update ${number} ${title}`)
      return pulls.find((one) => one.number === number) as Pull
    },
    lastComment: async () => of.comment ?? null,
  }
  return { client, asked }
}

const pull = (number: number, state: Pull['state']): Pull => ({ number, url: `u${number}`, state })
const text = { title: 'T', body: 'B', branch: 'neo/x', base: 'main' }

describe('openPull', () => {
  test.each<readonly [string, Pull[], Pull | undefined, string[], number]>([
    ['there are none', [], undefined, ['create T'], 9],
    ['one is open', [pull(3, 'closed'), pull(2, 'open')], undefined, ['update 2 T'], 2],
    ['all are over', [pull(3, 'merged'), pull(2, 'closed')], undefined, ['create T'], 9],
    ['one appears in between', [], pull(4, 'open'), ['create T', 'update 4 T'], 4],
  ])('where %s', async (_, pulls, appears, calls, number) => {
    const { client, asked } = forge(pulls, appears === undefined ? {} : { appears })
    expect((await openPull(client, text)).number).toBe(number)
    expect(asked).toEqual(calls)
  })

  test('says so where the forge names one and lists none', async () => {
    const { client } = forge([], { appears: pull(4, 'closed') })
    await expect(openPull(client, text)).rejects.toThrow('but lists none')
  })
})

describe('pullState', () => {
  test.each<readonly [string, Pull[], string | null, unknown]>([
    ['none', [], null, null],
    ['an open one behind a closed one', [pull(3, 'closed'), pull(2, 'open')], 'no', pull(2, 'open')],
    ['a merged one', [pull(3, 'merged'), pull(2, 'closed')], 'no', pull(3, 'merged')],
    ['a closed one without words', [pull(3, 'closed')], null, pull(3, 'closed')],
    ['a closed one with empty words', [pull(3, 'closed')], ' \n\u0007', pull(3, 'closed')],
    ['a closed one', [pull(3, 'closed')], 'not\r\n now', { ...pull(3, 'closed'), reason: 'not now' }],
  ])('of %s', async (_, pulls, comment, wanted) => {
    expect(await pullState(forge(pulls, { comment }).client, 'neo/x')).toEqual(wanted)
  })

  test('gives a reason of at most 300 letters, without a secret and without half a sign', async () => {
    const comment = `${SECRET} ${'x'.repeat(270)}${'🙂'.repeat(50)}`
    const state = await pullState(forge([pull(3, 'closed')], { comment }).client, 'neo/x')
    const { reason = '' } = state ?? {}
    expect(reason.length).toBeLessThanOrEqual(300)
    expect(reason).not.toContain(SECRET)
    expect(reason).not.toMatch(/\p{Surrogate}/u)
  })
})

test.each([
  ['a\nb\tc', 'a b c'],
  ['', 'Work of a session'],
  [' \u0000 ', 'Work of a session'],
  ['x'.repeat(400), `${'x'.repeat(239)}…`],
  [`${'x'.repeat(238)}🙂🙂`, `${'x'.repeat(238)}…`],
])('titleOf() of %j', (title, wanted) => {
  expect(titleOf(title)).toBe(wanted)
})

const ACCESS = accessOf('https://github.com/acme/shop', { GITHUB_TOKEN: 't' })
const BARE = accessOf('https://github.com/acme/shop', {})

function told(
  status: number,
  headers: Record<string, string> = {},
  message = '',
  access = ACCESS,
): ForgeTrouble {
  if ('wrong' in access) throw new Error(access.wrong)
  return trouble(access, { status, headers: new Headers(headers) }, message)
}

test.each<readonly [number, Record<string, string>, string, number, string]>([
  [401, {}, '', 401, 'it refuses the token in GITHUB_TOKEN'],
  [403, {}, 'no right', 403, 'the token in GITHUB_TOKEN may not do this: no right'],
  [403, { 'x-ratelimit-remaining': '0' }, '', 429, 'its rate limit is reached'],
  [403, { 'retry-after': '61' }, '', 429, 'its rate limit is reached; it answers again in 2 min'],
  [403, {}, 'API rate limit exceeded', 429, 'its rate limit is reached'],
  [429, { 'retry-after': '0' }, '', 429, 'its rate limit is reached; it answers again in 1 min'],
  [429, { 'retry-after': 'soon' }, '', 429, 'its rate limit is reached'],
  [
    429,
    { 'x-ratelimit-reset': '1700000000' },
    '',
    429,
    'its rate limit is reached; it answers again at 22:13 UTC',
  ],
  [429, { 'ratelimit-reset': '99999999999999999' }, '', 429, 'its rate limit is reached'],
  [429, { 'x-ratelimit-reset': '-5' }, '', 429, 'its rate limit is reached'],
  [404, {}, '', 404, 'there is no acme/shop, or the token in GITHUB_TOKEN may not see it'],
  [503, {}, 'x', 503, 'it is in trouble (503); it is asked again later'],
  [422, {}, 'a\n\u0007 b', 422, 'it refuses (422): a b'],
])('trouble() of %i %j %j', (status, headers, message, code, words) => {
  const error = told(status, headers, message)
  expect([error.status, error.message]).toEqual([code, words])
})

test('trouble() names the variable to set where there is no token', () => {
  expect(told(401, {}, '', BARE).message).toBe('set GITHUB_TOKEN')
  expect(told(404, {}, '', BARE).message).toBe('there is no acme/shop; set GITHUB_TOKEN')
})

test('trouble() shows no secret, and a long answer cut', () => {
  const { message } = told(422, {}, `${SECRET} https://u:word@host/ ${'x'.repeat(500)}`)
  expect(message).not.toMatch(/ghp_a1B2|word/)
  expect(message.length).toBeLessThan(230)
})
