/** What neo.yaml says of Telegram. */
import { expect, test } from 'vitest'
import { readMember } from '../../../src/files/kinds/read-member.ts'
import { readSettings } from './telegram-home.ts'

test.each([[123], ['123'], [' 123 '], ['123\n'], ['telegram:123'], [' telegram: 123']])(
  'allow_from takes %j for the account 123',
  (entry) => {
    const rest = { channels: { telegram: { enabled: true, token: '1:abcdefgh', allow_from: [entry] } } }
    expect(readSettings({ rest }, {})).toMatchObject({ kind: 'on', allowFrom: ['123'] })
  },
)

test.each(['123', ' 123 ', 'telegram:123'])(
  'a member whose file names the account "%s" has the account 123',
  (account) => {
    const read = readMember('kim.md', `---\nchannels: { telegram: "${account}" }\n---\n`)
    expect(read).toMatchObject({ kind: 'ok', value: { channels: { telegram: '123' } } })
  },
)

const TOKEN = '123456:AbC_def-ghi'
const read = (more: object, env: Readonly<Record<string, string>> = {}) =>
  readSettings(
    { rest: { channels: { telegram: { enabled: true, token: TOKEN, allow_from: [1], ...more } } } },
    env,
  )

test.each([
  ['no section', {}],
  ['an empty section', { channels: {} }],
  ['one that is not enabled', { channels: { telegram: { token: TOKEN } } }],
  ['one that says "yes"', { channels: { telegram: { enabled: 'yes', token: TOKEN } } }],
])('Telegram is off with %s', (_, rest) => {
  expect(readSettings({ rest }, {})).toEqual({ kind: 'off' })
})

test.each([
  ['no token', { token: undefined }, 'TELEGRAM_BOT_TOKEN'],
  ['an empty token', { token: '' }, 'TELEGRAM_BOT_TOKEN'],
  ['a name that was not filled in', { token: '$TELEGRAM_BOT_TOKEN' }, 'copy <number>:<letters>'],
  ['a token with text around it', { token: `bot${TOKEN}` }, 'copy <number>:<letters>'],
  ['a name among accounts', { allow_from: [1, '@kim'] }, 'names can change hands'],
  ['a proxy that is no address', { proxy: 'localhost' }, 'invalid proxy'],
  ['a proxy of another kind', { proxy: 'socks5://localhost:1080' }, 'invalid proxy'],
])('%s is refused, and the reason shows no token', (_, more, why) => {
  const found = read(more)
  expect(found).toMatchObject({ kind: 'wrong', why: expect.stringContaining(why) })
  expect(JSON.stringify(found)).not.toContain('AbC_def')
})

const PROXY = 'http://proxy:3128'

test.each([
  ['none is named', {}, {}, null],
  ['neo.yaml names one', { proxy: 'https://own:1' }, { HTTPS_PROXY: PROXY }, 'https://own:1'],
  ['the environment names one', {}, { HTTPS_PROXY: PROXY }, PROXY],
  ['it does so in small letters', {}, { https_proxy: PROXY }, PROXY],
  ['it is empty', {}, { HTTPS_PROXY: '' }, null],
  ['Telegram is spared', {}, { HTTPS_PROXY: PROXY, NO_PROXY: 'a.org, .telegram.org' }, null],
  ['a name that ends alike is spared', {}, { HTTPS_PROXY: PROXY, NO_PROXY: 'gram.org' }, PROXY],
  ['everything is spared', {}, { HTTPS_PROXY: PROXY, no_proxy: '*' }, null],
  ['an empty name is spared', {}, { HTTPS_PROXY: PROXY, NO_PROXY: ',' }, PROXY],
  ['the API is plain HTTP', { api_root: 'http://localhost:8081' }, { HTTPS_PROXY: PROXY }, null],
  ['the API has no address', { api_root: 'nowhere' }, { HTTPS_PROXY: PROXY }, null],
])('the proxy, if %s', (_, more, env, proxy) => {
  expect(read(more, env)).toMatchObject({ kind: 'on', settings: { proxy } })
})

test('the address of the API has no slash at its end', () => {
  expect(read({ api_root: 'http://localhost:8081//' })).toMatchObject({
    settings: { apiRoot: 'http://localhost:8081' },
  })
})
