/**
 * What of a home is watched: the folders, found by one walk that never looks at files, and the names that are worth a
 * hint: neo.yaml and `.env`, rooms without sessions and transcripts, workspace-wide context, members, agents, skills,
 * commands, scopes, memory, templates. Everything else (worktrees, node_modules, files that sessions write) is never
 * watched, however much there is of it.
 */
import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/** Folders from `from` down: relative to the home (`''` first) → identity. Includes those that can't be listed. */
export function walk(home: string, from: string): ReadonlyMap<string, string> {
  return identities(listedBelow(home, from, new Map()))
}

/** Whether more than `limit` files are admitted. */
export function holdsMore(home: string, limit: number): boolean {
  if (limit < 0) return true
  let files = 0
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of list(join(home, folder))) {
      const path = below(folder, entry.name)
      if (entry.isDirectory()) {
        if (admits(path, 'folder')) waiting.push(path)
      } else if (admits(path, 'file') && ++files > limit) return true
    }
  }
  return false
}

interface Listed {
  readonly identity: string
  readonly mtimeMs: number
  /** Epoch ms before the folder was listed. */
  readonly at: number
  /** Admitted folders in it. */
  readonly folders: readonly string[]
}

/** A folder that changed so shortly before it was listed may have changed again with the same time. */
const COARSE_MS = 2000

/** Each call returns the folders as they are now; a folder with the known time of change is not listed again. */
export function openFolderWalk(home: string): () => ReadonlyMap<string, string> {
  let known: ReadonlyMap<string, Listed> = new Map()
  return () => {
    known = listedBelow(home, '', known)
    return identities(known)
  }
}

function listedBelow(
  home: string,
  from: string,
  known: ReadonlyMap<string, Listed>,
): ReadonlyMap<string, Listed> {
  const now = new Map<string, Listed>()
  const waiting = [from]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const listed = listedNow(home, folder, known.get(folder))
    if (listed === null) continue
    now.set(folder, listed)
    waiting.push(...listed.folders)
  }
  return now
}

function identities(folders: ReadonlyMap<string, Listed>): ReadonlyMap<string, string> {
  return new Map([...folders].map(([folder, { identity }]) => [folder, identity]))
}

function listedNow(home: string, folder: string, before: Listed | undefined): Listed | null {
  const at = Date.now()
  const stat = folderStat(join(home, folder))
  if (stat === null) return null
  const [identity, { mtimeMs }] = [identityIn(stat), stat]
  if (before?.identity === identity && before.mtimeMs === mtimeMs && mtimeMs < before.at - COARSE_MS)
    return before
  const paths = list(join(home, folder)).map((entry) => [below(folder, entry.name), entry] as const)
  const folders = paths.filter(([path, entry]) => entry.isDirectory() && admits(path, 'folder'))
  return { identity, mtimeMs, at, folders: folders.map(([path]) => path) }
}

/** Relative path of an entry of a folder. */
export function below(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

/** Differs if a folder was removed and made again, also with the same inode; null without a folder. */
export function identityOf(path: string): string | null {
  const stat = folderStat(path)
  return stat === null ? null : identityIn(stat)
}

function identityIn({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`
}

function folderStat(path: string): Stats | null {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat?.isDirectory() ? stat : null
  } catch {
    return null
  }
}

function list(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch {
    return []
  }
}

const TEMP_NAMES: readonly RegExp[] = [
  /^\./, // Neo (.x.neo-1-2.tmp), vim (.x.swp), emacs locks (.#x), gedit (.goutputstream-1), nano, LibreOffice, sync
  /~$/, // vim, emacs, gedit: backup copies
  /^#.*#$/, // emacs: autosave
  /^~\$/, // office programs: owner file
  /\.tmp$/i, // many
  /\.tmp[.-][\w.-]+$/i, // writers that add pid and counter: x.md.tmp.123.4, x.md.tmp-17a
  /___jb_(tmp|old)___$/, // JetBrains
  /\.md\.\d+$/i, // write-file-atomic
  /\.sw[a-z]$/, // vim without the dot
  /\.(bak|orig|rej|part|crdownload)$/i,
  /^sed[A-Za-z0-9]{6}$/, // sed -i
]

/** vim asks whether a folder can be written by making a file 4913, or 5036, 5159, … if that exists. */
const VIM_PROBE = { first: 4913, step: 123, tries: 40 }

export function isTempName(name: string): boolean {
  return TEMP_NAMES.some((pattern) => pattern.test(name)) || isVimProbe(name)
}

function isVimProbe(name: string): boolean {
  if (!/^\d{4,5}$/.test(name)) return false
  const above = Number(name) - VIM_PROBE.first
  return above >= 0 && above % VIM_PROBE.step === 0 && above / VIM_PROBE.step < VIM_PROBE.tries
}

type Kind = 'file' | 'folder'

const IN_WORKSPACE = ['members', 'agents', 'skills', 'commands', 'scopes', 'memory']
/** One file per session and turn: written only by Neo, and without end. */
const IN_ROOM_NOT = ['sessions', 'transcripts']

/** True if a change of this file, or inside this folder, is worth a look. The home itself (`''`) is. */
export function admits(path: string, kind: Kind): boolean {
  if (path === '') return kind === 'folder'
  if (path === 'neo.yaml' || path === '.env') return kind === 'file'
  const parts = path.split('/')
  if (parts.some((part) => part.startsWith('.') || part === 'node_modules')) return false
  if (!admitsPlace(parts, kind)) return false
  return kind === 'folder' || isDocument(parts[parts.length - 1] ?? '')
}

function admitsPlace(parts: readonly string[], kind: Kind): boolean {
  const [top, second, third] = parts
  if (top === 'templates') return kind === 'folder' || parts.length > 1
  if (top === 'rooms') return !(third !== undefined && IN_ROOM_NOT.includes(third))
  if (top !== 'workspace') return false
  if (second === undefined) return kind === 'folder'
  if (parts.length === 2 && kind === 'file') return true
  return IN_WORKSPACE.includes(second)
}

function isDocument(name: string): boolean {
  return name.toLowerCase().endsWith('.md') && !isTempName(name)
}
