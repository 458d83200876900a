/**
 * Policy: who may do what, for every server and channel. Invariant 1: it reads no text of models, messages or peers:
 * only who, what, where and which keys. Invariant 2: anything that no rule allows is denied. Invariant 3: no caller
 * sets ids or the `neo:` block.
 */
import { decideAccess } from '../peer/access-rules.ts'
import { NO_ACCESS } from '../peer/peer.ts'
import { type BlockedBy, mayMove } from '../task/task.ts'
import {
  type Act,
  allow,
  ask,
  deny,
  type On,
  type Principal,
  type Resource,
  type Rules,
  type Ruling,
  stricter,
} from './policy-acts.ts'
import { FIXED_KEYS, forMember, guardedKeys, MODEL_ROOM_KEYS, MODEL_TASK_KEYS } from './policy-member.ts'
import { inScope, isScopeAct } from './policy-scope.ts'
import { type OnBehalfOf, speakersOf } from './scope-types.ts'

export const LOBBY = 'lobby'

/** Reasons for a block that clears by itself; the others wait for a person. */
const CLEARS_ITSELF: ReadonlySet<BlockedBy | undefined> = new Set<BlockedBy>(['model', 'budget'])

/** Never throws. */
export function decide(caller: Principal, act: Act, on: On): Ruling {
  const { resource } = on
  const fixed = resource.sets?.find((key) => FIXED_KEYS.includes(key))
  if (fixed !== undefined) return deny('fixed-keys', `nobody can set ${fixed}`)
  if (isScopeAct(act)) return inScope(caller, act, on)
  const isPeerAct = act === 'peer-hello' || act === 'peer-read' || act === 'peer-write'
  if (isPeerAct && caller.kind !== 'peer' && caller.kind !== 'human')
    return deny('peer-acts', 'only agents of other homes do this')
  switch (caller.kind) {
    case 'human':
      return allow('owner', 'owner of the home')
    case 'member':
      return forMember(caller.id, act, on)
    case 'neo':
      return caller.onBehalfOf === undefined
        ? forNeo(caller.room, act, on)
        : stricter(
            forNeoWithin(caller.room, act, { on, onBehalfOf: caller.onBehalfOf }),
            forSpeakers(caller.onBehalfOf, act, on),
          )
    case 'session':
      return forSession(caller, act, on)
    case 'peer':
      return forPeer(caller.id, act, on)
    case 'editor':
      return forEditor(act, on)
  }
}

/** Neo does what all the speakers may do, and stores nothing from a private chat elsewhere. */
function forSpeakers(onBehalfOf: OnBehalfOf, act: Act, on: On): Ruling {
  if (act === 'remember' && onBehalfOf.keeps === 'private')
    return deny(
      'private-stays',
      'this conversation is private; a member can share it with the chat command "share"',
    )
  const rulings = speakersOf(onBehalfOf).map((speaker) =>
    speaker === 'human'
      ? allow('owner', 'owner of the home')
      : forMember(speaker.slice('member:'.length), act, on),
  )
  return rulings.reduce(stricter)
}

/** In a private chat, Neo may send a file to the person it answers, if that person may have it. */
function forNeoWithin(
  own: string,
  act: Act,
  { on, onBehalfOf }: { readonly on: On; readonly onBehalfOf: OnBehalfOf },
): Ruling {
  const { scope, room } = on.resource
  if (act !== 'send-out' || scope?.name !== onBehalfOf.scope || scope.type !== 'dm' || room !== own)
    return forNeo(own, act, on)
  return allow('own-scope', 'the answer goes to the person who asked, in a private chat')
}

function forNeo(own: string, act: Act, on: On): Ruling {
  const { resource } = on
  const isLobby = own === LOBBY
  if (act === 'send-out') return deny('person-decides', 'only a person can send files out')
  if (isLobby && (act === 'see' || act === 'see-home' || act === 'talk'))
    return allow('lobby', 'the lobby can see all rooms and pass messages')
  if (act === 'see-home') return deny('own-room', 'only the lobby can see the whole home')
  if (act === 'change-home') return deny('person-decides', 'only a person can change settings of the home')
  if (act === 'make-room')
    return isLobby
      ? (guardedKeys(resource, MODEL_ROOM_KEYS) ?? allow('lobby', 'the lobby can create rooms'))
      : deny('own-room', 'only the lobby can create rooms')
  if (act === 'see' && resource.room === null) return allow('own-room', 'visible to this room')
  if (resource.room !== own) return deny('own-room', `Neo of ${own} can act only in ${own}`)
  return inOwnRoom(act, on)
}

/** Rights of Neo in its room. */
function inOwnRoom(act: Act, { resource, rules }: On): Ruling {
  switch (act) {
    case 'settle-ask':
    case 'settle-review':
      return deny('person-decides', 'only a person can decide this')
    case 'ask-peer':
      return toPeer(rules)
    case 'answer-peer':
      return ask('peers', 'the answer goes to the agent of somebody else')
    case 'change-room':
      return roomChange(resource)
    case 'move-session':
      return ask('session-room', 'only a person can move a session to another room')
    case 'delete-task':
    case 'forget':
      return isByModel(resource.author)
        ? allow('own-work', 'written by a model')
        : ask('work-of-a-person', 'written by a person')
    case 'finish-task':
      return finished(resource)
    case 'fail-task':
      return failed(resource)
    case 'make-task':
    case 'change-task':
    case 'move-task':
    case 'run-session':
      return taskChange(resource, rules) ?? allow('own-room', 'its own room')
    default:
      return allow('own-room', 'its own room')
  }
}

const SESSION_NEVER: ReadonlySet<Act> = new Set<Act>([
  'see-home',
  'change-home',
  'make-room',
  'change-room',
  'run-session',
  'move-session',
  'clear-context',
  'settle-ask',
  'settle-review',
  'ask-peer',
  'answer-peer',
])

function forSession(caller: Principal & { readonly kind: 'session' }, act: Act, on: On): Ruling {
  const { resource } = on
  if (act === 'send-out' || SESSION_NEVER.has(act)) return deny('session-acts', `a session can't ${act}`)
  if (act === 'see' && resource.room === null) return allow('own-room', 'visible to its room')
  if (resource.room !== caller.room)
    return deny('own-room', `a session of ${caller.room} can act only in ${caller.room}`)
  const isOwn = act === 'finish-task' || act === 'fail-task' || act === 'stop-session'
  if (isOwn && resource.session !== caller.id)
    return deny('own-session', 'this is not the work of this session')
  if ((act === 'delete-task' || act === 'forget') && resource.author !== `session:${caller.id}`)
    return deny('own-work', 'not written by this session')
  return inOwnRoom(act, on)
}

const NO_PEER_ACCESS = 'no rule gives this agent access'

/**
 * An agent of another home: the access rules decide by the contexts of the request and the agent's own file, nothing
 * that it says of itself. A refusal says the same whether what was asked for exists or not.
 */
function forPeer(id: string, act: Act, { resource, rules }: On): Ruling {
  const { known, access = NO_ACCESS, now = 0 } = rules.peers ?? {}
  const peer = known?.get(id)
  if (peer === undefined) return deny('peer-default', NO_PEER_ACCESS)
  const isOwn = resource.author === `peer:${id}`
  if (isOwn && (act === 'see' || (act === 'move-task' && resource.to === 'cancelled')))
    return allow('own-work', 'made by this agent')
  if (act === 'peer-hello') return allow('known-agent', 'its file is in workspace/agents')
  if (act !== 'peer-read' && act !== 'peer-write') return deny('peer-acts', NO_PEER_ACCESS)
  const wants = act === 'peer-read' ? 'read' : 'write'
  const scope = resource.contexts ?? []
  const decided = decideAccess({ agentId: id, role: peer.role ?? undefined, scope, wants, access, now })
  const rule = decided.rule ?? 'access.default'
  return decided.allowed ? allow(rule, decided.reason) : deny(rule, NO_PEER_ACCESS)
}

/** All other acts, and new ones, are for the user only. */
const EDITOR_ACTS =
  /^(?:see|see-home|talk|ask-peer|remember|forget|(?:make|change)-room|(?:run|stop)-session|\w+-task)$/

/** A model in the user's editor acts in each room as its Neo may, but doesn't delete what others wrote. */
function forEditor(act: Act, on: On): Ruling {
  const { resource } = on
  if (!EDITOR_ACTS.test(act)) return deny('person-decides', 'only a person can do this, not an editor')
  if (act === 'see' || act === 'see-home' || act === 'talk') return allow('editor', 'its user can do this')
  if (act === 'ask-peer') return toPeer(on.rules)
  if (act === 'make-room')
    return guardedKeys(resource, MODEL_ROOM_KEYS) ?? allow('editor', 'its user can create rooms')
  if ((act === 'delete-task' || act === 'forget') && resource.author !== 'editor')
    return ask('work-of-others', 'not written by an editor')
  const ruling = inOwnRoom(act, on)
  return ruling.rule === 'own-room' ? allow('editor', 'Neo of the room can do this') : ruling
}

/** What a model sends to the agent of somebody else. */
function toPeer({ peers }: Rules): Ruling {
  if (peers?.approval === false) return allow('peers', 'agent.approval_required is false')
  return ask('peers', 'it goes to the agent of somebody else')
}

function roomChange({ sets = [], to, from }: Resource): Ruling {
  const guarded = sets.find((key) => !MODEL_ROOM_KEYS.includes(key) && key !== 'status')
  if (guarded !== undefined) return ask('guarded-keys', `only a person can change ${guarded} of a room`)
  if (sets.includes('status') || to !== undefined || from !== undefined)
    return ask('room-status', 'only a person can change the status of a room')
  return allow('own-room', 'its own room')
}

/** The first objection to a change of a task by a model; null for none. */
function taskChange(resource: Resource, rules: Rules): Ruling | null {
  return (
    guardedKeys(resource, [...MODEL_TASK_KEYS, 'workspace']) ??
    workspaceOf(resource, rules) ??
    runbook(resource) ??
    move(resource)
  )
}

function workspaceOf({ sets = [], workspace }: Resource, { workspaces }: Rules): Ruling | null {
  if (workspace === undefined)
    return sets.includes('workspace') ? ask('workspace', 'only a person can set the workspace') : null
  if (workspaces.includes(workspace)) return null
  return ask('workspace', 'the workspace is not that of the room and not in daemon.workspaces')
}

/** Confinement follows authorship: a model doesn't rewrite text that runs with the rights of people. */
function runbook({ author, sets = [], worker }: Resource): Ruling | null {
  if (author === undefined || isByModel(author) || worker !== 'shell') return null
  if (!sets.includes('description') && !sets.includes('worker')) return null
  return ask('runbook-of-a-person', 'its commands run with the permissions of the person who wrote the task')
}

/** A model changes the status of people's tasks only as Neo may (task.ts); it may restart its own. */
function move({ from, to, author, blockedBy }: Resource): Ruling | null {
  if (from === undefined || to === undefined || from === to) return null
  if (from === 'cancelled' || (from === 'blocked' && !CLEARS_ITSELF.has(blockedBy)))
    return ask('stopped-by-a-person', `only a person can continue a task that is ${from}`)
  if (isByModel(author) || mayMove(from, to)) return null
  return ask('transition', `only a person can change a person's task from ${from} to ${to}`)
}

function finished({ from, session }: Resource): Ruling {
  if (session !== undefined) return allow('says-finished', 'checks and review still follow')
  if (from === 'review' || from === 'completed') return allow('is-finished', 'the task is already finished')
  return ask('person-ends', 'no session works on it, so a person decides whether it is done')
}

function failed(resource: Resource): Ruling {
  if (resource.session !== undefined) return allow('says-failed', 'its session gets a message')
  if (resource.from === 'in_progress' && resource.worker === 'human')
    return ask('person-ends', 'a person is working on it')
  return move({ ...resource, to: 'failed' }) ?? allow('own-room', 'its own room')
}

/** True if Neo, an editor or a session wrote it. */
function isByModel(author: string | undefined): boolean {
  return author === 'neo' || author === 'editor' || author?.startsWith('session:') === true
}
