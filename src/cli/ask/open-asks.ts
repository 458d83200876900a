/**
 * Requests by id, read from their files: unlike the hub's views they have paths and unknown keys.
 */
import { join } from 'node:path'
import type { Ask } from '../../domain/ask/ask.ts'
import { NeoError } from '../../domain/home/error.ts'
import { readAsk } from '../../files/kinds/read-ask.ts'
import { bytesAt } from '../edit-file.ts'
import { brokenFile } from '../cli-failure.ts'
import type { TaskLookup } from '../task/task-lookup.ts'
import { roomNames } from '../task/task-paths.ts'

export interface AskAt {
  readonly path: string
  readonly room: string
  readonly ask: Ask
}

type Place = Pick<TaskLookup, 'home' | 'files' | 'zone'>

/** The valid ones; `neo config check` names the others. */
export function allAsks(place: Place): readonly AskAt[] {
  return askPaths(place).flatMap(({ path, room }) => {
    try {
      return [{ path, room, ask: readAskAt(place, path) }]
    } catch (error) {
      if (error instanceof NeoError) return []
      throw error
    }
  })
}

/** Throws NeoError `missing`, or `failed` if its file is invalid. */
export function findAsk(place: Place, typed: string): AskAt {
  const paths = askPaths(place)
  const named = paths.find(({ path }) => path === typed || path.endsWith(`/${typed}.md`))
  if (named !== undefined) return { ...named, ask: readAskAt(place, named.path) }
  const found = allAsks(place).find(({ ask }) => ask.id === typed)
  if (found !== undefined) return found
  throw new NeoError('missing', `Cannot find the request "${typed}": no request has this id`, {
    next: 'neo ask list',
  })
}

export function readAskAt({ home, files, zone }: Place, path: string): Ask {
  const read = readAsk(path, bytesAt(files, join(home, path)), zone)
  if (read.kind === 'ok') return read.value
  throw brokenFile('Cannot read the request', read.kind === 'bad' ? read.problems : [])
}

function askPaths({ home, files }: Place): { path: string; room: string }[] {
  return roomNames(home, files).flatMap((room) =>
    files
      .names(join(home, 'rooms', room, 'asks'))
      .filter((name) => name.endsWith('.md') && !name.startsWith('.') && name !== 'README.md')
      .map((name) => ({ path: `rooms/${room}/asks/${name}`, room })),
  )
}
