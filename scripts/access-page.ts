/** docs/access-rules.md as text: scripts/api-docs.mjs writes it, test/domain/peer/access-rules.test.ts compares it. */
import type { AccessRule, ContextRef } from '../src/domain/peer/peer.ts'
import { type AccessCase, type AccessChapter, CHAPTERS } from '../test/domain/peer/access-table.ts'

const HEAD = `# Access rules, case by case

Agents of other homes can read and do only what \`access.rules\` in neo.yaml allows ([reference.md](reference.md#neoyaml)). This page
shows how the rules decide. A test checks each row: \`npx tsx scripts/api-docs.mjs\` makes this page from the table of that test.

\`\`\`yaml
access:
  default: none
  audit_mode: off
  rules:
    - agent_id: eng-sato            # or agent_role: engineer, or agent_id: "*"
      scope_type: repository        # repository, folder, file, issue; default: all types
      pattern: acme/webapp          # * stops at /, ** does not
      permission: read              # none, read, write, admin
      expires_at: 2026-06-01T00:00:00Z
      auto: true                    # answers may be sent without your approval
      priority: high                # the highest priority that its queries can have
      tasks: [fix-bug]              # with write: templates that it may start
\`\`\`

The identifier of a repository has two parts, owner and name, such as \`acme/webapp\`. A folder or file is the repository and a path: \`acme/webapp/src/login.ts\`.
An issue is \`acme/webapp#12\`.

\`neo access check eng-sato read file:acme/webapp/src/login.ts\` shows which rule decides for an agent.

In the tables, the request comes from the agent \`eng-sato\` with the role \`engineer\`, at noon on 1 March 2026 (UTC). Rules are
numbered from 0, as in the audit log.
`

export function accessPage(): string {
  return [HEAD, ...CHAPTERS.map(chapterText)].join('\n')
}

function chapterText({ title, text, cases }: AccessChapter): string {
  const rows = cases.map((one) => `| ${[rulesText(one), requestText(one), resultText(one), one.why].join(' | ')} |`)
  return `## ${title}\n\n${text}\n\n| rules | request | result | why |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

function rulesText({ access }: AccessCase): string {
  const lines = access.rules.map((rule, at) => `${access.rules.length > 1 ? `${at}: ` : ''}${ruleText(rule)}`)
  if (access.default !== 'none') lines.push(`default: \`${access.default}\``)
  if (access.auditSince !== null) lines.push(`audit mode since ${access.auditSince}`)
  return lines.length === 0 ? 'none' : lines.join('<br>')
}

function ruleText({ agentId, agentRole, scopeType, pattern, permission, expiresAt }: AccessRule): string {
  const role = agentRole === undefined ? null : `role \`${agentRole}\``
  const who = agentId === '*' ? (role ?? 'everybody') : [`\`${agentId}\``, role].filter((one) => one !== null).join(' with ')
  const what = scopeType === '*' ? `\`${pattern}\`` : `${scopeType} \`${pattern}\``
  return `${who}: \`${permission}\` on ${what}${expiresAt === undefined ? '' : ` until ${expiresAt}`}`
}

function requestText({ wants, scope }: AccessCase): string {
  return scope.length === 0 ? `${wants}, no context` : `${wants} ${scope.map(contextText).join(', ')}`
}

function contextText({ type, identifier }: ContextRef): string {
  return `${type} \`${identifier}\``
}

function resultText({ result, rule, permission }: AccessCase): string {
  const by = rule === null ? '' : ` by rule ${rule}`
  return `${result}${by} (\`${permission}\`)`
}
