/**
 * What of a home is worth a hint: neo.yaml and `.env`, rooms without sessions and transcripts, the standing context,
 * members, agents, skills, commands, scopes, memory, templates. Everything else (worktrees, node_modules, the files that
 * sessions write) is never watched, however much there is of it. What a file means is the rescan's affair.
 */

const TEMP_NAMES: readonly RegExp[] = [
  /^\./, // ours (.x.neo-1-2.tmp), vim (.x.swp), emacs locks (.#x), gedit (.goutputstream-1), nano, LibreOffice, sync
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

/** vim asks whether a folder can be written by making a file 4913, or 5036, 5159, … where that exists. */
const VIM_PROBE = { first: 4913, step: 123, tries: 40 }

export function isTempName(name: string): boolean {
  return TEMP_NAMES.some((pattern) => pattern.test(name)) || isVimProbe(name)
}

function isVimProbe(name: string): boolean {
  if (!/^\d{4,5}$/.test(name)) return false
  const above = Number(name) - VIM_PROBE.first
  return above >= 0 && above % VIM_PROBE.step === 0 && above / VIM_PROBE.step < VIM_PROBE.tries
}

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
