/**
 * Subjects and trailers of the commits that Neo makes in a home: `neo(<room>): <verb> <task> (<result>)`. Programs read
 * the trailers; subjects are for people.
 */
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { counted } from '../../domain/text/counted.ts'
import type { Person } from '../../ports/git-port.ts'
import type { Intent } from '../commit/transact.ts'

export type Trailers = readonly (readonly [string, string])[]

/** Characters of a result in a task's header and in a commit's body; the session's file has all of it. */
const RESULT_LENGTH = 120
/** Characters of a subject: git's tools cut longer ones. */
const SUBJECT_LENGTH = 72
/** A result of which fewer characters would be left is not worth a place in a subject. */
const LEAST_RESULT = 12

/** @param what a verb and its object, such as `start build` */
export function subjectOf(room: string, what: string, result = ''): string {
  const begin = cut(`neo(${oneLine(room)}): ${oneLine(what)}`, SUBJECT_LENGTH)
  const said = oneLine(result)
  const left = SUBJECT_LENGTH - [...begin].length - ' ()'.length
  if (said === '' || left < Math.min(LEAST_RESULT, [...said].length)) return begin
  return `${begin} (${cut(said, left)})`
}

/** Subject and body of a commit: the body has a result that the subject has no room for. */
export function messageOf(room: string, what: string, result: string): Pick<Intent, 'subject' | 'body'> {
  const subject = subjectOf(room, what, result)
  const said = oneLine(result)
  return { subject, body: subject.endsWith(`(${said})`) ? '' : said }
}

/** `assign * to human` has its object at the star, other verbs before it. */
export function verbPhrase(verb: string, object: string): string {
  return verb.includes('*') ? verb.replace('*', () => object) : `${verb} ${object}`
}

interface Named {
  readonly room: string
  readonly noun: 'room' | 'schedule' | 'task'
  readonly name: string
}

/** The subject of a commit for several files: their names if they fit, else how many they are. */
export function sharedSubject(verb: string, all: readonly Named[]): string {
  const rooms = new Set(all.map(({ room }) => room))
  const [room = ''] = rooms
  const begin = rooms.size === 1 ? `neo(${oneLine(room)}): ` : 'neo: '
  const labels = all.slice(0, SUBJECT_LENGTH).map((one) => labelOf(one, rooms.size))
  const names = `${begin}${verbPhrase(verb, flat(labels.join(', ')))}`
  return [...names].length <= SUBJECT_LENGTH
    ? names
    : cut(`${begin}${verbPhrase(verb, countsOf(all))}`, SUBJECT_LENGTH)
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

/** Of a commit about a room; `more` names what it is about. */
export function roomTrailers(room: string, event: string, more: Trailers = []): Trailers {
  return [['Neo-Room', room], ...more, ['Neo-Event', event]]
}

export function sessionTrailers({ room, taskId, id }: SessionRecord, event: string): Trailers {
  return roomTrailers(room, event, [
    ['Neo-Task', taskId],
    ['Neo-Session', id],
  ])
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

/** A person whose uncommitted edit is in the commit is its co-author. */
export function coAuthor(file: Pick<TaskFile, 'gitStatus'>, person: Person): Trailers {
  return file.gitStatus === 'edited' ? [['Co-authored-by', `${person.name} <${person.email}>`]] : []
}

/** One line without control characters, at most RESULT_LENGTH characters. */
export function oneLine(text: string): string {
  return cut(flat(text), RESULT_LENGTH)
}

function flat(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: taking control characters out is the point
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()
}

function cut(text: string, length: number): string {
  const letters = [...text]
  return letters.length <= length ? text : `${letters.slice(0, length - 1).join('')}…`
}
