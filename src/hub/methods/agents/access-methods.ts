/** access.*: what the access rules for agents of other homes say. They are changed in neo.yaml alone. */
import { z } from 'zod'
import { normalContext } from '../../../domain/peer/contexts.ts'
import { AGENT_ACTIONS, CONTEXT_TYPES, PERMISSION_LEVELS } from '../../../domain/peer/peer.ts'
import { peerIn } from '../../../engine/people/peer-files.ts'
import { type HubEnv, look, method } from '../../env.ts'
import { aboutHome } from '../../views/about.ts'
import { badParams } from '../../hub.ts'
import { shown } from '../../views/views.ts'
import { agentId, auditEnd, ruleView } from './agent-shapes.ts'
import { accessOf } from './asked-contexts.ts'

const text = z.string()

export const accessRules = method({
  name: 'access.rules',
  summary: 'List access rules for agents',
  details: 'As they are in `neo.yaml`, under `access`. The most specific rule decides.',
  params: z.strictObject({}),
  result: z.strictObject({
    default: z.enum(PERMISSION_LEVELS),
    auditUntil: text.nullable().describe('Until then rules for reading are logged, not enforced'),
    rules: z.array(ruleView),
  }),
  act: 'see-home',
  resource: aboutHome,
  run: async (env) => {
    const { access } = (await look(env)).config
    return {
      default: access.default,
      auditUntil: auditEnd(access, env.context.world.clock.now()),
      rules: access.rules.map((rule, at) => ({
        rule: `access.rules[${at}]`,
        ...shown(rule, ['agentId', 'agentRole', 'scopeType', 'pattern', 'permission', 'expiresAt', 'reason']),
        ...shown(rule, ['grantedBy', 'auto', 'priority', 'tasks']),
      })),
    }
  },
})

const WRITES: ReadonlySet<string> = new Set(['write', 'context.write', 'task.execute'])

const checkParams = z.strictObject({
  agentId,
  action: z
    .enum(['read', 'write', ...AGENT_ACTIONS])
    .describe('`read` for queries, `write` for tasks, or an action of the protocol, such as `task.execute`'),
  resourceType: z.enum(CONTEXT_TYPES),
  resource: z.string().min(1).max(512).describe('Such as `acme/webapp/src`'),
})

export const accessCheck = method({
  name: 'access.check',
  summary: 'Check what an agent may do',
  details: 'Returns which rule decides, for an agent that you have added.',
  params: checkParams,
  result: z.strictObject({
    allowed: z.boolean(),
    permission: z.enum(PERMISSION_LEVELS),
    matchedRule: text.nullable().describe('Null: the default'),
    reason: text,
  }),
  act: 'see-home',
  resource: aboutHome,
  run: check,
})

async function check(
  env: HubEnv,
  { agentId: id, action, resourceType, resource }: z.output<typeof checkParams>,
) {
  const context = normalContext({ type: resourceType, identifier: resource })
  if ('wrong' in context) throw badParams(['resource'], context.wrong)
  const peer = peerIn(env.context, id)
  const none = { allowed: false, permission: 'none' as const, matchedRule: null }
  if (peer === null) return { ...none, reason: `no agent has the id "${id}"` }
  if (peer.revoked) return { ...none, reason: 'this agent is revoked' }
  const wants = WRITES.has(action) ? 'write' : 'read'
  const decided = accessOf(env, await look(env), { id, scope: [context], wants })
  const { allowed, permission, rule, reason } = decided
  return { allowed, permission, matchedRule: rule, reason }
}
