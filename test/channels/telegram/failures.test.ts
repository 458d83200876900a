/** What errors of Telegram mean, and that none shows the token. */
import { expect, test } from 'vitest'
import { failureOf } from '../../../src/channels/telegram/api.ts'

const TOKEN = '123456:AbC_def-ghi'
const told = (code: number, description: string, parameters: object = {}) =>
  failureOf({ error_code: code, description, parameters }, TOKEN)

test.each([
  [400, "Bad Request: can't parse entities: unclosed tag", 'entities'],
  [400, 'Bad Request: message is too long', 'too-long'],
  [400, 'Bad Request: TEXT IS TOO LONG', 'too-long'],
  [400, 'Bad Request: message text is empty', 'empty'],
  [400, 'Bad Request: text must be non-empty', 'empty'],
  [400, 'Bad Request: message is not modified: …', 'same'],
  [400, 'Bad Request: message thread not found', 'no-thread'],
  [400, 'Bad Request: TOPIC_CLOSED', 'no-thread'],
  [400, 'Bad Request: chat not found', 'gone'],
  [400, 'Bad Request: something new', 'other'],
  [401, 'Unauthorized', 'token'],
  [404, 'Not Found', 'token'],
  [403, 'Forbidden: bot was blocked by the user', 'gone'],
  [409, 'Conflict: terminated by other getUpdates request', 'conflict'],
  [429, 'Too Many Requests', 'flood'],
  [500, 'Internal Server Error', 'server'],
  [502, 'Bad Gateway: chat not found', 'server'],
])('%i %s', (code, description, kind) => {
  expect(told(code, description)).toMatchObject({ kind, why: `Telegram returned ${code}: ${description}` })
})

test('a flood says how long to wait, and 5 s if it does not', () => {
  expect(told(429, 'x', { retry_after: 17 }).afterMs).toBe(17_000)
  expect(told(429, 'x').afterMs).toBe(5_000)
})

test('a group that has moved says where, whatever its number is', () => {
  expect(told(400, 'group chat was upgraded', { migrate_to_chat_id: -100 })).toMatchObject({
    kind: 'moved',
    to: '-100',
  })
})

const coded = (code: string) => Object.assign(new Error('failed'), { code })

test.each([
  ['nobody listens', coded('ECONNREFUSED'), 'network'],
  ['no such name', { error: coded('ENOTFOUND') }, 'network'],
  [
    'a cause that says so',
    Object.assign(new Error('fetch failed'), { cause: coded('EAI_AGAIN') }),
    'network',
  ],
  ['a line that broke', coded('ECONNRESET'), 'unsure'],
  ['no answer in time', { error: Object.assign(new Error('aborted'), { name: 'AbortError' }) }, 'unsure'],
  ['a file that is gone', { error: coded('ENOENT') }, 'gone'],
  ['a page of a gateway', new SyntaxError('Unexpected token <'), 'server'],
  [
    'a page, as the library has it',
    { error: Object.assign(new Error('x'), { type: 'invalid-json' }) },
    'server',
  ],
  ['nothing at all', undefined, 'unsure'],
  ['a text', 'failed', 'unsure'],
])('%s', (_, error, kind) => {
  expect(failureOf(error, TOKEN).kind).toBe(kind)
})

test.each([
  ['in words of Telegram', { error_code: 400, description: `no ${TOKEN} here` }],
  ['in an address', new Error(`request to https://api.telegram.org/bot${TOKEN}/sendMessage failed`)],
  ['of another bot', new Error('https://api.telegram.org/bot999:zzz_yyy/getMe')],
])('the token %s is hidden', (_, error) => {
  const { why } = failureOf(error, TOKEN)
  expect(why).not.toMatch(/123456:AbC|999:zzz/)
  expect(why).toContain('***')
})
