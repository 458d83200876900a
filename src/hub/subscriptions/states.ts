/**
 * What the state channels hold: the present state of each, and how it differs from what was last told. A state is
 * sections of items by id; a change is `{set: {section: {id: item}}, gone: {section: [id]}}`. Invariant 1: applying
 * every change to the snapshot gives the present state. Invariant 2: who may not see a channel's room gets no event of
 * it, and the decision is recorded; also if that changes while they listen (member-listeners.ts).
 */
import { openAsks } from '../../domain/plan/needs.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { decide } from '../../domain/policy/policy.ts'
import type { Principal, Resource } from '../../domain/policy/policy-acts.ts'
import { sameData } from '../../files/values/equal.ts'
import { type HubEnv, look, whoOf } from '../env.ts'
import { HUB_CODES, type Hub, HubError, SILENT } from '../hub.ts'
import { membersOf, rulesFor } from '../rights/member-rules.ts'
import { findRoom, findSession, missing, roomAt, roomNames, sees, taskOf } from '../views/find-in-home.ts'
import { membersState } from '../views/member-view.ts'
import { scheduleState } from '../views/schedule-view.ts'
import { aboutSeen, withoutHidden } from '../views/without-hidden.ts'
import { isAsking, viewAsk, viewTask } from '../views/views.ts'
import { countTasks, inboxState, openRoomCards } from './card-states.ts'
import { type Outputs, openOutputs } from './follow-output.ts'
import { type HealthStates, openHealthStates } from './health-states.ts'
import {
  type Asked,
  FOR,
  keptAs,
  type Listening,
  openMemberListeners,
  ownChannel,
  type Parsed,
  parse,
} from './member-listeners.ts'
import { homeNeeds } from '../views/home-health.ts'
import { activityState, memoryStamps, taskStamp } from './stamps.ts'
import { changeBetween, type State } from './state-change.ts'
import { openSessionStates, type SessionState, type SessionStates } from './session-states.ts'

export interface States {
  subscribe: Hub['subscribe']
  changed(snapshot: Snapshot): void
  emit(channel: string, data: unknown): void
  close(): void
}

export function openStates(env: HubEnv): States {
  const told: Told = new Map()
  let latest: Snapshot | null = null
  const members = openMemberListeners(env, (asked) =>
    latest === null ? null : deniedNow(env, latest, asked),
  )
  const sessions = openSessionStates(env, (channel) => {
    if (latest !== null && told.has(channel)) update(channel, latest)
  })
  const inbox = () => latest !== null && env.channels.listens('inbox') && update('inbox', latest)
  const followed = { sessions, outputs: openOutputs(env), health: openHealthStates(env, inbox) }

  const update = (channel: string, snapshot: Snapshot) => tell(env, told, { channel, snapshot, sessions })

  return {
    async subscribe(principal, of, on) {
      const snapshot = await look(env)
      latest = snapshot
      const asked = { principal, channel: of.channel }
      const resource = await withoutHidden(env, principal, () => allow(env, snapshot, asked))
      const channel = keptAs(principal, of.channel, resource)
      await follow(followed, parse(of.channel), resource.room ?? '')
      update(channel, snapshot)
      const state = () => told.get(channel)?.state() ?? otherState(env, channel, followed)
      const since = of.since === undefined ? {} : { since: of.since }
      const named = channel === of.channel ? on : as(of.channel, on)
      const begin = (told: typeof on) => env.channels.subscribe({ channel, ...since, state, on: told })
      const listener = { principal, channel: of.channel, resource, on: named }
      return principal.kind === 'member' ? members.add(listener, begin) : begin(named)
    },
    changed(snapshot) {
      latest = snapshot
      members.again()
      followed.health.changed()
      const names = env.channels.names()
      for (const channel of told.keys()) if (!names.includes(channel)) told.delete(channel)
      for (const channel of names) update(channel, snapshot)
    },
    emit(channel, data) {
      const { kind, id } = parse(channel)
      if (kind === 'session:state') sessions.say(id, data)
      else env.channels.publish(channel, data)
    },
    close() {
      for (const one of [sessions, followed.health, followed.outputs]) one.close()
    },
  }
}

interface Followed {
  readonly health: HealthStates
  readonly sessions: SessionStates
  readonly outputs: Outputs
}

async function follow(of: Followed, { kind, id }: Parsed, room: string): Promise<void> {
  const { sessions, outputs, health } = of
  if (kind === 'health') await health.look()
  if (kind === 'session:state' || kind === 'session:transcript') sessions.follow(id, room)
  if (kind === 'session:output') outputs.follow(id)
}

/** What was last told, for the channels whose state is in the files. */
type Told = Map<string, Teller>

function tell(env: HubEnv, told: Told, { snapshot, ...of }: Of & { readonly snapshot: Snapshot }): void {
  const known = told.get(of.channel)
  const teller = known ?? tellerOf(env, of)
  if (teller === null) return
  told.set(of.channel, teller)
  const change = teller.next(snapshot)
  if (known !== undefined && change !== null) env.channels.publish(of.channel, change)
}

const NOT_IN_FILES: ReadonlySet<Parsed['kind']> = new Set<Parsed['kind']>([
  'room:neo',
  'session:transcript',
  'session:output',
  'audit',
  'agents',
])

interface Teller {
  /** How the state differs from the one of the call before; null: it doesn't. */
  next(snapshot: Snapshot): unknown
  state(): unknown
}

/** Null for the channels whose state isn't in the files. */
function tellerOf(env: HubEnv, of: Of): Teller | null {
  const { kind, id } = parse(of.channel)
  if (kind === 'room:tasks') return openRoomCards(id, { brief: briefRoom, costs: () => env.usage.byTask() })
  if (NOT_IN_FILES.has(kind)) return null
  let told: State | SessionState | null = null
  return {
    next(snapshot) {
      const [before, now] = [told, stateOf(env, snapshot, of)]
      told = now ?? before
      return before === null || now === null ? null : changeOf(of.channel, before, now)
    },
    state: () => told,
  }
}

/** Under the name that was asked for. */
function as(channel: string, on: Listening): Listening {
  return (event) => on({ ...event, channel })
}

/** Recorded as every call is. Gives what the channel is about; throws HubError `denied` or `missing`. */
function allow(env: HubEnv, snapshot: Snapshot, of: { principal: Principal; channel: string }): Resource {
  const { principal, channel } = of
  // A line end in it would be somebody else's list.
  if (channel.includes(FOR)) throw missing('channel', channel)
  const named = parse(channel)
  const resource = aboutSeen(env, snapshot, { principal, find: (seen) => resourceOf(env, seen, named) })
  const { record, ruling } = rulingOn(env, snapshot, { principal, channel, resource })
  const { effect, rule, reason } = ruling
  record()
  if (effect !== 'allow') throw new HubError(HUB_CODES.denied, `Denied: ${reason}`, { rule, reason })
  return resource
}

function rulingOn(env: HubEnv, snapshot: Snapshot, { principal, channel, resource }: Asked) {
  const isOwn = ownChannel(principal, channel) !== channel
  const act = resource.room === null && !isOwn ? 'see-home' : 'see'
  const ruling = decide(principal, act, { resource, rules: rulesFor(env, snapshot, resource.room) })
  const entry = { who: whoOf(principal), method: 'subscribe', act, room: resource.room, about: { channel } }
  return { ruling, record: () => void env.audit.record({ ...entry, ...ruling }) }
}

/** Of who was allowed before; null if they are still. A no is recorded. */
function deniedNow(env: HubEnv, snapshot: Snapshot, asked: Asked): string | null {
  const { ruling, record } = rulingOn(env, snapshot, asked)
  if (ruling.effect === 'allow') return null
  record()
  return `Denied: ${ruling.reason}`
}

function resourceOf(env: HubEnv, snapshot: Snapshot, { kind, id }: Parsed): Resource {
  switch (kind) {
    case 'room:state':
    case 'room:tasks':
    case 'room:neo':
      return { room: findRoom(snapshot, id).name }
    case 'task:state':
      return { room: taskOf(snapshot, id).room }
    case 'session:state':
    case 'session:transcript':
    case 'session:output':
      return { room: findSession(env, roomNames(snapshot), id).room, session: id }
    default:
      return { room: null }
  }
}

interface Of {
  readonly channel: string
  readonly sessions: SessionStates
}

/** The state of a channel that follows from the snapshot; null for the others. */
function stateOf(env: HubEnv, snapshot: Snapshot, { channel, sessions }: Of): State | SessionState | null {
  const { kind, id, viewer } = parse(channel)
  const principal: Principal = viewer === undefined ? { kind: 'human' } : { kind: 'member', id: viewer }
  const members = membersOf(env)
  const isSeen = (room: string) => sees(principal, room, members)
  switch (kind) {
    case 'lobby:rooms': {
      const names = roomNames(snapshot).filter(isSeen)
      return { rooms: Object.fromEntries(names.map((name) => [name, briefRoom(snapshot, name)])) }
    }
    case 'asks':
      return { asks: asksById(snapshot, isSeen) }
    case 'inbox':
      return {
        ...inboxState(snapshot, isSeen, env.context.world.clock.now()),
        home: viewer === undefined ? homeNeeds(env, snapshot) : {},
      }
    case 'schedules':
      return scheduleState(env, snapshot, { isSeen, principal })
    case 'activity':
      return activityState(snapshot, viewer === undefined ? null : isSeen)
    case 'memory':
      return memoryStamps(env, snapshot, { isSeen, principal })
    case 'room:state':
      return roomState(env, snapshot, id)
    case 'task:state':
      return taskStamp(env, snapshot, id)
    case 'members':
      return membersState(env)
    case 'session:state':
      return sessions.state(snapshot, id)
    default:
      return null
  }
}

/** The others: what can be read at this moment. */
function otherState(env: HubEnv, channel: string, { sessions, outputs, health }: Followed): unknown {
  const { kind, id } = parse(channel)
  if (kind === 'room:neo') return env.neo?.context(id) ?? SILENT
  if (kind === 'audit') return env.audit.last(LAST_LINES)
  if (kind === 'health') return health.state()
  if (kind === 'session:output') return outputs.state(id)
  return kind === 'session:transcript' ? sessions.transcript(id) : null
}

const LAST_LINES = 100

function briefRoom(snapshot: Snapshot, name: string): unknown {
  const { room } = roomAt(snapshot, name)
  const tasks = countTasks(snapshot.tasks).get(name) ?? {}
  return { id: name, name: room.name, description: room.description, status: room.status, tasks }
}

function roomState(env: HubEnv, snapshot: Snapshot, name: string): State {
  const tasks = [...snapshot.tasks.values()].filter(({ room }) => room === name)
  const sessions = [...env.context.sessions.facts().values()].filter(({ record }) => record.room === name)
  return {
    room: { [name]: briefRoom(snapshot, name) },
    tasks: Object.fromEntries(tasks.map((file) => [file.task.neo.id ?? file.path, viewTask(file)])),
    asks: asksById(snapshot, (room) => room === name),
    sessions: Object.fromEntries(
      sessions.map((fact) => {
        const { id, taskId, title, worker } = fact.record
        const status = isAsking(fact) ? 'waiting_for_input' : 'running'
        return [id, { id, taskId, title, worker, state: fact.state, status }]
      }),
    ),
  }
}

function asksById(snapshot: Snapshot, wanted: (room: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(openAsks(snapshot, wanted).map((file) => [file.ask.id, viewAsk(file)]))
}

function changeOf(channel: string, before: State | SessionState, now: State | SessionState): unknown {
  if (!channel.startsWith('session:')) return changeBetween(before as State, now as State)
  return sameData(before, now) ? null : now
}
