/** Access rules: the cases of the table, and what holds for all rules. */
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { accessPage } from '../../../scripts/access-page.ts'
import { auditUntil, decideAccess } from '../../../src/domain/peer/access-rules.ts'
import { normalContext } from '../../../src/domain/peer/contexts.ts'
import { patternCovers, wrongPattern } from '../../../src/domain/peer/pattern-match.ts'
import {
  type AccessRule,
  CONTEXT_TYPES,
  type ContextRef,
  PEER_PRIORITIES,
  PERMISSION_LEVELS,
} from '../../../src/domain/peer/peer.ts'
import { cpuMs } from '../../wait.ts'
import { AGENT, CHAPTERS, NOON, ref, rule } from './access-table.ts'

const cases = CHAPTERS.flatMap(({ title, cases: all }) =>
  all.map(
    (one) =>
      [title, `${one.wants} ${one.scope.map(({ identifier }) => identifier).join(', ')}`, one] as const,
  ),
)

describe('decideAccess', () => {
  test.each(cases)('%s: %s', (_title, _request, one) => {
    const { allowed, audited, permission, rule: by, reason } = decideAccess({ ...AGENT, ...one, now: NOON })
    const result = audited ? 'audited' : allowed ? 'allowed' : 'refused'
    const want = one.rule === null ? null : `access.rules[${one.rule}]`
    expect({ result, permission, rule: by }).toEqual({
      result: one.result,
      permission: one.permission,
      rule: want,
    })
    expect(reason).toContain(want ?? '')
    expect(reason).not.toBe('')
  })

  test('docs/access-rules.md is made of these cases', () => {
    expect(readFileSync('docs/access-rules.md', 'utf8')).toBe(accessPage())
  })

  test('what goes with a rule counts only if all rules that decided have it', () => {
    const scope = [ref('repository:acme/webapp'), ref('repository:acme/docs')]
    const more = { agentId: 'eng-sato', permission: 'write' } as const
    const rules = [
      rule({ ...more, pattern: 'acme/webapp', auto: true, priority: 'high', tasks: ['fix', 'test'] }),
      rule({ ...more, pattern: 'acme/docs', auto: false, priority: 'low', tasks: ['test'] }),
    ]
    const both = {
      ...AGENT,
      scope,
      wants: 'write',
      access: { default: 'none', auditSince: null, rules },
      now: NOON,
    } as const
    expect(decideAccess(both)).toMatchObject({ auto: false, priority: 'low', tasks: ['test'] })
    expect(decideAccess({ ...both, scope: scope.slice(0, 1) })).toMatchObject({
      auto: true,
      priority: 'high',
      tasks: ['fix', 'test'],
    })
  })

  test('says in words who decided', () => {
    const rules = [rule({ agentRole: 'engineer', pattern: 'acme/*', permission: 'read' })]
    const access = { default: 'none', auditSince: null, rules } as const
    const scope = [ref('repository:acme/webapp')]
    expect(decideAccess({ ...AGENT, scope, wants: 'write', access, now: NOON }).reason).toBe(
      'access.rules[0] gives agents with role engineer read on repository acme/webapp; write is needed',
    )
    expect(
      decideAccess({ ...AGENT, scope, wants: 'read', access: { ...access, rules: [] }, now: NOON }).reason,
    ).toBe('no rule covers repository acme/webapp; access.default is none; read is needed')
  })

  test('a start of audit mode that is no time does not count', () => {
    expect(auditUntil({ auditSince: 'yesterday' }, NOON)).toBeNull()
    expect(auditUntil({ auditSince: '2026-03-01T11:00:00Z' }, NOON)).toBe(Date.parse('2026-03-02T11:00:00Z'))
  })
})

const name = fc.constantFrom('acme', 'webapp', 'src', 'a.ts', 'web', '日本', 'é')
const repository = fc.tuple(name, name).map((names) => names.join('/'))
const path = fc
  .tuple(repository, fc.array(name, { minLength: 1, maxLength: 3 }))
  .map(([repo, names]) => [repo, ...names].join('/'))
const context: fc.Arbitrary<ContextRef> = fc.oneof(
  repository.map((identifier) => ({ type: 'repository', identifier }) as const),
  path.map((identifier) => ({ type: 'folder', identifier }) as const),
  path.map((identifier) => ({ type: 'file', identifier }) as const),
  fc
    .tuple(repository, fc.integer({ min: 1, max: 20 }))
    .map(([repo, n]) => ({ type: 'issue', identifier: `${repo}#${n}` }) as const),
)
const piece = fc.constantFrom('acme', 'webapp', 'src', '*', '**', 'web*', '*.ts', 'a**', 'webapp#*')
const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('/'))
const anyRule: fc.Arbitrary<AccessRule> = fc.record(
  {
    agentId: fc.constantFrom('eng-sato', 'pm-ana', '*'),
    scopeType: fc.constantFrom('*' as const, ...CONTEXT_TYPES),
    pattern: fc.oneof(
      pattern,
      context.map(({ identifier }) => identifier),
    ),
    permission: fc.constantFrom(...PERMISSION_LEVELS),
    auto: fc.boolean(),
    priority: fc.constantFrom(...PEER_PRIORITIES),
    tasks: fc.subarray(['fix', 'test']),
    agentRole: fc.constantFrom('engineer', 'qa'),
    expiresAt: fc.constantFrom('2026-03-01T11:00:00Z', '2026-03-01T13:00:00Z'),
  },
  { requiredKeys: ['agentId', 'scopeType', 'pattern', 'permission', 'auto', 'priority', 'tasks'] },
)
const request = fc.record({
  wants: fc.constantFrom('read' as const, 'write' as const),
  scope: fc.array(context, { minLength: 1, maxLength: 3 }),
  rules: fc.array(anyRule, { maxLength: 6 }),
  default: fc.constantFrom('none' as const, 'read' as const),
  auditSince: fc.constantFrom(null, '2026-03-01T11:00:00Z'),
})
type Request = typeof request extends fc.Arbitrary<infer T> ? T : never

function decide({ wants, scope, ...access }: Request) {
  return decideAccess({ ...AGENT, wants, scope, access, now: NOON })
}

const rank = (permission: AccessRule['permission']) => PERMISSION_LEVELS.indexOf(permission)

describe('access rules', () => {
  test('a rule with a lower permission, for the same agents and pattern, never raises access', () => {
    fc.assert(
      fc.property(request, fc.nat(), fc.nat(), (given, at, lower) => {
        const first = given.rules[at % Math.max(1, given.rules.length)]
        fc.pre(first !== undefined)
        const permission = PERMISSION_LEVELS[lower % (rank(first.permission) + 1)] ?? 'none'
        const more = { ...given, rules: [...given.rules, { ...first, permission }] }
        expect(rank(decide(more).permission)).toBeLessThanOrEqual(rank(decide(given).permission))
      }),
      { numRuns: 1000 },
    )
  })

  test('the order of rules does not matter', () => {
    fc.assert(
      fc.property(request, (given) => {
        const plain = ({ rule: _rule, reason: _reason, tasks, ...rest }: ReturnType<typeof decide>) => ({
          ...rest,
          tasks: [...tasks].sort(),
        })
        expect(plain(decide({ ...given, rules: given.rules.toReversed() }))).toEqual(plain(decide(given)))
      }),
      { numRuns: 1000 },
    )
  })

  test('an expired rule is the same as none', () => {
    fc.assert(
      fc.property(request, anyRule, (given, one) => {
        const expired = { ...one, expiresAt: '2026-03-01T12:00:00Z' }
        expect(decide({ ...given, rules: [...given.rules, expired] })).toEqual(decide(given))
      }),
      { numRuns: 500 },
    )
  })

  test('several contexts get no more than each of them', () => {
    fc.assert(
      fc.property(request, (given) => {
        const each = given.scope.map((one) => decide({ ...given, scope: [one] }))
        const together = decide(given)
        expect(rank(together.permission)).toBe(Math.min(...each.map(({ permission }) => rank(permission))))
        expect(together.allowed).toBe(each.every(({ allowed }) => allowed))
      }),
      { numRuns: 500 },
    )
  })

  test('nothing is allowed beyond write, and audit mode allows no writing', () => {
    fc.assert(
      fc.property(request, (given) => {
        const { permission, allowed, audited } = decide(given)
        expect(['none', 'read', 'write']).toContain(permission)
        expect(audited && (given.wants === 'write' || !allowed)).toBe(false)
      }),
      { numRuns: 500 },
    )
  })

  test('a pattern that begins with a repository matches nothing outside of it', () => {
    fc.assert(
      fc.property(context, pattern, fc.constantFrom('*' as const, ...CONTEXT_TYPES), (one, rest, type) => {
        const inside = /^acme\/webapp(?:[/#]|$)/.test(one.identifier)
        if (patternCovers(type, `acme/webapp/${rest}`, one)) expect(inside).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('what a rule covers is the same before and after normalising the context', () => {
    fc.assert(
      fc.property(context, pattern, (one, given) => {
        const decomposed = { ...one, identifier: one.identifier.normalize('NFD') }
        const normal = normalContext(decomposed)
        expect(normal).toEqual({ ...one, identifier: one.identifier.normalize('NFC') })
        const access = {
          default: 'none',
          auditSince: null,
          rules: [rule({ pattern: given, permission: 'read' })],
        } as const
        const of = (scope: ContextRef) =>
          decideAccess({ ...AGENT, scope: [scope], wants: 'read', access, now: NOON }).permission
        expect(of(decomposed)).toBe(of(one))
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['*a'.repeat(200), 'a'.repeat(400)],
    [`${'**/'.repeat(150)}b`, `${'a/'.repeat(200)}a`],
    [`${'**a'.repeat(150)}b`, 'a'.repeat(480)],
  ])('a hostile pattern costs no more than its length times that of the text', (hostile, text) => {
    const one: ContextRef = { type: 'file', identifier: `acme/webapp/${text}` }
    expect(cpuMs(() => patternCovers('file', `acme/webapp/${hostile}`, one))).toBeLessThan(8_000)
  })
})

describe('wrongPattern', () => {
  test.each([
    ['repository', 'acme/webapp', null],
    ['repository', 'acme/*', null],
    ['repository', '**', null],
    ['repository', 'acme/webapp/src', /matches no repository/],
    ['folder', 'acme', /matches no folder/],
    ['file', 'acme/webapp', /matches no file/],
    ['issue', 'acme/webapp#*', null],
    ['*', '*', /matches no context/],
    ['*', 'acme/{a,b}', /contains \{; only \* and \*\* have a meaning/],
    ['*', '!acme/webapp', /contains !/],
    ['*', 'acme/../x', /contains \. or \.\. as a name/],
  ] as const)('%s %s: %s', (type, given, wrong) => {
    if (wrong === null) expect(wrongPattern(type, given)).toBeNull()
    else expect(wrongPattern(type, given)).toMatch(wrong)
  })
})
