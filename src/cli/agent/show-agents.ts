/** `neo agent status, list, discover, requests`: this home as an agent, the agents it knows, and what they ask. */
import type { ResultOf } from '../../hub/method-table.ts'
import { countOption } from '../option-values.ts'
import { type Cell, dim, type Output, type Style } from '../output.ts'
import { dateText } from '../shown-text.ts'
import type { Call } from '../spec.ts'
import { withHub } from '../with-hub.ts'
import { fingerprintOf } from './agent-block.ts'
import { contextText } from './context-words.ts'

type Listed = ResultOf<'agent.list'>

export function agentStatus(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const listed = await hub.call('agent.list', {})
    call.out.data('agent.status', listed)
    showSelf(call.out, listed.self)
    showAgents(call.out, listed.agents)
    return 0
  })
}

function showSelf(out: Output, self: Listed['self']): void {
  if (self === null) {
    out.line('The agent protocol is off: neo.yaml has no agent.id')
    return
  }
  if (self.auditUntil !== null) out.line({ text: auditText(self.auditUntil), style: 'red' })
  out.heading(`${self.id} (${self.role} of ${self.owner})`)
  out.table([
    ['listens', listening(self)],
    ['endpoint', self.endpoint ?? 'none: set agent.endpoint, so that others know where to reach it'],
    ['fingerprint', self.publicKey === null ? 'no key yet: neo agent keygen' : fingerprintOf(self.publicKey)],
    ['contexts', self.contexts.map((one) => `${contextText(one)} in ${one.roomId}`).join(', ') || 'none'],
  ])
  out.line()
}

/** Loud: what rules refuse can be read while it is on. */
export function auditText(until: string): string {
  return `Audit mode is on until ${dateText(until)}: access rules don't stop agents from reading`
}

function listening({ listening, trouble }: NonNullable<Listed['self']>): Cell {
  if (trouble !== null) return { text: trouble, style: 'red' }
  return listening ?? 'no: it listens while neo watch runs'
}

export function listAgents(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const { agents, personas } = await hub.call('agent.list', {})
    call.out.data('agent.list', agents)
    showAgents(call.out, agents)
    if (personas.length > 0) call.out.note(dim(`Personas: ${personas.map(({ name }) => name).join(', ')}`))
    return 0
  })
}

function showAgents(out: Output, agents: Listed['agents']): void {
  out.table(
    agents.map(({ id, role, owner, status, lastSeenAt, endpoint }) => [
      id,
      role ?? '',
      owner ?? '',
      statusCell(status),
      lastSeenAt === null ? '' : dateText(lastSeenAt),
      endpoint ?? 'no endpoint',
    ]),
    5,
  )
  if (agents.length === 0) out.note('No agents of other homes: neo agent add eng-sato adds one.')
}

const STYLES: Readonly<Record<string, Style>> = { online: 'green', busy: 'yellow', revoked: 'red' }

function statusCell(status: string): Cell {
  return { text: status, style: STYLES[status] ?? 'dim' }
}

/** Exit code 1 if nobody answered. */
export function discover(call: Call): Promise<number> {
  const [agentId] = call.args
  return withHub(call, async (hub) => {
    const found = await hub.call('agent.discover', agentId === undefined ? {} : { agentId }, 'neo agent list')
    call.out.data('agent.discover', found)
    call.out.table(
      found.agents.map(({ id, role, owner, status, endpoint, known }) => [
        id,
        role ?? '',
        owner ?? '',
        statusCell(status),
        endpoint ?? '',
        known ? '' : dim('not added'),
      ]),
      4,
    )
    for (const { agentId: id, why } of found.troubles) call.out.note({ text: id, style: 'red' }, why)
    if (found.agents.length === 0 && found.troubles.length === 0)
      call.out.note('No agent to ask: none that you have added has an endpoint.')
    return found.agents.length === 0 && found.troubles.length > 0 ? 1 : 0
  })
}

export function listRequests(call: Call): Promise<number> {
  const limit = countOption(call, 'limit')
  return withHub(call, async (hub) => {
    const requests = await hub.call('agent.requests', limit === null ? {} : { limit })
    call.out.data('agent.requests', requests)
    call.out.table(
      requests.map(({ at, agentId, kind, status, text, askId, taskId }) => [
        dim(dateText(at)),
        agentId,
        kind,
        requestCell(status),
        text,
        askId ?? taskId ?? '',
      ]),
      4,
    )
    if (requests.length === 0) call.out.note('No agent has asked anything.')
    if (requests.some(({ status }) => status === 'waiting'))
      call.out.note(dim('neo ask show ID shows what waits for you.'))
    return 0
  })
}

function requestCell(status: string): Cell {
  if (status === 'waiting' || status === 'buffered') return { text: status, style: 'yellow' }
  return status === 'refused' || status === 'failed' ? { text: status, style: 'red' } : status
}
