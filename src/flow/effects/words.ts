/**
 * The words and trailers of our commits, in one place: `neo(<room>): <verb> <task> — <result>` (2-files, "Commits and
 * merges"). Takes the subject's parts; gives text without line breaks, cut to what git tools show.
 */
import type { TaskFile } from '../../core/model/snapshot.ts'
import type { Person } from '../../ports.ts'

export type Trailers = readonly (readonly [string, string])[]

/** Longer results end with an ellipsis: the whole stands in the session file. */
const RESULT_LENGTH = 120

/** @param what `<verb> <task>` */
export function subjectOf(room: string, what: string, result = ''): string {
  const tail = result === '' ? '' : ` — ${oneLine(result)}`
  return `neo(${oneLine(room)}): ${oneLine(what)}${tail}`
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
