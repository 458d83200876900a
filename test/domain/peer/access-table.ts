/**
 * The cases of access rules: test/domain/peer/access-rules.test.ts holds the code to them, and docs/access-rules.md is
 * made of them. The request comes from agent `eng-sato` with role `engineer`, at noon on 1 March 2026 UTC.
 */
import type { AccessDecision } from '../../../src/domain/peer/access-rules.ts'
import type { AccessConfig, AccessRule, ContextRef } from '../../../src/domain/peer/peer.ts'

export const AGENT = { agentId: 'eng-sato', role: 'engineer' } as const
export const NOON = Date.parse('2026-03-01T12:00:00Z')

export interface AccessCase {
  readonly access: AccessConfig
  readonly wants: 'read' | 'write'
  readonly scope: readonly ContextRef[]
  readonly result: string
  readonly permission: AccessDecision['permission']
  /** Index of the rule that decides. */
  readonly rule: number | null
  readonly why: string
}

export interface AccessChapter {
  readonly title: string
  readonly text: string
  readonly cases: readonly AccessCase[]
}

/**
 * A row is `rules | request | result permission rule | why`. A rule: `WHO PERMISSION PATTERN [as TYPE] [until TIME]`; who:
 * `eng-sato`, `role:engineer`, both with `+`, or `*`.
 */
function chapter(title: string, text: string, rows: readonly string[]): AccessChapter {
  return { title, text, cases: rows.map(caseOf) }
}

function caseOf(row: string): AccessCase {
  const [rules = '', request = '', outcome = '', why = ''] = row.split('|').map((cell) => cell.trim())
  const [wants, ...contexts] = request.split(/,? /)
  const [result = '', permission, at] = outcome.split(' ')
  return {
    access: accessOf(rules.split('; ').filter((one) => one !== '')),
    wants: wants as AccessCase['wants'],
    scope: contexts.map(ref),
    result,
    permission: permission as AccessCase['permission'],
    rule: at === undefined ? null : Number(at),
    why,
  }
}

function accessOf(lines: readonly string[]): AccessConfig {
  const setting = (name: string) => lines.find((one) => one.startsWith(name))?.slice(name.length)
  return {
    default: (setting('default ') ?? 'none') as AccessConfig['default'],
    auditSince: setting('audit since ') ?? null,
    rules: lines.filter((one) => !/^(?:default|audit) /.test(one)).map(ruleOf),
  }
}

function ruleOf(line: string): AccessRule {
  const [who = '', permission, pattern = '', ...more] = line.split(' ')
  const after = (word: string) => (more.includes(word) ? more[more.indexOf(word) + 1] : undefined)
  const agentRole = /role:(\w+)/.exec(who)?.[1]
  const expiresAt = after('until')
  return rule({
    agentId: who.startsWith('role:') ? '*' : who.replace(/\+.*/, ''),
    permission: permission as AccessRule['permission'],
    pattern,
    scopeType: (after('as') ?? '*') as AccessRule['scopeType'],
    ...(agentRole === undefined ? {} : { agentRole }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  })
}

/** For every agent and all types, unless it says otherwise. */
export function rule(given: Partial<AccessRule> & Pick<AccessRule, 'permission' | 'pattern'>): AccessRule {
  return { agentId: '*', scopeType: '*', auto: false, priority: 'normal', tasks: [], ...given }
}

/** `repository:acme/webapp` */
export function ref(text: string): ContextRef {
  const at = text.indexOf(':')
  return { type: text.slice(0, at) as ContextRef['type'], identifier: text.slice(at + 1) }
}

export const CHAPTERS: readonly AccessChapter[] = [
  chapter('Default', 'Without a rule, `access.default` decides. It is `none` unless you set it.', [
    ' | read repository:acme/webapp | refused none | No rule, and the default is `none`.',
    'eng-sato read acme/shop | read repository:acme/webapp | refused none | The only rule is for another repository.',
    'default read | read repository:acme/webapp | allowed read | The default is `read`.',
    'eng-sato none acme/webapp; default read | read repository:acme/webapp | refused none 0 | A rule comes before the default.',
    'eng-sato read acme/webapp | read | refused none | A request without contexts never means all of them.',
  ]),
  chapter(
    'Permission',
    'Queries need `read`; tasks need `write`. For agents of other homes, `admin` gives the same as `write`.',
    [
      'eng-sato read acme/webapp | read repository:acme/webapp | allowed read 0 | `read` is enough.',
      'eng-sato read acme/webapp | write repository:acme/webapp | refused read 0 | `read` is not enough.',
      'eng-sato write acme/webapp | read repository:acme/webapp | allowed write 0 | `write` includes `read`.',
      'eng-sato admin acme/webapp | write repository:acme/webapp | allowed write 0 | `admin` gives no more than `write`.',
    ],
  ),
  chapter(
    'What a rule covers',
    'A rule for a repository covers its folders, files and issues. A rule for a folder covers what is below it. Without `scope_type`, a rule is for all types.',
    [
      'eng-sato read acme/webapp as repository | read file:acme/webapp/src/login.ts | allowed read 0 | The file is in the repository.',
      'eng-sato read acme/webapp as repository | read issue:acme/webapp#12 | allowed read 0 | So is the issue.',
      'eng-sato read acme/webapp as repository | read repository:acme/webapp-old | refused none | A name that only begins the same is another repository.',
      'eng-sato read acme/webapp/src as folder | read file:acme/webapp/src/login.ts | allowed read 0 | The file is in the folder.',
      'eng-sato read acme/webapp/src as folder | read folder:acme/webapp/src/auth | allowed read 0 | A folder in it, too.',
      'eng-sato read acme/webapp/src as folder | read repository:acme/webapp | refused none | The repository is more than the folder.',
      'eng-sato read acme/webapp/src as folder | read file:acme/webapp/src-old/a.ts | refused none | Another folder.',
      'eng-sato read acme/webapp/src/login.ts as file | read folder:acme/webapp/src | refused none | A rule for a file covers only the file.',
      'eng-sato read acme/webapp#12 as issue | read issue:acme/webapp#1 | refused none | Another issue.',
      'eng-sato read acme/webapp | read repository:acme/webapp, file:acme/webapp/src/login.ts, issue:acme/webapp#12 | allowed read 0 | No `scope_type`: all types.',
    ],
  ),
  chapter(
    'Patterns',
    '`*` is any text without `/`. `**` is any text, and `/**/` also matches a single `/`. All other characters match themselves. Matching is case-sensitive.',
    [
      'eng-sato read acme/* | read repository:acme/webapp | allowed read 0 | `*` is the name of the repository.',
      'eng-sato read acme/web* | read file:acme/webapp/src/login.ts | allowed read 0 | The pattern names the repository, and the file is in it.',
      'eng-sato read acme/webapp/*.ts as file | read file:acme/webapp/src/login.ts | refused none | `*` stops at `/`.',
      'eng-sato read acme/webapp/**.ts as file | read file:acme/webapp/src/login.ts | allowed read 0 | `**` does not.',
      'eng-sato read acme/webapp/**/login.ts as file | read file:acme/webapp/login.ts | allowed read 0 | `**` as a name may be no name.',
      'eng-sato read acme/webapp/**/login.ts as file | read file:acme/webapp/src/xlogin.ts | refused none | After `**/`, a whole name begins.',
      'eng-sato read ** | read repository:acme/webapp | allowed read 0 | Everything.',
      'eng-sato read * | read repository:acme/webapp | refused none | `*` stops at `/`. In neo.yaml, this pattern is an error.',
      'eng-sato read acme/webapp#* as issue | read issue:acme/webapp#12 | allowed read 0 | All issues of the repository.',
      'eng-sato read Acme/webapp | read repository:acme/webapp | refused none | Case differs.',
    ],
  ),
  chapter(
    'The most specific rule decides',
    'Neo compares rules in this order: a rule for the agent, then for its role, then for everybody. Next, the longer pattern decides. If they are equal, the lower permission decides. The order in the file does not matter.',
    [
      '* none acme/webapp/src/**; eng-sato read acme/webapp | read file:acme/webapp/src/login.ts | allowed read 1 | The rule names the agent, so its shorter pattern does not matter.',
      '* read acme/webapp; role:engineer none acme/webapp | read repository:acme/webapp | refused none 1 | The role comes before everybody.',
      'role:engineer none acme/webapp; eng-sato write acme/webapp | write repository:acme/webapp | allowed write 1 | The agent comes before its role.',
      'role:qa read acme/webapp | read repository:acme/webapp | refused none | Another role.',
      'eng-sato+role:qa write acme/webapp | read repository:acme/webapp | refused none | A rule with an id and a role applies only if both match.',
      'eng-sato read acme/webapp; eng-sato none acme/webapp/secrets | read file:acme/webapp/secrets/a.txt | refused none 1 | The longer pattern.',
      'eng-sato none acme/webapp; eng-sato read acme/webapp/docs | read file:acme/webapp/docs/a.md | allowed read 1 | The longer pattern, here to allow.',
      'eng-sato write acme/webapp; eng-sato read acme/webapp | write repository:acme/webapp | refused read 1 | A tie: the lower permission.',
    ],
  ),
  chapter('Time', 'A rule with `expires_at` has no effect from that time.', [
    'eng-sato read acme/webapp until 2026-03-01T12:00:01Z | read repository:acme/webapp | allowed read 0 | One second is left.',
    'eng-sato read acme/webapp until 2026-03-01T12:00:00Z | read repository:acme/webapp | refused none | The rule has expired.',
    'eng-sato none acme/webapp until 2026-02-28T00:00:00Z; * read acme/webapp | read repository:acme/webapp | allowed read 1 | An expired refusal does not count either.',
  ]),
  chapter(
    'Several contexts',
    'Each context of a request must be allowed. The context with the lowest permission decides.',
    [
      'eng-sato write acme/webapp; eng-sato read acme/docs | write repository:acme/webapp, repository:acme/docs | refused read 1 | `write` is missing for the second one.',
      'eng-sato write acme/webapp; eng-sato read acme/docs | read repository:acme/webapp, repository:acme/docs | allowed read 1 | Both can be read.',
      'eng-sato read acme/webapp | read repository:acme/webapp, repository:acme/docs | refused none | No rule covers the second one.',
    ],
  ),
  chapter(
    'Spelling of contexts',
    'A context has one spelling. Anything else is refused, even if a rule would match it.',
    [
      'eng-sato read ** | read file:acme/webapp/../shop/a.ts | refused none | `..` is refused.',
      'eng-sato read ** | read file:acme/webapp/%2e%2e/a.ts | refused none | So is a percent-encoded character.',
      'eng-sato read ** | read file:acme//webapp/a.ts | refused none | So is an empty name.',
      'eng-sato read ** | read file:/acme/webapp/a.ts | refused none | So is an absolute path.',
      'eng-sato read ** | read file:acme\\webapp\\a.ts | refused none | So is a backslash.',
      'eng-sato read ** | read repository:acme/webapp/src | refused none | A repository has two names.',
    ],
  ),
  chapter(
    'Audit mode',
    'To try rules out, set `audit_mode` to the current time, such as `2026-03-01T12:00:00Z`. For 24 hours, Neo allows reading that the rules refuse, and logs it.',
    [
      'audit since 2026-03-01T11:00:00Z | read repository:acme/webapp | audited none | Allowed, and the log says that no rule covers it.',
      'eng-sato none acme/webapp; audit since 2026-03-01T11:00:00Z | read repository:acme/webapp | audited none 0 | Allowed, and the log names the rule.',
      'eng-sato read acme/webapp; audit since 2026-03-01T11:00:00Z | write repository:acme/webapp | refused read 0 | Writing is never allowed by audit mode.',
      'audit since 2026-02-28T12:00:00Z | read repository:acme/webapp | refused none | It ended 24 hours after its start.',
      'audit since 2026-03-01T12:00:01Z | read repository:acme/webapp | refused none | Its start is in the future.',
      'audit since 2026-03-01T11:00:00Z | read file:acme/webapp/../a.ts | refused none | Not a context.',
    ],
  ),
]
