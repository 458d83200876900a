/** What a remote's URL means, and what the body of a pull request may say. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CommandResult } from '../../../src/domain/session/session.ts'
import {
  addressOf,
  forgeKindOf,
  type PullRequestText,
  pullRequestBody,
  topicOf,
  withoutCredentials,
} from '../../../src/domain/text/forge.ts'

describe('addressOf', () => {
  test.each([
    ['https://github.com/acme/shop.git', 'https', 'github.com', 'acme', 'shop', false],
    ['https://github.com/acme/shop', 'https', 'github.com', 'acme', 'shop', false],
    ['https://GitHub.com/acme/shop/', 'https', 'github.com', 'acme', 'shop', false],
    ['https://me:word@github.com/acme/shop.git', 'https', 'github.com', 'acme', 'shop', true],
    ['https://word@github.com/acme/shop.git', 'https', 'github.com', 'acme', 'shop', true],
    ['https://me:w@rd@github.com/acme/shop.git', 'https', 'github.com', 'acme', 'shop', true],
    ['http://me:a@b:c@localhost:3000/acme/shop', 'http', 'localhost:3000', 'acme', 'shop', true],
    ['https://lab.example:443/group/sub/shop.git', 'https', 'lab.example', 'group/sub', 'shop', false],
    ['http://localhost:3000/acme/shop.git', 'http', 'localhost:3000', 'acme', 'shop', false],
    ['git@github.com:acme/shop.git', 'ssh', 'github.com', 'acme', 'shop', false],
    ['git@lab.example:group/sub/shop', 'ssh', 'lab.example', 'group/sub', 'shop', false],
    ['ssh://git@tea.example:2222/acme/shop.git', 'ssh', 'tea.example', 'acme', 'shop', false],
    ['git+ssh://git@tea.example/acme/shop.git', 'ssh', 'tea.example', 'acme', 'shop', false],
    ['git://tea.example/acme/shop.git', 'git', 'tea.example', 'acme', 'shop', false],
    ['git@tea.example:/acme/shop.git', 'ssh', 'tea.example', 'acme', 'shop', false],
  ])('addressOf() reads %s', (url, scheme, host, owner, repo, hasSecret) => {
    expect(addressOf(url)).toEqual({ scheme, host, owner, repo, hasSecret })
  })

  test.each([
    '../shop.git',
    '/srv/git/acme/shop.git',
    'file:///srv/git/acme/shop.git',
    'C:\\git\\shop',
    'C:/git/acme/shop',
    'https://github.com/shop.git',
    'https://github.com/../shop',
    'git@github.com:shop.git',
    'ext::sh -c x',
    '',
  ])('addressOf() gives null for "%s"', (url) => {
    expect(addressOf(url)).toBeNull()
  })
})

describe('forgeKindOf', () => {
  test.each([
    ['github.com', 'github'],
    ['gitlab.com', 'gitlab'],
    ['codeberg.org', 'gitea'],
    ['tea.example', 'gitea'],
    ['github.com.evil.example', null],
    ['gitlab.example', null],
    ['constructor', null],
    ['__proto__', null],
  ])('forgeKindOf() takes %s for %s', (host, kind) => {
    expect(forgeKindOf(host, { 'tea.example': 'gitea' })).toBe(kind)
  })
})

test.each([
  ['fatal: https://me:word@h/x.git gone', 'fatal: https://h/x.git gone'],
  ['https://word@h/x and ssh://git@h/y', 'https://h/x and ssh://h/y'],
  ['https://a:b@c@h/x', 'https://h/x'],
  ['https://h/x?mail=me@h', 'https://h/x?mail=me@h'],
  ['git@h:acme/shop', 'git@h:acme/shop'],
])('withoutCredentials() makes "%s" to "%s"', (text, shown) => {
  expect(withoutCredentials(text)).toBe(shown)
})

test('topicOf() makes one word of a branch', () => {
  expect(topicOf('neo/shop/a b-1')).toBe('neo-shop-a-b-1')
})

const passed: CommandResult = { command: 'npm test', exitCode: 0, ended: 'exit', tail: 'ok', ms: 61_400 }
const failed: CommandResult = {
  command: 'npm run lint',
  exitCode: 2,
  ended: 'exit',
  tail: '3 errors',
  ms: 20,
}

function text(more: Partial<PullRequestText> = {}): PullRequestText {
  return {
    title: 'Fix the login',
    result: 'The login asks twice no more.',
    checks: [passed],
    usage: null,
    transcript: null,
    session: 's-1',
    task: 'shop/login',
    ...more,
  }
}

/** What the result becomes. */
function said(result: string): string {
  return pullRequestBody(text({ result })).split('\n\n**Checks')[0] ?? ''
}

describe('pullRequestBody', () => {
  test('pullRequestBody() says what was done, what was checked, and where it comes from', () => {
    const usage = { input: 1000, cacheRead: 200, cacheWrite: 34, output: 56, source: 'told' } as const
    const transcript = 'rooms/shop/transcripts/s-1.jsonl'
    expect(pullRequestBody(text({ checks: [passed, failed], usage, transcript }))).toBe(
      [
        'The login asks twice no more.',
        '',
        '**Checks:** 1 of 2 passed',
        '',
        '- passed `npm test` (61 s)',
        '- **exit code 2** `npm run lint`',
        '',
        '  ```text',
        '  3 errors',
        '  ```',
        '',
        '',
        '---',
        'Task `shop/login`, session `s-1` · transcript `rooms/shop/transcripts/s-1.jsonl` · 1234 tokens in, 56 out',
        '',
      ].join('\n'),
    )
  })

  test('pullRequestBody() says that no checks were asked for, and the title where there is no result', () => {
    const body = pullRequestBody(text({ result: ' ', checks: [] }))
    expect(body).toMatch(/^Fix the login\n\n\*\*Checks:\*\* none\./)
  })

  test.each([
    ['<script>x</script>', '\\<script\\>x\\</script\\>'],
    ['**bold** _it_ `code`', '\\*\\*bold\\*\\* \\_it\\_ \\`code\\`'],
    ['[a](b) ![c](d)', '\\[a\\](b) \\!\\[c\\](d)'],
    ['# Title\n- list\n1. one\n===', '\\#\u200b Title\n\\- list\n1\\. one\n\\==='],
    ['ask @someone', 'ask @\u200bsomeone'],
    ['closes #12, GH-12', 'closes \\#\u200b12, GH\u200b-12'],
    ['see https://forge/acme/shop/issues/12', 'see https:\u200b//forge/acme/shop/issues/12'],
    ['    indented', 'indented'],
    ['&lt; $x$', '\\&lt; \\$x\\$'],
  ])('pullRequestBody() shows "%s" as it is', (result, shown) => {
    expect(said(result)).toBe(shown)
  })

  test.each([
    ['in /srv/build/shop/src/login.ts', 'in …/login.ts'],
    ['file:///srv/build/x', '…/x'],
    ['of /home/somebody', 'of …'],
    ['under ~/private/key', 'under …/key'],
    ['C:\\Users\\somebody\\shop\\a.ts', '…\\\\a.ts'],
    ['src/domain/text/forge.ts', 'src/domain/text/forge.ts'],
    ['either/or', 'either/or'],
  ])('pullRequestBody() keeps folders of this machine to itself: %s', (result, shown) => {
    expect(said(result)).toBe(shown)
  })

  test('pullRequestBody() masks secrets, in output of checks too', () => {
    const secret = `ghp_${'a1'.repeat(18)}`
    const checks = [{ ...failed, tail: `token=${secret}`, command: `curl https://me:word@h/x` }]
    const body = pullRequestBody(text({ result: secret, checks }))
    expect(body).not.toMatch(/ghp_|word/)
  })

  test('pullRequestBody() keeps output that holds fences inside its own', () => {
    const body = pullRequestBody(text({ checks: [{ ...failed, tail: '```\n@all\n````' }] }))
    expect(body).toContain('  `````text\n  ```\n  @all\n  ````\n  `````')
  })

  test('pullRequestBody() leaves out the outputs rather than become too long', () => {
    const checks = Array.from({ length: 100 }, () => ({ ...failed, tail: 'x'.repeat(4096) }))
    const body = pullRequestBody(text({ checks }))
    expect(body.length).toBeLessThan(60_000)
    expect(body).toContain('**Checks:** 0 of 100 passed')
    expect(body).toContain('- and 40 more')
    expect(body).not.toContain('xxxx')
  })

  test('pullRequestBody() is at most 60,000 characters, mentions nobody and holds no HTML, whatever it is told', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(...'@#<>&`*_[]()!|~\\/: \n\t-=.1aé😀\u0000\u200b'),
      maxLength: 9_000,
    })
    const check = fc.record({
      command: nasty,
      exitCode: fc.option(fc.integer()),
      ended: fc.constantFrom('exit' as const, 'timeout' as const),
      tail: nasty,
      ms: fc.nat(),
    })
    const given = fc.record({
      result: nasty,
      task: nasty,
      session: nasty,
      checks: fc.array(check, { maxLength: 90 }),
    })
    fc.assert(
      fc.property(given, (more) => {
        const body = pullRequestBody(text(more))
        expect(body.length).toBeLessThanOrEqual(60_000)
        const prose = body.split(/(?:^|\n\n)\*\*Checks/)[0] ?? ''
        expect(prose).not.toMatch(/@[\w-]|(?<!\\)[<>`]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])/)
      }),
      { numRuns: 60 },
    )
  })
})
