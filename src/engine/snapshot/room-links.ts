/** Symbolic links in place of rooms and other folders of a home: they are never followed. */

import { isWantedFolder, kindOf } from '../../domain/home/home-paths.ts'
import type { Problem } from '../../domain/home/problem.ts'
import type { ScanEntry } from '../../ports/files-port.ts'

/** Whether the path is one of a home's folders. */
export function isLinkedFolder(path: string): boolean {
  return isWantedFolder(path) && kindOf(path) === null && !isOwn(path)
}

/** Names that start with `_`, and files such as pictures beside tasks, are the user's own. */
function isOwn(path: string): boolean {
  return (
    /(?:^|\/)_/.test(path) || /^(?:[^/]+\/){3,}[^/]*\./.test(path) || path.startsWith('workspace/skills/')
  )
}

export function linksApart(found: readonly ScanEntry[]): {
  readonly links: readonly Problem[]
  readonly others: readonly ScanEntry[]
} {
  const isLink = ({ kind, path }: ScanEntry) => kind === 'link' && isLinkedFolder(path)
  const links = found.filter(isLink).map(({ path }) => problemOf(path))
  return {
    links: links.toSorted((a, b) => (a.file < b.file ? -1 : 1)),
    others: links.length === 0 ? found : found.filter((one) => !isLink(one)),
  }
}

function problemOf(path: string): Problem {
  return {
    file: path,
    line: null,
    column: null,
    severity: 'error',
    code: 'link',
    message: `Symbolic links are not followed, so Neo ignores what is in it`,
    hint: `Replace the link with the folder itself${isRoom(path) ? ', or set workspace: to another repository' : ''}`,
  }
}

function isRoom(path: string): boolean {
  return /^rooms(?:\/[^/]+)?$/.test(path)
}
