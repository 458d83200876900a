/**
 * Rooms that are links: they are never walked, so nothing in them runs. Takes a home; gives a problem for each.
 * Leaves following links to nobody: what a link shows may lie outside of the repository and change without a commit.
 */
import { join } from 'node:path'
import type { Problem } from '../core/model/problem.ts'
import type { Files } from '../ports.ts'

export function linkedRooms(home: string, files: Pick<Files, 'names' | 'stat'>): readonly Problem[] {
  const names = files.names(join(home, 'rooms'))
  if (names.length > 0 && isOdd(files, join(home, 'rooms'))) return [problemOf('rooms')]
  return names
    .filter((name) => !/^[._]/.test(name) && isOdd(files, join(home, 'rooms', name)))
    .map((name) => problemOf(`rooms/${name}`))
}

/** Neither a folder nor a plain file. */
function isOdd(files: Pick<Files, 'stat'>, path: string): boolean {
  return files.stat(path, 'folder') === null && files.stat(path) === null
}

function problemOf(path: string): Problem {
  return {
    file: path,
    line: null,
    column: null,
    severity: 'error',
    code: 'link',
    message: 'It is a link, and links are not followed: nothing in it runs',
    hint: 'Put the folder itself in its place, or name another repository with workspace:',
  }
}
