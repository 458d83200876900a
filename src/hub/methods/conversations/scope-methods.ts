/**
 * scope.list, get and policy.status: which conversations there are, and who is heard in them. Invariant 1: a member is
 * told of the own conversations alone. Invariant 2: nothing that was said is told.
 */
import { z } from 'zod'
import { type ScopeAt, SCOPE_TYPES } from '../../../domain/policy/scope-types.ts'
import { LOBBY } from '../../../domain/policy/policy.ts'
import { type HubEnv, look } from '../../env.ts'
import { findRoom } from '../../views/find-in-home.ts'
import { method } from '../../method.ts'
import { findScope, itemCount, scopeResource, scopesSeen, whyDead } from '../../views/scopes-at.ts'
import { idText, scopeId } from '../../views/shapes.ts'

const scopeView = z.strictObject({
  id: z.string(),
  /** `telegram:-100123`; null if nobody has spoken and its file names none. */
  channel: z.string().nullable(),
  type: z.enum(SCOPE_TYPES),
  keeps: z.enum(['private', 'shared']),
  roles: z.array(z.string()),
  members: z.array(z.string()),
  /** `human` or a member's id, of a private chat. */
  owner: z.string().nullable(),
  itemCount: z.number(),
  /** Messages that wait or are being answered. */
  waiting: z.number(),
})

function viewScope(env: HubEnv, scope: ScopeAt): z.infer<typeof scopeView> {
  const { name, key, type, keeps, roles, members } = scope
  const { owner } = scopeResource(env, scope)
  return {
    ...{ id: name, channel: key === '' ? null : key, type, keeps, roles: [...roles], members: [...members] },
    owner: owner === null ? null : owner.kind === 'human' ? 'human' : owner.id,
    itemCount: itemCount(env, scope),
    waiting: env.context.scopes.control()?.waiting(name) ?? 0,
  }
}

export const scopeList = method({
  name: 'scope.list',
  summary: 'List conversations',
  details: 'Those of the home. A member sees those that they take part in.',
  params: z.strictObject({}),
  result: z.array(scopeView),
  act: 'see-scope',
  resource: async () => ({ room: null }),
  run: async (env, _, { principal }) => scopesSeen(env, principal).map((scope) => viewScope(env, scope)),
})

export const scopeGet = method({
  name: 'scope.get',
  summary: 'Get a conversation',
  details: 'Refused, with the reason, if you may not speak in it now.',
  params: z.strictObject({
    scopeId,
    roomId: idText.optional().describe('The room in which to speak; otherwise the lobby'),
  }),
  result: scopeView,
  act: 'speak',
  resource: async (env, { scopeId, roomId = LOBBY }) => ({
    room: findRoom(await look(env), roomId).name,
    scope: scopeResource(env, findScope(env, scopeId)),
  }),
  run: async (env, { scopeId }) => viewScope(env, findScope(env, scopeId)),
})

export const policyStatus = method({
  name: 'policy.status',
  summary: 'Show whether Neo accepts messages in each conversation',
  details: 'If it does not, `why` gives the reason.',
  params: z.strictObject({}),
  result: z.array(
    z.strictObject({
      scopeId: z.string(),
      type: z.enum(SCOPE_TYPES),
      keeps: z.enum(['private', 'shared']),
      allowed: z.boolean(),
      why: z.string(),
    }),
  ),
  act: 'see-scope',
  resource: async () => ({ room: null }),
  run: async (env, _, { principal }) =>
    scopesSeen(env, principal).map((scope) => {
      const why = whyDead(env, scope)
      return {
        scopeId: scope.name,
        type: scope.type,
        keeps: scope.keeps,
        allowed: why === null,
        why: why ?? whoIsHeard(env, scope),
      }
    }),
})

function whoIsHeard(env: HubEnv, scope: ScopeAt): string {
  const { type, roles, members } = scope
  const { owner } = scopeResource(env, scope)
  if (owner !== null) return `the private chat of ${owner.kind === 'human' ? 'the owner' : owner.id}`
  if (type === 'parents_group') return 'parents can speak'
  const limits = [
    ...(roles.length === 0 ? [] : [`roles ${roles.join(', ')}`]),
    ...(members.length === 0 ? [] : [`members ${members.join(', ')}`]),
  ]
  return limits.length === 0 ? 'every member can speak' : `only ${limits.join(' and ')} can speak`
}
