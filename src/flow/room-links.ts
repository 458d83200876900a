/**
 * Rooms, and folders of files of ours, that are links: they are never walked, so nothing in them counts. Takes a home;
 * gives a problem for each. Leaves following links to nobody: what a link shows may lie outside of the repository and
 * change without a commit. Leaves links that are files of ours to catalog.ts, linked skills to skills.ts.
 */
import type { Problem } from '../core/model/problem.ts'
import { isWantedFolder, kindOf } from '../core/rules/paths.ts'
import type { Files } from '../ports.ts'

export function linkedFolders(home: string, files: Pick<Files, 'scan'>): readonly Problem[] {
  return files
    .scan(home, (path, is) => isWantedFolder(path) && (is === 'folder' || isLinkable(path)))
    .filter(({ kind }) => kind === 'link')
    .map(({ path }) => problemOf(path))
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
}

/** Names that start with `_`, and files such as pictures beside tasks, are a person's own. */
function isLinkable(path: string): boolean {
  const isOwn = /(?:^|\/)_/.test(path) || /^(?:[^/]+\/){3,}[^/]*\./.test(path)
  return kindOf(path) === null && !isOwn && !path.startsWith('workspace/skills/')
}

function problemOf(path: string): Problem {
  return {
    file: path,
    line: null,
    column: null,
    severity: 'error',
    code: 'link',
    message: `It is a link, and links are not followed: nothing in it ${isRoom(path) ? 'runs' : 'counts'}`,
    hint: `Put the folder itself in its place${isRoom(path) ? ', or name another repository with workspace:' : ''}`,
  }
}

function isRoom(path: string): boolean {
  return /^rooms(?:\/[^/]+)?$/.test(path)
}
