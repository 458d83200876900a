/**
 * Which paths an export of a home may contain. Invariants: 1. an accepted path stays below its folder on every common
 * file system; 2. none is the folder of git, under any name that a file system accepts for it; 3. no two are the same
 * file on file systems that ignore case or Unicode form; 4. nothing is below a file or a link.
 */
import { folded as lenient } from './held-paths.ts'

const MOST_PATH = 2_000
const MOST_NAME = 255
const MOST_DEPTH = 60
// biome-ignore lint/suspicious/noControlCharactersInRegex: names must not contain them
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/

/** Why a path is refused; null if it isn't. */
export function pathTrouble(path: string): string | null {
  if (path === '' || path.length > MOST_PATH) return 'it is empty or too long'
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return 'it is absolute'
  if (FORBIDDEN.test(path)) return 'it contains a control character or a backslash'
  const names = path.split('/')
  if (names.length > MOST_DEPTH) return 'it is too deep'
  for (const name of names) {
    if (name === '' || name === '.' || name === '..') return 'it points outside of its folder'
    if (new TextEncoder().encode(name).length > MOST_NAME) return 'a name in it is too long'
    if (isGit(name)) return "it is in git's own folder"
  }
  const top = lenient(names[0] ?? '').toLowerCase()
  if (top === '.neo') return "it is in Neo's own folder"
  if (top === '.env' && names.length === 1) return 'it is the file with secrets'
  return null
}

/** `.git`, and names that Windows and macOS read as that. */
function isGit(name: string): boolean {
  return /^(?:\.git|git~\d+)$/.test(lenient(name).toLowerCase())
}

export interface ExportPaths {
  /** Why the next path is refused; null if it is accepted. */
  take(path: string): string | null
}

export function openExportPaths(): ExportPaths {
  /** By folded path: `folder` if something is below it, else `file`. */
  const known = new Map<string, { readonly kind: 'file' | 'folder'; readonly path: string }>()
  const clash = (path: string, kind: 'file' | 'folder'): string | null => {
    const before = known.get(folded(path))
    if (before === undefined) return null
    if (before.path !== path) return `it clashes with "${before.path}"`
    return before.kind === kind && kind === 'folder' ? null : 'it is duplicated'
  }
  return {
    take(path) {
      const trouble = pathTrouble(path) ?? clash(path, 'file')
      if (trouble !== null) return trouble
      const folders = foldersOf(path)
      const wrong = folders.map((folder) => clash(folder, 'folder')).find((one) => one !== null)
      if (wrong !== undefined) return wrong
      for (const folder of folders) known.set(folded(folder), { kind: 'folder', path: folder })
      known.set(folded(path), { kind: 'file', path })
      return null
    },
  }
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase().normalize('NFC')
}

function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, at) => names.slice(0, at + 1).join('/'))
}

/** Why a link is refused; null if it stays in the folder. */
export function linkTrouble(path: string, target: string): string | null {
  if (target === '' || target.length > MOST_PATH) return 'its target is empty or too long'
  if (target.startsWith('/') || FORBIDDEN.test(target) || /^[a-z]:/i.test(target))
    return 'its target is absolute'
  let depth = path.split('/').length - 1
  for (const name of target.split('/')) {
    if (isGit(name)) return "it leads into git's own folder"
    if (/^\.(?:neo|env)$/.test(lenient(name).toLowerCase())) return "it leads to Neo's own files or secrets"
    if (name === '..') depth--
    else if (name !== '' && name !== '.') depth++
    if (depth < 0) return 'it points outside of the home'
  }
  return null
}
