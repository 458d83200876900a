/** The access rules as a table, and a try-out: who may see this? */
import { useState } from 'preact/hooks'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf } from '../../store/routes.ts'
import type { PeerAgent, Rule, Rules } from './agent-types.ts'
import { WhoMaySee } from './who-may-see.tsx'

interface AccessRulesProps {
  readonly rules: Rules
  readonly agents: readonly PeerAgent[]
}

export function AccessRules({ rules, agents }: AccessRulesProps) {
  const [matched, setMatched] = useState<string | null>(null)
  return (
    <section class="section" aria-label="Access rules">
      <h2>Access rules</h2>
      <p class="soft small">
        The most specific rule decides. Without a rule, the permission is{' '}
        <span class="strong">{visible(rules.default)}</span>. Rules are under <code>access</code> in{' '}
        <a href={addressOf('file', 'neo.yaml')}>neo.yaml</a>.
      </p>
      {rules.rules.length === 0 ? (
        <p class="soft no-rules">No rules yet.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
        <section class="table-scroll" aria-label="Rules" tabIndex={0}>
          <table class="table rules-table">
            <thead>
              <tr>
                <th scope="col">Rule</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">Permission</th>
                <th scope="col">Ends</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {rules.rules.map((rule) => (
                <RuleRow key={rule.rule} rule={rule} isMatched={rule.rule === matched} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      <WhoMaySee rules={rules} agents={agents} onMatched={setMatched} />
    </section>
  )
}

function RuleRow({ rule, isMatched }: { readonly rule: Rule; readonly isMatched: boolean }) {
  const { scopeType, pattern, permission, expiresAt, reason, grantedBy, auto, tasks } = rule
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return (
    <tr data-matched={isMatched} data-over={isOver}>
      <th scope="row">{numberOf(rule.rule)}</th>
      <td>{whoOf(rule)}</td>
      <td>
        {scopeType === '*' ? 'anything' : visible(scopeType)} <code>{visible(pattern)}</code>
      </td>
      <td>
        {visible(permission)}
        {auto ? <span class="label">answers without approval</span> : null}
        {tasks.length === 0 ? null : <p class="soft small">tasks: {tasks.map(visible).join(', ')}</p>}
      </td>
      <td class="rule-end">
        {expiresAt === null ? (
          <span class="soft">never</span>
        ) : (
          <>
            {isOver ? 'ended ' : ''}
            <Time at={expiresAt} />
          </>
        )}
      </td>
      <td class="rule-why">
        {reason === null ? '' : visible(reason)}
        {grantedBy === null ? null : <span class="soft small"> by {visible(grantedBy)}</span>}
      </td>
    </tr>
  )
}

/** `access.rules[0]` is rule 0, as in the documentation. */
export function numberOf(rule: string): string {
  const [, at] = /\[(\d+)\]$/.exec(rule) ?? []
  return at === undefined ? visible(rule) : at
}

export function whoOf({ agentId, agentRole }: Rule): string {
  const who = agentId === '*' ? 'every agent' : visible(agentId)
  return agentRole === null ? who : `${who} with role ${visible(agentRole)}`
}
