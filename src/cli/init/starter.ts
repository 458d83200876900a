/** The files of a new home: copies of the package's files, and the lines that git needs. */
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { Files } from '../../ports/files-port.ts'
import { MAX_BYTES } from '../edit-file.ts'
import { packageFolder } from '../package-folder.ts'

export interface StarterFile {
  readonly path: string
  readonly bytes: Buffer
}

/** Lines that .gitignore and .gitattributes of a home need. */
export const IGNORED = ['.neo/', '.env']
export const ATTRIBUTES = [
  'rooms/*/transcripts/*.jsonl merge=union linguist-generated',
  'workspace/scopes/**/*.jsonl merge=union linguist-generated',
]

export interface Settings {
  readonly branch: string
  /** Set if the repository has remotes: only this machine starts work, and transcripts stay local. */
  readonly shared: { readonly node: string } | null
}

/** Folders that exist from the start; empty ones get a `.gitkeep`. */
const FOLDERS = [
  ...['tasks', 'memories', 'schedules'].map((name) => `rooms/lobby/${name}`),
  ...['files', 'skills', 'commands', 'memory', 'scopes', 'members'].map((name) => `workspace/${name}`),
  'templates/tasks',
  'templates/rooms',
]

/** Workspace, templates, and the lobby or all rooms. */
export function starterFiles(files: Files, rooms: 'lobby' | 'all'): readonly StarterFile[] {
  const found = ['workspace', 'templates', 'rooms'].flatMap((folder) => below(files, folder))
  const wanted = found.filter(
    ({ path }) =>
      path !== 'templates/neo.yaml' &&
      (rooms === 'all' || !path.startsWith('rooms/') || path.startsWith('rooms/lobby/')),
  )
  const has = new Set(wanted.map(({ path }) => path))
  const missing = FOLDERS.map((folder) => `${folder}/.gitkeep`).filter(
    (path) => ![...has].some((one) => one.startsWith(path.slice(0, -'.gitkeep'.length))),
  )
  return [...wanted, ...missing.map((path) => ({ path, bytes: Buffer.alloc(0) }))]
}

function below(files: Files, folder: string): readonly StarterFile[] {
  const root = join(packageFolder(), folder)
  return files
    .scan(root, () => true)
    .flatMap(({ path, kind }) => {
      const read = kind === 'file' ? files.read(join(root, path), MAX_BYTES) : null
      return read?.kind === 'file' ? [{ path: `${folder}/${path}`, bytes: read.bytes }] : []
    })
}

/** neo.yaml with its comments, and the values of this home. */
export function starterConfig(files: Files, { branch, shared }: Settings): Buffer {
  const read = files.read(join(packageFolder(), 'templates/neo.yaml'), MAX_BYTES)
  if (read.kind !== 'file')
    throw new NeoError('internal', 'Cannot create neo.yaml: templates/neo.yaml of the package is missing')
  const own = read.bytes
    .toString('utf8')
    .replace(
      /^ {2}# branch: .*$/m,
      () => `  branch: ${yamlText(branch)}  # the branch on which work may start`,
    )
    .replace(/^ {2}# node: .*$/m, (line) =>
      shared === null ? line : `  node: ${yamlText(shared.node)}  # only this machine starts work`,
    )
    .replace(/^transcripts: commit/m, () => (shared === null ? 'transcripts: commit' : 'transcripts: local '))
  return Buffer.from(own)
}

/** Quoted if YAML could read it as something other than text. */
function yamlText(text: string): string {
  const plain = /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
  return plain ? text : JSON.stringify(text)
}

/** A text with its missing lines added at the end; null if none is missing. */
export function withLines(text: string, lines: readonly string[]): string | null {
  const there = new Set(text.split(/\r?\n/).map((line) => line.trim()))
  const missing = lines.filter((line) => !there.has(line))
  if (missing.length === 0) return null
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return `${start}${missing.join('\n')}\n`
}
