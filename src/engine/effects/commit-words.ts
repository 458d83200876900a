/**
 * The words and trailers of our commits, in one place: `neo(<room>): <verb> <task> — <result>` (2-files, "Commits and
 * merges").
 */
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import { counted } from '../../domain/text/counted.ts'
import type { Person } from '../../ports/world.ts'

export type Trailers = readonly (readonly [string, string])[]

/** Longer results end with an ellipsis: the whole stands in the session file. */
const RESULT_LENGTH = 120

/** @param what `<verb> <task>` */
export function subjectOf(room: string, what: string, result = ''): string {
  const tail = result === '' ? '' : ` — ${oneLine(result)}`
  return `neo(${oneLine(room)}): ${oneLine(what)}${tail}`
}

/** Longer subjects are cut by git's tools. */
const SUBJECT_LENGTH = 72

interface Named {
  readonly room: string
  readonly noun: 'room' | 'schedule' | 'task'
  readonly name: string
}

/** The subject of a commit that several share: their names where they fit, else how many. */
export function sharedSubject(verb: string, all: readonly Named[]): string {
  const rooms = new Set(all.map(({ room }) => room))
  const [room = ''] = rooms
  const begin = rooms.size === 1 ? `neo(${oneLine(room)}): ${verb}` : `neo: ${verb}`
  const labels = all.slice(0, SUBJECT_LENGTH).map((one) => labelOf(one, rooms.size))
  const names = oneLine(`${begin} ${labels.join(', ')}`)
  return [...names].length <= SUBJECT_LENGTH ? names : `${begin} ${countsOf(all)}`
}

function labelOf({ room, noun, name }: Named, rooms: number): string {
  if (noun === 'room') return `room ${name}`
  const label = rooms === 1 ? name : `${room}/${name}`
  return noun === 'schedule' ? `schedule ${label}` : label
}

/** `1,000 rooms and 3 tasks` */
function countsOf(all: readonly Named[]): string {
  const counts = (['room', 'schedule', 'task'] as const).flatMap((noun) => {
    const count = all.filter((one) => one.noun === noun).length
    return count === 0 ? [] : [counted(count, noun)]
  })
  const last = counts.at(-1) ?? ''
  return counts.length < 2 ? last : `${counts.slice(0, -1).join(', ')} and ${last}`
}

export function taskTrailers(
  file: Pick<TaskFile, 'room' | 'task'>,
  event: string,
  more: Trailers = [],
): Trailers {
  const session = file.task.neo.session
  return [
    ['Neo-Room', file.room],
    ...(file.task.neo.id === undefined ? [] : [['Neo-Task', file.task.neo.id] as const]),
    ...(session === undefined || more.some(([key]) => key === 'Neo-Session')
      ? []
      : [['Neo-Session', session] as const]),
    ['Neo-Event', event],
    ...more,
  ]
}

/** Where a person's uncommitted edit is in the commit, they are its co-author. */
export function coAuthor(file: Pick<TaskFile, 'standing'>, person: Person): Trailers {
  return file.standing === 'edited' ? [['Co-authored-by', `${person.name} <${person.email}>`]] : []
}

/** One line without control characters, cut at a character. */
export function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: taking control characters out is the point
  const flat = text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()
  const letters = [...flat]
  return letters.length <= RESULT_LENGTH ? flat : `${letters.slice(0, RESULT_LENGTH - 1).join('')}…`
}
