/** Agents of other homes: our own agent, those that we know, what they may see, and what they have asked. */
import '../../style/settings.css'
import '../../style/schedules.css'
import '../../style/agents.css'
import { useState } from 'preact/hooks'
import { Button, Empty } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf } from '../../store/routes.ts'
import { may, me } from '../../store/session.ts'
import { AccessRules } from './access-rules.tsx'
import { AddPeer } from './add-peer.tsx'
import type { AskedQuestion, PeerAgent, Persona } from './agent-types.ts'
import { AskedQuestions } from './asked-questions.tsx'
import { OwnAgentCard } from './own-agent.tsx'
import { PeerCard } from './peer-card.tsx'
import { PeerRequests } from './peer-requests.tsx'
import { useAgents } from './use-agents.ts'

export function AgentsView() {
  const mayLook = may('see-home')
  const { data, error } = useAgents(mayLook)
  const [isAdding, setAdding] = useState(false)
  if (me.value === null) return <div class="view" aria-busy="true" />
  if (!mayLook) return <Empty title="Only the owner sees the agents of this home." />
  if (data === null)
    return error === null ? <div class="view" aria-busy="true" /> : <Empty title={visible(error)} />
  const { list, rules, requests, asked } = data
  return (
    <div class="view agents">
      <header class="view-head row spread">
        <h1>Agents</h1>
        {list.self === null ? null : (
          <Button tone="primary" icon="plus" onClick={() => setAdding(true)}>
            Add an agent
          </Button>
        )}
      </header>
      {rules.auditUntil === null ? null : <AuditMode until={rules.auditUntil} />}
      <OwnAgentCard self={list.self} />
      {list.self === null && list.agents.length === 0 ? null : (
        <>
          <Peers agents={list.agents} asked={asked} isOn={list.self !== null} />
          <AskedQuestions asked={asked} />
          <PeerRequests requests={requests} />
          <AccessRules rules={rules} agents={list.agents} />
        </>
      )}
      <Personas personas={list.personas} />
      {isAdding ? <AddPeer onClose={() => setAdding(false)} /> : null}
    </div>
  )
}

function AuditMode({ until }: { readonly until: string }) {
  return (
    <div class="audit-mode" role="alert">
      <Icon name="warning" />
      <div class="stack">
        <p class="strong">Audit mode is on: agents can read more than your rules allow.</p>
        <p>
          Every agent that you have added can read everything that you share. Access rules for reading are
          only logged. It ends by itself <Time at={until} />. To end it now, set{' '}
          <code>access.audit_mode: off</code> in <a href={addressOf('file', 'neo.yaml')}>neo.yaml</a>.
        </p>
      </div>
    </div>
  )
}

interface PeersProps {
  readonly agents: readonly PeerAgent[]
  readonly asked: readonly AskedQuestion[]
  readonly isOn: boolean
}

function Peers({ agents, asked, isOn }: PeersProps) {
  const sorted = agents.toSorted(
    (a, b) => Number(a.status === 'revoked') - Number(b.status === 'revoked') || a.id.localeCompare(b.id),
  )
  return (
    <section class="section" aria-label="Agents of other homes">
      <h2>Agents of other homes</h2>
      {sorted.length === 0 ? (
        <p class="soft">
          None yet. Add the agent of somebody you work with: then it can ask you, and you can ask it.
        </p>
      ) : (
        <ul class="peers">
          {sorted.map((peer) => (
            <PeerCard key={peer.id} peer={peer} asked={asked} isOn={isOn} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Personas({ personas }: { readonly personas: readonly Persona[] }) {
  if (personas.length === 0) return null
  return (
    <section class="section" aria-label="Personas">
      <h2>Personas</h2>
      <p class="soft small">Roles that workers of this home take. They are not agents of others.</p>
      <ul class="persona-list">
        {personas.map(({ name, description, path }) => (
          <li key={path}>
            <a href={addressOf('file', path)}>{visible(name)}</a>{' '}
            <span class="soft wrap">{visible(description)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
