/**
 * Policy: who may do what. Every door goes through it. Pure. Invariant 1: nothing here reads a text that a model, a
 * message or a peer wrote: only who, what, where and which keys. Invariant 2: what no rule allows is denied. Invariant
 * 3: ids and the `neo:` block are set by nobody.
 */
import type { BlockedBy } from '../task/task.ts'
import type { Act, Principal, On, Resource, Rules } from './policy-acts.ts'
import { FIXED_KEYS, guardedKeys, MODEL_ROOM_KEYS, MODEL_TASK_KEYS } from './policy-keys.ts'
import { forMember } from './policy-member.ts'
import { inScope, isScopeAct } from './policy-scope.ts'
import { allow, ask, deny, type Ruling, stricter } from './ruling.ts'
import { mayMove } from '../task/transition.ts'
import { speakersOf, type Within } from './within.ts'

export const LOBBY = 'lobby'

/** What a block of ours that clears by itself waits for; the others wait for a person. */
const CLEARS_ITSELF: ReadonlySet<BlockedBy | undefined> = new Set<BlockedBy>(['model', 'budget', 'disk'])

/** Decides. Never throws. */
export function decide(caller: Principal, act: Act, on: On): Ruling {
  const { resource } = on
  const fixed = resource.sets?.find((key) => FIXED_KEYS.includes(key))
  if (fixed !== undefined) return deny('fixed-keys', `${fixed} is set by nobody`)
  if (isScopeAct(act)) return inScope(caller, act, on)
  switch (caller.kind) {
    case 'human':
      return allow('owner', 'it is their home')
    case 'member':
      return forMember(caller.id, act, on)
    case 'neo':
      return caller.within === undefined
        ? forNeo(caller.room, act, on)
        : stricter(
            forNeoWithin(caller.room, act, { on, within: caller.within }),
            forSpeakers(caller.within, act, on),
          )
    case 'session':
      return forSession(caller, act, on)
    case 'peer':
      return deny('peer-default', 'no rule gives this peer access')
    case 'editor':
      return forEditor(act, on)
  }
}

/** Neo does what each who speaks may do, and what was said in private is not kept elsewhere by him. */
function forSpeakers(within: Within, act: Act, on: On): Ruling {
  if (act === 'remember' && within.keeps === 'private')
    return deny('private-stays', 'what is said here is kept here; a member shares it by /share')
  const rulings = speakersOf(within).map((speaker) =>
    speaker === 'human'
      ? allow('owner', 'it is their home')
      : forMember(speaker.slice('member:'.length), act, on),
  )
  return rulings.reduce(stricter)
}

/** In a private chat he may send a file to whoever he answers there, where they may have it. */
function forNeoWithin(
  own: string,
  act: Act,
  { on, within }: { readonly on: On; readonly within: Within },
): Ruling {
  const { scope, room } = on.resource
  if (act !== 'send-out' || scope?.name !== within.scope || scope.type !== 'dm' || room !== own)
    return forNeo(own, act, on)
  return allow('own-scope', 'it goes to whoever asks for it, in their private chat')
}

function forNeo(own: string, act: Act, on: On): Ruling {
  const { resource } = on
  const isLobby = own === LOBBY
  if (act === 'send-out') return deny('person-decides', 'only a person sends files out')
  if (isLobby && (act === 'see' || act === 'see-home' || act === 'talk'))
    return allow('lobby', 'the lobby sees all rooms and passes messages')
  if (act === 'see-home') return deny('own-room', 'only the lobby sees the whole home')
  if (act === 'change-home') return deny('person-decides', 'only a person changes the home as a whole')
  if (act === 'make-room')
    return isLobby
      ? (guardedKeys(resource, MODEL_ROOM_KEYS) ?? allow('lobby', 'the lobby makes rooms'))
      : deny('own-room', 'only the lobby makes rooms')
  if (act === 'see' && resource.room === null) return allow('own-room', 'what this room may see')
  if (resource.room !== own) return deny('own-room', `the Neo of ${own} acts in ${own} only`)
  return inOwnRoom(act, on)
}

/** What a room's Neo may do in his room. */
function inOwnRoom(act: Act, { resource, rules }: On): Ruling {
  switch (act) {
    case 'settle-ask':
    case 'settle-review':
      return deny('person-decides', 'only a person decides this')
    case 'change-room':
      return roomChange(resource)
    case 'move-session':
      return ask('session-room', 'in which room a session lies is decided by a person')
    case 'delete-task':
    case 'forget':
      return isByModel(resource.author)
        ? allow('own-work', 'a model wrote it')
        : ask('work-of-a-person', 'a person wrote it')
    case 'finish-task':
      return finished(resource)
    case 'fail-task':
      return failed(resource)
    case 'make-task':
    case 'change-task':
    case 'move-task':
    case 'run-session':
      return taskChange(resource, rules) ?? allow('own-room', 'it is his room')
    default:
      return allow('own-room', 'it is his room')
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
])

function forSession(caller: Principal & { readonly kind: 'session' }, act: Act, on: On): Ruling {
  const { resource } = on
  if (act === 'send-out' || SESSION_NEVER.has(act)) return deny('session-acts', `a session may not ${act}`)
  if (act === 'see' && resource.room === null) return allow('own-room', 'what its room may see')
  if (resource.room !== caller.room) return deny('own-room', `a session of ${caller.room} acts in it only`)
  const isOwn = act === 'finish-task' || act === 'fail-task' || act === 'stop-session'
  if (isOwn && resource.session !== caller.id) return deny('own-session', 'that is no work of this session')
  if ((act === 'delete-task' || act === 'forget') && resource.author !== `session:${caller.id}`)
    return deny('own-work', 'this session did not write it')
  return inOwnRoom(act, on)
}

/** All others are a person's, those too that are added later. */
const EDITOR_ACTS =
  /^(?:see|see-home|talk|remember|forget|(?:make|change)-room|(?:run|stop)-session|\w+-task)$/

/** A model in a person's editor acts in every room as its Neo may; what others wrote it does not delete. */
function forEditor(act: Act, on: On): Ruling {
  const { resource } = on
  if (!EDITOR_ACTS.test(act)) return deny('person-decides', 'only a person does this, not their editor')
  if (act === 'see' || act === 'see-home' || act === 'talk') return allow('editor', 'its person may')
  if (act === 'make-room')
    return guardedKeys(resource, MODEL_ROOM_KEYS) ?? allow('editor', 'its person may make rooms')
  if ((act === 'delete-task' || act === 'forget') && resource.author !== 'editor')
    return ask('work-of-others', 'no editor wrote it')
  const ruling = inOwnRoom(act, on)
  return ruling.rule === 'own-room' ? allow('editor', 'the Neo of the room may') : ruling
}

function roomChange({ sets = [], to, from }: Resource): Ruling {
  const guarded = sets.find((key) => !MODEL_ROOM_KEYS.includes(key) && key !== 'status')
  if (guarded !== undefined) return ask('guarded-keys', `${guarded} of a room is changed by a person`)
  if (sets.includes('status') || to !== undefined || from !== undefined)
    return ask('room-status', 'whether a room works is decided by a person')
  return allow('own-room', 'it is his room')
}

/** The first objection to what a model does to a task; null where there is none. */
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
    return sets.includes('workspace') ? ask('workspace', 'the workspace is set by a person') : null
  if (workspaces.includes(workspace)) return null
  return ask('workspace', 'the workspace is neither that of the room nor listed in daemon.workspaces')
}

/** Confinement follows authorship: what runs as the person is not rewritten by a model. */
function runbook({ author, sets = [], worker }: Resource): Ruling | null {
  if (author === undefined || isByModel(author) || worker !== 'shell') return null
  if (!sets.includes('description') && !sets.includes('worker')) return null
  return ask('runbook-of-a-person', 'its commands run as the person who wrote the task')
}

/** A model moves the tasks of people along Neo's own table; its own it may start afresh. */
function move({ from, to, author, blockedBy }: Resource): Ruling | null {
  if (from === undefined || to === undefined || from === to) return null
  if (from === 'cancelled' || (from === 'blocked' && !CLEARS_ITSELF.has(blockedBy)))
    return ask('stopped-by-a-person', `${from} waits for a person`)
  if (isByModel(author) || mayMove(from, to)) return null
  return ask('transition', `a person's task goes from ${from} to ${to} by a person`)
}

function finished({ from, session }: Resource): Ruling {
  if (session !== undefined) return allow('says-finished', 'verify and review still follow')
  if (from === 'review' || from === 'completed') return allow('is-finished', 'there is nothing left to say')
  return ask('person-ends', 'no session works on it, so a person says whether it is done')
}

function failed(resource: Resource): Ruling {
  if (resource.session !== undefined) return allow('says-failed', 'its session is told')
  if (resource.from === 'in_progress' && resource.worker === 'human')
    return ask('person-ends', 'a person works on it')
  return move({ ...resource, to: 'failed' }) ?? allow('own-room', 'it is his room')
}

/** True for what Neo, an editor or a session wrote. */
function isByModel(author: string | undefined): boolean {
  return author === 'neo' || author === 'editor' || author?.startsWith('session:') === true
}
