/** What the palette offers for what was typed: what is here at once, and what the hub finds in the whole home. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { fitOf, typedWords } from '../../../src/domain/text/best-match.ts'
import type { ResultOf } from '../../../src/hub/method-table.ts'
import { isOffered, PLACES } from '../../store/places.ts'
import { isOpen, useRooms } from '../../store/rooms.ts'
import { addressOf, go, roomAddress } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may, me, signOut } from '../../store/session.ts'
import type { RoomBrief, TaskStatus } from '../../store/types.ts'
import { newTaskIn, showKeys } from './palette-dialogs.ts'
import { type Recent, recents } from './palette-recent.ts'
import { visible } from '../text.ts'

export interface Item {
  readonly id: string
  readonly group: 'Recent' | 'Actions' | 'Views' | 'Rooms' | 'Tasks' | 'Memories' | 'People'
  readonly label: string
  readonly note: string
  readonly status?: TaskStatus
  /** Where it leads; absent for an action. */
  readonly address?: string
  readonly run: () => unknown
}

type Found = ResultOf<'home.search'>

/** What changes a task, if it is typed in front of its title. */
const VERBS: Readonly<Record<string, { readonly method: string; readonly statuses: readonly TaskStatus[] }>> =
  {
    retry: { method: 'task.retry', statuses: ['failed', 'blocked', 'cancelled'] },
    start: { method: 'task.start', statuses: ['draft', 'pending', 'blocked'] },
    cancel: { method: 'task.cancel', statuses: ['draft', 'pending', 'in_progress', 'blocked'] },
  }

const MOST_OF_GROUP = 8

export function useItems(text: string): readonly Item[] {
  const rooms = useRooms() ?? []
  const [, verb = '', rest = ''] = /^(retry|start|cancel)\s+(.*)$/i.exec(text) ?? []
  const act = VERBS[verb.toLowerCase()]
  const found = useFound(act === undefined ? text : rest, act?.statuses)
  return useMemo(() => {
    const words = typedWords(text)
    if (act !== undefined) return mayMove(found.tasks).map((task) => taskAction(verb, act.method, task))
    if (words.length === 0)
      return [...recents().map(recentItem), ...views(), ...roomItems(rooms), ...actions(rooms)]
    const best = (items: readonly Item[]) =>
      items
        .map((item) => ({ item, fit: fitOf(words, item.label, item.note) }))
        .filter(({ fit }) => fit > 0)
        .toSorted((a, b) => b.fit - a.fit)
        .map(({ item }) => item)
        .slice(0, MOST_OF_GROUP)
    return [
      ...best(views()),
      ...best(roomItems(rooms)),
      ...best(actions(rooms)),
      ...fileAction(text),
      ...found.tasks.map(taskItem).filter(({ label, note }) => fitOf(words, label, note) > 0),
      ...found.memories.map(memoryItem),
      ...found.people.map(personItem),
    ]
  }, [text, found, rooms, me.value])
}

const NOTHING: Found = { tasks: [], memories: [], people: [] }
/** The hub is asked when the typing rests this long. */
const TYPING_MS = 60

function useFound(text: string, statuses: readonly TaskStatus[] | undefined): Found {
  const [found, setFound] = useState<Found>(NOTHING)
  const typed = text.trim()
  useEffect(() => {
    if (typed === '' && statuses === undefined) return setFound(NOTHING)
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const params = { text: typed, ...(statuses === undefined ? {} : { statuses }) }
      call<Found>('home.search', params, stop.signal).then(setFound, () => {})
    }, TYPING_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [typed, statuses])
  return found
}

function leading(
  group: Item['group'],
  label: string,
  rest: { readonly note: string; readonly address: string },
): Item {
  return { id: `${group} ${rest.address}`, group, label, ...rest, run: () => go(rest.address) }
}

function recentItem({ label, note, address }: Recent): Item {
  return leading('Recent', label, { note, address })
}

function views(): readonly Item[] {
  return PLACES.filter(isOffered).map(({ label, key, address }) =>
    leading('Views', label, { note: key === '' ? '' : `g ${key}`, address }),
  )
}

function roomItems(rooms: readonly RoomBrief[]): readonly Item[] {
  return rooms.map(({ id, name, status }) =>
    leading('Rooms', visible(name), { note: status === 'active' ? '' : status, address: roomAddress(id) }),
  )
}

function actions(rooms: readonly RoomBrief[]): readonly Item[] {
  const action = (label: string, run: Item['run']): Item => ({
    ...{ id: `action ${label}`, group: 'Actions', label, note: '' },
    run,
  })
  const open = rooms.filter(isOpen)
  return [
    ...open.flatMap(({ id, name }) =>
      may('make-task', id) ? [action(`New task in ${visible(name)}`, () => newTaskIn(id))] : [],
    ),
    ...open.map(({ id, name }) =>
      action(`Chat with Neo of ${visible(name)}`, () => go(`/chat/${encodeURIComponent(id)}`)),
    ),
    ...open.flatMap(({ id, name, status }) => {
      if (!may('change-room', id)) return []
      const [verb, method] = status === 'paused' ? ['Resume', 'room.resume'] : ['Pause', 'room.pause']
      return [action(`${verb} room ${visible(name)}`, () => call(method, { roomId: id }))]
    }),
    action('Show all keys', showKeys),
    action('Sign out', signOut),
  ]
}

/** A path of the home as it is typed. */
function fileAction(text: string): readonly Item[] {
  const path = text.trim()
  if (!may('change-home') || !/^(?:[\w .-]+\/)+[\w .-]+\.md$|^neo\.yaml$/.test(path)) return []
  return [leading('Actions', `Open the file ${path}`, { note: '', address: addressOf('file', path) })]
}

type FoundTask = Found['tasks'][number]

function taskItem({ id, title, roomId, status }: FoundTask): Item {
  return { ...leading('Tasks', visible(title), { note: roomId, address: addressOf('task', id) }), status }
}

function mayMove(tasks: readonly FoundTask[]): readonly FoundTask[] {
  return tasks.filter(({ roomId }) => may('move-task', roomId))
}

function taskAction(verb: string, method: string, { id, title, roomId, status }: FoundTask): Item {
  const word = verb.slice(0, 1).toUpperCase() + verb.slice(1).toLowerCase()
  return {
    ...{ id: `${method} ${id}`, group: 'Actions', label: `${word}: ${visible(title)}`, note: roomId, status },
    run: async () => {
      await call(method, { taskId: id })
      go(addressOf('task', id))
    },
  }
}

function memoryItem({ source, text, roomId }: Found['memories'][number]): Item {
  const label = visible(text.replace(/^\s*[-*+]\s+/, '')).slice(0, 120)
  const address = `/memory?${new URLSearchParams({ room: roomId, at: source }).toString()}`
  return leading('Memories', label, { note: roomId, address })
}

function personItem({ id, name, role }: Found['people'][number]): Item {
  const note = name === id ? role : `${id}, ${role}`
  return { ...leading('People', visible(name), { note, address: '/settings/people' }), id: `person ${id}` }
}
