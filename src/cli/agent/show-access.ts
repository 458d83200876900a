/** `neo access check, rules`: what agents of other homes may read and do. Rules are changed in neo.yaml only. */
import type { HubClient } from '../../client/hub-client.ts'
import type { ResultOf } from '../../hub/method-table.ts'
import { type Cell, dim } from '../output.ts'
import { dateText } from '../shown-text.ts'
import type { Call } from '../spec.ts'
import { withHub } from '../with-hub.ts'
import { contextOf } from './context-words.ts'
import { auditText } from './show-agents.ts'

/** What an action needs. */
const NEEDS = {
  read: 'read',
  write: 'write',
  'context.read': 'read',
  'query.send': 'read',
  'context.write': 'write',
  'task.execute': 'write',
} as const

/** Exit code 5 if it is refused. */
export function checkAccess(call: Call): Promise<number> {
  const [agentId = '', action = '', resource = ''] = call.args
  const wants = Object.hasOwn(NEEDS, action) ? NEEDS[action as keyof typeof NEEDS] : (action as 'read')
  return withHub(call, async (hub) => {
    const { type: resourceType, identifier } = contextOf(resource)
    const params = { agentId, action: wants, resourceType, resource: identifier }
    const decision = await hub.call('access.check', params, 'neo access check eng-sato read acme/webapp')
    const { allowed, reason } = decision
    call.out.data('access.check', decision)
    call.out.line({ text: allowed ? 'allowed' : 'refused', style: allowed ? 'green' : 'red' }, reason)
    await noteIgnored(call, hub)
    return allowed ? 0 : REFUSED
  })
}

const REFUSED = 5

export function listRules(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const access = await hub.call('access.rules', {})
    call.out.data('access.rules', access)
    if (access.auditUntil !== null) call.out.line({ text: auditText(access.auditUntil), style: 'red' })
    call.out.table(access.rules.map(ruleRow), 3)
    call.out.line(`Without a rule: ${access.default}`)
    await noteIgnored(call, hub)
    return 0
  })
}

/** Rules that are in the file and don't count look like rules that are missing. */
async function noteIgnored(call: Call, hub: HubClient): Promise<void> {
  const { problems } = await hub.call('status.global', {})
  const own = problems.find(({ file, severity }) => file === 'neo.yaml' && severity === 'error')
  if (own !== undefined) call.out.note({ text: 'neo.yaml', style: 'red' }, `${own.message}: ${own.hint}`)
}

type Rule = ResultOf<'access.rules'>['rules'][number]

function ruleRow(one: Rule): Cell[] {
  return [
    dim(one.rule),
    whoText(one),
    one.permission,
    one.scopeType === '*' ? one.pattern : `${one.scopeType} ${one.pattern}`,
    one.expiresAt === null ? '' : `until ${dateText(one.expiresAt)}`,
    one.auto ? 'auto' : '',
    one.tasks.join(', '),
    dim(one.reason ?? ''),
  ]
}

function whoText({ agentId, agentRole }: Rule): string {
  const role = agentRole === null ? null : `role ${agentRole}`
  if (agentId === '*') return role ?? 'every agent'
  return role === null ? agentId : `${agentId} with ${role}`
}
