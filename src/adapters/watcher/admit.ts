/**
 * What of a home is worth a hint: neo.yaml and `.env`, rooms without sessions and transcripts, the standing context,
 * members, agents, skills, commands, scopes, memory, templates. Everything else (worktrees, node_modules, the files that
 * sessions write) is never watched, however much there is of it. What a file means is the rescan's affair.
 */
import { isTempName } from './temp-names.ts'

export type Kind = 'file' | 'folder'

const IN_WORKSPACE = ['members', 'agents', 'skills', 'commands', 'scopes', 'memory']
/** One file per session and turn: written by Neo alone, and without end. */
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
