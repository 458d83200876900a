/**
 * Policy for members (people besides the owner), and keys that not everybody may set. Invariant 1: a child talks,
 * remembers in its own conversations and has tasks in rooms that name it; it never decides, runs a command or sends
 * anything out, no matter what a room or a request says. An unknown role has the same limits.
 */
import type { Room } from '../room/room.ts'
import { REACHING, type Task } from '../task/task.ts'
import { hasChildsRights } from './known-people.ts'
import { type Act, allow, ask, deny, type On, type Resource, type Ruling } from './policy-acts.ts'

const MEMBER_ACTS: ReadonlySet<Act> = new Set<Act>([
  'see',
  'make-task',
  'change-task',
  'move-task',
  'remember',
  'talk',
])

/** Members talk, remember and have tasks in the rooms that admit them; parents in all rooms. */
export function forMember(id: string, act: Act, { resource, rules }: On): Ruling {
  const member = rules.members.get(id)
  if (member === undefined) return deny('member-unknown', `${id} is not a member of this home`)
  if (act === 'settle-ask' || act === 'settle-review') return settling(id, member.role, rules.approvers)
  if (act === 'send-out') return settling(id, member.role, rules.approvers)
  if (act === 'forget' && resource.author === `member:${id}`)
    return forMember(id, 'remember', { resource, rules })
  if (!MEMBER_ACTS.has(act)) return deny('member-acts', `a member can't ${act}`)
  if (act === 'see' && resource.room === null) return allow('member', 'visible to members')
  const isIn = resource.room !== null && (member.role === 'parent' || member.rooms.includes(resource.room))
  if (!isIn) return deny('member-rooms', `${id} has no access to this room`)
  const refused = hasChildsRights(member.role) ? forChild(act, resource) : null
  if (refused !== null) return refused
  if (act === 'see' || act === 'talk' || act === 'remember') return allow('member', 'member of this room')
  if (member.role !== 'parent' && REACHING.some((kind) => kind === resource.worker?.split(':')[0]))
    return deny('member-shell', `the role ${member.role} can't run commands`)
  return guardedKeys(resource, MODEL_TASK_KEYS) ?? allow('member', 'member of this room')
}

function settling(id: string, role: string, approvers: readonly string[]): Ruling {
  if (hasChildsRights(role)) return deny('child', "a child can't decide requests")
  return approvers.includes(id)
    ? allow('approver', `${id} is an approver of this room`)
    : deny('approver', `${id} is not an approver of this room`)
}

/** Denies what no room can allow a child; null for anything else. */
function forChild(act: Act, { session, sets = [] }: Resource): Ruling | null {
  if (act === 'remember') return deny('child', 'a child can save memories only in its own conversation')
  if (act === 'talk' && session !== undefined) return deny('child', "a child can't send messages to sessions")
  const guarded = sets.find((key) => !MODEL_TASK_KEYS.includes(key))
  return guarded === undefined ? null : deny('child', `a child can't set ${guarded}`)
}

/** Keys that no caller may set. */
export const FIXED_KEYS: readonly string[] = ['id', 'roomId', 'sessionIds', 'neo']
/** Keys of a task that a model may set; the others need approval. */
export const MODEL_TASK_KEYS: readonly string[] = [
  'title',
  'description',
  'priority',
  'dependsOn',
  'labels',
  'due',
  'worker',
  'persona',
] satisfies readonly (keyof Task | 'description')[]
/** Keys of its room that Neo may set. */
export const MODEL_ROOM_KEYS: readonly string[] = [
  'name',
  'description',
  'concurrency',
  'keep',
] satisfies readonly (keyof Room)[]

/** Asks if the call sets a key outside of `free`; else null. */
export function guardedKeys({ sets = [] }: Resource, free: readonly string[]): Ruling | null {
  const guarded = sets.find((key) => !free.includes(key))
  return guarded === undefined ? null : ask('guarded-keys', `only a person can set ${guarded}`)
}
