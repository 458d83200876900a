/**
 * What of the home has changed, as addresses: from the state channels of the hub to `neo://…`. Invariant 1: it looks at
 * no file: what the channels tell is all. Invariant 2: at most MOST_ROOMS rooms are followed.
 */
import type { HubEvent } from '../../hub/hub.ts'
import type { McpHome } from './mcp-tool.ts'
import { uriOf } from './resources.ts'

export interface Told {
  updated(uri: string): void
  /** Something is new, or gone. */
  listChanged(): void
}

export interface Watch {
  end(): void
}

/** Under the subscriptions that one line to the hub may hold. */
const MOST_ROOMS = 190
/** How long the first look at all rooms may keep a client waiting. */
const BEGIN_MS = 5_000

type Section = Readonly<Record<string, unknown>>
interface Data {
  readonly snapshot?: Readonly<Record<string, Section>>
  readonly change?: {
    readonly set: Readonly<Record<string, Section>>
    readonly gone: Readonly<Record<string, readonly string[]>>
  }
}

/** From when it resolves, no change is missed. Rejects if the hub refuses the subscription. */
export async function watchHome(
  { hub, principal }: Pick<McpHome, 'hub' | 'principal'>,
  told: Told,
): Promise<Watch> {
  const ends = new Map<string, () => void>()
  let ended = false
  let begun = (): void => {}
  const first = new Promise<void>((resolve) => {
    begun = resolve
  })

  async function follow(room: string): Promise<void> {
    if (ended || ends.has(room) || ends.size >= MOST_ROOMS) return
    ends.set(room, () => {})
    const end = await hub.subscribe(principal, { channel: `room:${room}:state` }, roomTeller(room, told))
    if (ended || !ends.has(room)) return end()
    ends.set(room, end)
  }

  const lobby = await hub.subscribe(principal, { channel: 'lobby:rooms' }, ({ data }) => {
    const { snapshot, change } = data as Data
    const rooms = Object.keys(snapshot?.['rooms'] ?? change?.set['rooms'] ?? {})
    const gone = change?.gone['rooms'] ?? []
    for (const room of gone) {
      ends.get(room)?.()
      ends.delete(room)
    }
    if (change !== undefined) told.updated(uriOf({ kind: 'rooms' }))
    if (gone.length > 0 || (change !== undefined && rooms.some((room) => !ends.has(room)))) told.listChanged()
    const all = rooms.map((room) => follow(room).catch(() => ends.delete(room)))
    void Promise.all(all).then(begun)
  })
  const asks = await hub.subscribe(principal, { channel: 'asks' }, ({ data }) => {
    if ((data as Data).change !== undefined) told.updated(uriOf({ kind: 'asks' }))
  })
  await within(first, BEGIN_MS)
  return {
    end() {
      ended = true
      lobby()
      asks()
      for (const end of ends.values()) end()
      ends.clear()
    },
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let late: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    late = setTimeout(resolve, ms)
  })
  await Promise.race([work, limit])
  clearTimeout(late)
}

/** What the events of one room mean. */
function roomTeller(room: string, told: Told): (event: HubEvent) => void {
  /** Names of tasks by their ids: what is gone has its id alone. */
  const names = new Map<string, string>()
  const learn = (tasks: Section): void => {
    for (const [id, task] of Object.entries(tasks)) names.set(id, nameIn(task))
  }
  return ({ data }) => {
    const { snapshot, change } = data as Data
    if (snapshot !== undefined) return learn(snapshot['tasks'] ?? {})
    if (change === undefined) return
    const { set, gone } = change
    const [tasks, goneTasks] = [set['tasks'] ?? {}, gone['tasks'] ?? []]
    const isOther = goneTasks.length > 0 || Object.keys(tasks).some((id) => !names.has(id))
    learn(tasks)
    const touched = [...Object.keys(tasks), ...goneTasks].flatMap((id) => names.get(id) ?? [])
    for (const id of goneTasks) names.delete(id)
    told.updated(uriOf({ kind: 'overview', room }))
    if (set['room'] !== undefined) told.updated(uriOf({ kind: 'room', room }))
    if (touched.length > 0) told.updated(uriOf({ kind: 'tasks', room }))
    for (const id of touched) told.updated(uriOf({ kind: 'task', room, id }))
    const sessions = [...Object.keys(set['sessions'] ?? {}), ...(gone['sessions'] ?? [])]
    for (const id of sessions) told.updated(uriOf({ kind: 'session', room, id }))
    if (isOther) told.listChanged()
  }
}

function nameIn(task: unknown): string {
  return typeof task === 'object' && task !== null && 'name' in task ? String(task.name) : ''
}
