/**
 * The daemon's mind: the hub over its Context, and Neo over the hub. Invariant 1: calls of the hub that Neo makes wait
 * their turn beside the daemon's rounds: two never write at once.
 */
import { NeoError, whyOf } from './domain/home/error.ts'
import type { Orchestrator } from './engine/agents/orchestrator.ts'
import type { Aoi } from './aoi/open-aoi.ts'
import type { Trigger } from './domain/plan/decision.ts'
import { sentImages } from './domain/text/sent-files.ts'
import type { Context } from './engine/context.ts'
import { putMessage } from './engine/effects/wake-orchestrator.ts'
import { notify } from './engine/people/notices.ts'
import { type Hub, openGate, type Sayer } from './hub/hub.ts'
import { TABLE } from './hub/method-table.ts'
import { type OpenedHub, openHub } from './hub/open-hub.ts'
import { IndexService } from './memory/index-service.ts'
import { type Neo, openNeo } from './orchestrator/open-orchestrator.ts'
import { noteSpeakers } from './orchestrator/speaker-rights.ts'

export interface OpenMind extends Orchestrator {
  /** The hub of a running daemon: calls are beside the rounds, never in one. */
  readonly hub: Hub
  /** The same for clients from outside, who wait for each other first. */
  readonly clients: Hub
}

/** @param wake makes the daemon look at once */
export function openMind(context: Context, wake: () => void): OpenMind {
  const queue = openCallQueue(context)
  let aoi: Promise<Aoi | null> | null = null
  const peers = () =>
    (aoi ??= openAgents({ context, hub: clients, changed: seldom(context, () => hub.emit('agents', {})) }))
  const hub = openHub({ context, table: TABLE, usage: context.usage, wake, aside: queue.aside, peers })
  const neo = openNeoOver({ context, hub, wake, queue })
  hub.attach(neo)
  const keeper = new IndexService(context)
  const gate = openGate()
  const clients = hubInTurn(hub, (work, method) => gate.pass(method, (leave) => queue.run(work, leave)))
  return {
    hub: hubInTurn(hub, (work) => queue.run(work)),
    clients,
    turn: (room, triggers, signal) => neo.turn(room, triggers.map(withSentImages), signal),
    closed: () => neo.closed(),
    scopes: neo.scopes,
    saw: (snapshot) => hub.changed(snapshot),
    async afterRound(snapshot) {
      hub.changed(snapshot)
      keeper.saw(snapshot)
      if (aoi !== null || snapshot.config.agent !== null) (await peers())?.saw(snapshot)
      return queue.run(() => hub.carryOut(snapshot))
    },
    close() {
      keeper.close()
      void aoi?.then((opened) => opened?.close())
      hub.close()
    },
  }
}

/** Its code is loaded when the home has an agent, or somebody asks about agents. Null if the program has no wire. */
async function openAgents(of: {
  readonly context: Context
  readonly hub: Hub
  readonly changed: () => void
}): Promise<Aoi | null> {
  const wire = of.context.world.peers
  if (wire === undefined) return null
  try {
    const { openAoi } = await import('./aoi/open-aoi.ts')
    return openAoi({ context: of.context, wire, hub: of.hub, changed: of.changed })
  } catch (error) {
    // The home works without it, and says what is wrong.
    const since = new Date(of.context.world.clock.now()).toISOString()
    of.context.troubles.set('agent protocol', { why: whyOf(error), since })
    return null
  }
}

const SELDOM_MS = 300

/** What is called often, called once in a while. */
function seldom({ world }: Context, call: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    world.clock.after(SELDOM_MS, () => {
      isDue = false
      call()
    })
  }
}

/** The images that people sent with a message on the page. */
function withSentImages(trigger: Trigger): Trigger {
  if (trigger.kind !== 'message' || trigger.images !== undefined) return trigger
  const images = sentImages(trigger.room, trigger.text)
  return images.length === 0 ? trigger : { ...trigger, images }
}

function hubInTurn(hub: Hub, take: <T>(work: () => Promise<T>, method: string) => Promise<T>): Hub {
  return {
    call: (principal, method, params) => take(() => hub.call(principal, method, params), method),
    subscribe: (principal, of, on) => take(() => hub.subscribe(principal, of, on), 'subscribe'),
  }
}

export interface CallQueue {
  /** Waits for its turn, and holds it until the work is done. `leave` is called if the work yields. */
  run<T>(work: () => Promise<T>, leave?: () => void): Promise<T>
  /** For the holder of the turn: yields it during a wait, then takes it again. */
  aside<T>(wait: () => Promise<T>): Promise<T>
}

/** The line of a home's rounds, for calls: two never write at once. */
export function openCallQueue(context: Context): CallQueue {
  let give = () => {}
  /** `leave` of the holder of the turn. */
  let leaves = () => {}
  const hold = () =>
    new Promise<void>((held) => {
      const over = new Promise<void>((resolve) => {
        void context.exclusive(() => {
          give = resolve
          held()
          return over
        })
      })
    })
  return {
    async run(work, leave = () => {}) {
      await hold()
      leaves = leave
      try {
        return await work()
      } finally {
        give()
      }
    },
    async aside(wait) {
      const leave = leaves
      give()
      leave()
      try {
        return await wait()
      } finally {
        await hold()
        leaves = leave
      }
    },
  }
}

interface Over {
  readonly context: Context
  readonly hub: OpenedHub
  readonly wake: () => void
  readonly queue: CallQueue
}

function openNeoOver({ context, hub, wake, queue }: Over): Neo {
  const { world, dir, home, agents, look } = context
  const { agent } = world
  if (agent === undefined)
    throw new NeoError('internal', 'Cannot open Neo: this program was built without models')
  const saying = new Map<string, string>()
  const neo = openNeo({
    hub: { call: (principal, method, params) => queue.run(() => hub.call(principal, method, params)) },
    models: agent.models,
    files: world.files,
    clock: world.clock,
    dir,
    home,
    config: () => look.config(),
    budget: (room) => agents.neoBudget(room),
    keep: async (room, content, by) => {
      putMessage(context, {
        room,
        content,
        from: by.from,
        before: (path) => note(context, room, { path, by }),
      })
      wake()
    },
    say: async (room, what, text) => {
      hub.emit(`room:${room}:neo`, { what, text })
      const key = `neo:${what}:${world.clock.now()}:${world.random.id('a')}`
      notify(context, { key, kind: 'words', text: `Neo: ${text}`, room })
      wake()
    },
    onCall: (estimate, model, room) => agents.neoCalls({ estimate, model, room }),
    onStatus: (room, status, note) => {
      saying.delete(room)
      hub.emit(`room:${room}:neo`, { status, ...(note === undefined ? {} : { note }) })
      if (note !== undefined) context.emit({ kind: 'thinking', text: `Neo: ${note}`, room })
    },
    onText: (room, delta) => {
      saying.set(room, `${saying.get(room) ?? ''}${delta}`)
      hub.emit(`room:${room}:neo`, { text: delta })
    },
    onAction: (room) => {
      saying.delete(room)
      hub.emit(`room:${room}:neo`, { what: 'action' })
    },
  })
  // Who opens the page within an answer sees what it has said so far.
  return { ...neo, context: (room) => ({ ...neo.context(room), saying: saying.get(room) ?? '' }) }
}

/** For whom a message is said is known before it is there to be read. */
function note(
  { world, dir, home }: Context,
  room: string,
  { path, by }: { readonly path: string; readonly by: Sayer },
): void {
  const speakers = by.speakers.filter((who) => who !== 'human')
  if (speakers.length > 0)
    noteSpeakers({ files: world.files, dir, home }, room, { of: { [path]: speakers }, open: [] })
}
