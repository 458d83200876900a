// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables are what must stay readable.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redact } from '../../../src/domain/secrets/redact.ts'
import { cpuMs } from '../../wait.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const long = (length: number): string => 'aB3dE5gH7jK9mN1pQ2sT4vX6zA8cD0fG'.repeat(4).slice(0, length)
const SECRETS: readonly (readonly [what: string, secret: string])[] = [
  ['an OpenAI key', `sk-${long(40)}`],
  ['an OpenAI project key', `sk-proj-${long(60)}`],
  ['an Anthropic key', `sk-ant-api03-${long(80)}`],
  ['a Stripe key', `sk_live_${long(24)}`],
  ['a GitHub token', `ghp_${long(36)}`],
  ['a GitHub app token', `ghs_${long(36)}`],
  ['a fine-grained GitHub token', `github_pat_${long(50)}`],
  ['a GitLab token', `glpat-${long(20)}`],
  ['an AWS key id', `AKIA${'ABCDEFGH12345678'}`],
  ['a Slack token', `xoxb-${'123456789012'}-${long(24)}`],
  ['a Google key', `AIza${long(35)}`],
  ['an npm token', `npm_${long(36)}`],
  ['a Telegram bot token', `123456789:AA${long(33)}`],
  ['a JWT', `eyJ${long(20)}.eyJ${long(30)}.${long(43)}`],
]

describe('redact', () => {
  test.each(SECRETS)('masks %s wherever it stands', (_what, secret) => {
    for (const text of [
      secret,
      `use ${secret}, please`,
      `"${secret}"`,
      `A=${secret}\n`,
      `https://x/?k=${secret}&b`,
      `(${secret})`,
    ])
      expect(redact(text)).not.toContain(secret.slice(8))
  })

  test.each([
    ['Authorization: Bearer abcdef123456', 'Authorization: Bearer ***'],
    ['authorization: basic dXNlcjpwYXNz', 'authorization: basic ***'],
    ['-H "Authorization: Bearer abc.def-123"', '-H "Authorization: Bearer ***"'],
    ['password=hunter22 next', 'password=*** next'],
    ['DB_PASSWORD: hunter22', 'DB_PASSWORD: ***'],
    ['"api_key": "abcd efgh"', '"api_key": "***"'],
    ["token = 'abcd'", "token = '***'"],
    ['client_secret=>abcdef', 'client_secret=>***'],
    ['AWS_SECRET_ACCESS_KEY=abc/def+ghi', 'AWS_SECRET_ACCESS_KEY=***'],
    ['postgres://ana:hunter2@db/x', 'postgres://ana:***@db/x'],
    ['https://:hunter2@host', 'https://:***@host'],
    ['--password hunter22', '--password ***'],
    ['passwd: "a b c d"', 'passwd: "***"'],
  ])('masks the value in %j', (text, masked) => {
    expect(redact(text)).toBe(masked)
  })

  test('masks a private key block, also one that is cut off', () => {
    const block = `-----BEGIN RSA PRIVATE KEY-----\n${long(64)}\n${long(64)}\n-----END RSA PRIVATE KEY-----`
    expect(redact(`a\n${block}\nb`)).toBe('a\n***\nb')
    expect(redact(`a\n${block.slice(0, 100)}`)).toBe('a\n***')
    expect(redact(block.replaceAll('RSA ', 'OPENSSH '))).toBe('***')
  })

  test.each([
    'the token was not found',
    'Write the password to the file',
    'token: ${TOKEN}',
    'api_key: "${ANTHROPIC_API_KEY}"',
    'password: null',
    'token=***',
    'secret: <your secret>',
    'max_tokens: 8192',
    'token: process.env.TOKEN',
    'https://example.org:8080/a@b',
    'task-sk-short',
    'basic setup of a bearer',
    'plain text',
    'a basic understanding of bearer certificates',
    '',
  ])('leaves %j as it is', (text) => {
    expect(redact(text)).toBe(text)
  })

  test('gives the same when it runs again', () => {
    const parts = fc.oneof(
      fc.constantFrom(...SECRETS.map(([, secret]) => secret)),
      fc.constantFrom(
        'password',
        'token',
        'secret',
        '=',
        ': ',
        '"',
        "'",
        '***',
        'Bearer ',
        '://a:',
        '@',
        ' ',
        '\n',
        'abcdef',
        '${X}',
        '-----BEGIN PRIVATE KEY-----',
      ),
      fc.string({ maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 10 }), (all) => {
        const once = redact(all.join(''))
        expect(redact(once)).toBe(once)
      }),
      { numRuns: 3000 },
    )
  })

  test.each([
    'sk-',
    'eyJ',
    'password=',
    '://a:',
    '-----BEGIN PRIVATE KEY-----',
    'token ',
    'a_',
    '1:AA',
    'xox',
  ])('stays linear over many of %j', (part) => {
    const took = cpuMs(() => {
      redact(part.repeat(20_000))
      redact(`token=${part}`.repeat(10_000))
    })
    expect(took).toBeLessThan(5_000)
  })
})
