/** Tries the access rules out: an agent, an action and a resource; the answer in words, with the rule that decides. */
import { useState } from 'preact/hooks'
import { Button } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { visible } from '../../parts/text.ts'
import { call } from '../../store/rpc.ts'
import { numberOf, whoOf } from './access-rules.tsx'
import { ChoiceField } from './agent-fields.tsx'
import type { ContextRef, Decided, PeerAgent, Rules } from './agent-types.ts'
import { ContextField } from './context-field.tsx'

interface WhoMaySeeProps {
  readonly rules: Rules
  readonly agents: readonly PeerAgent[]
  readonly onMatched: (rule: string | null) => void
}

const ACTIONS = { read: 'ask about it', write: 'hand over tasks in it' } as const
type Action = keyof typeof ACTIONS

interface Tried {
  readonly agentId: string
  readonly action: Action
  readonly context: ContextRef
}

export function WhoMaySee({ rules, agents, onMatched }: WhoMaySeeProps) {
  const [tried, setTried] = useState<Tried>({
    agentId: '',
    action: 'read',
    context: { type: 'repository', identifier: '' },
  })
  const [decided, setDecided] = useState<(Decided & { readonly of: Tried }) | null>(null)
  const [first] = agents
  if (first === undefined) return null
  // Agents come and go while the view is open.
  const agentId = agents.some(({ id }) => id === tried.agentId) ? tried.agentId : first.id
  const change = (part: Partial<Tried>) => {
    setTried((before) => ({ ...before, ...part }))
    setDecided(null)
    onMatched(null)
  }
  const check = async () => {
    const { action, context } = tried
    const resource = { resourceType: context.type, resource: context.identifier.trim() }
    const answer = await call<Decided>('access.check', { agentId, action, ...resource })
    setDecided({ ...answer, of: { ...tried, agentId } })
    onMatched(answer.matchedRule)
  }
  return (
    <section class="card stack who-may-see" aria-label="Who may see this?">
      <h3>Who may see this?</h3>
      <div class="row fields-row">
        <ChoiceField
          label="Agent"
          value={agentId}
          choices={Object.fromEntries(agents.map(({ id }) => [id, id]))}
          onChange={(id) => change({ agentId: id })}
        />
        <ChoiceField
          label="Wants to"
          value={tried.action}
          choices={ACTIONS}
          onChange={(action) => change({ action })}
        />
      </div>
      <ContextField value={tried.context} known={[]} onChange={(context) => change({ context })} />
      <div class="row end">
        <Button disabled={tried.context.identifier.trim() === ''} onClick={check}>
          Check
        </Button>
      </div>
      <div aria-live="polite">{decided === null ? null : <Verdict decided={decided} rules={rules} />}</div>
    </section>
  )
}

interface VerdictProps {
  readonly decided: Decided & { readonly of: Tried }
  readonly rules: Rules
}

function Verdict({ decided: { allowed, permission, matchedRule, reason, of }, rules }: VerdictProps) {
  const { agentId, action, context } = of
  const rule = rules.rules.find((one) => one.rule === matchedRule)
  const verb = action === 'read' ? 'ask about' : 'hand over tasks in'
  const isAudited = allowed && permission === 'none'
  const gives =
    matchedRule === null
      ? `No rule is about it. The permission is ${permission}.`
      : `Rule ${numberOf(matchedRule)} decides${rule === undefined ? '' : ` (${whoOf(rule)}, ${visible(rule.pattern)})`}: it gives ${permission}.`
  return (
    <div class="verdict" data-allowed={allowed}>
      <p class="strong wrap">
        <Icon name={allowed ? 'check' : 'close'} /> {allowed ? 'Yes' : 'No'}: {visible(agentId)}{' '}
        {allowed ? 'may' : 'may not'} {verb} {context.type} {visible(context.identifier.trim())}.
      </p>
      <p class="small wrap">{isAudited ? 'Only because audit mode is on.' : gives}</p>
      {reason === '' ? null : <p class="soft small wrap">{visible(reason)}</p>}
    </div>
  )
}
