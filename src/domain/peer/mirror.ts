/**
 * The context mirror: what somebody does in an editor or terminal, as events, and what follows from the latest ones. Pure.
 * Invariant 1: what was said in chats is in the snapshot for its owner, and in no other text that is made here.
 */
import { counted } from '../text/counted.ts'

export const MIRROR_KINDS = [
  'file.opened',
  'file.edited',
  'file.saved',
  'chat.message',
  'chat.response',
  'diagnostic',
  'test.run',
  'command.executed',
] as const
export type MirrorKind = (typeof MIRROR_KINDS)[number]

export interface MirrorEvent {
  readonly kind: MirrorKind
  /** ISO 8601 UTC. */
  readonly at: string
  readonly room: string
  /** Relative to the workspace. */
  readonly file?: string | undefined
  readonly linesAdded?: number | undefined
  readonly linesRemoved?: number | undefined
  /** Of a change. */
  readonly summary?: string | undefined
  /** Of a chat, or of a diagnostic. */
  readonly text?: string | undefined
  readonly line?: number | undefined
  readonly severity?: 'error' | 'warning' | undefined
  /** Of a test, or the command. */
  readonly name?: string | undefined
  readonly status?: 'passed' | 'failed' | 'skipped' | undefined
  readonly durationMs?: number | undefined
  readonly exitCode?: number | undefined
}

export interface ContextSnapshot {
  readonly timestamp: string
  readonly activeFiles: string[]
  readonly recentChanges: { file: string; linesAdded: number; linesRemoved: number; summary: string }[]
  readonly recentChat: { role: 'user' | 'assistant'; content: string; timestamp: string }[]
  readonly activeErrors: { file: string; line: number; message: string; severity: 'error' | 'warning' }[]
  readonly recentTests: { name: string; status: string; durationMs: number | null }[]
  readonly focusSummary: string
}

/** What is older is in no snapshot. */
export const RECENT_MS = 2 * 3_600_000
const MOST_FILES = 10
const MOST_CHANGES = 20
const MOST_CHAT = 20
const MOST_ERRORS = 50
const MOST_TESTS = 50

/** @param events oldest first */
export function snapshotOf(events: readonly MirrorEvent[], now: string): ContextSnapshot {
  const recent = events.filter(({ at }) => Date.parse(now) - Date.parse(at) <= RECENT_MS).toReversed()
  const files = [
    ...new Set(
      recent.flatMap(({ kind, file }) => (kind.startsWith('file.') && file !== undefined ? [file] : [])),
    ),
  ]
  const changes = changesIn(recent)
  const errors = errorsIn(recent)
  return {
    timestamp: now,
    activeFiles: files.slice(0, MOST_FILES),
    recentChanges: changes,
    recentChat: chatIn(recent),
    activeErrors: errors,
    recentTests: testsIn(recent),
    focusSummary: focus(files, changes, errors),
  }
}

/** A file once, with the sum of its changes and the last summary. */
function changesIn(recent: readonly MirrorEvent[]): ContextSnapshot['recentChanges'] {
  const found = new Map<string, ContextSnapshot['recentChanges'][number]>()
  for (const { kind, file, linesAdded = 0, linesRemoved = 0, summary = '' } of recent) {
    if ((kind !== 'file.edited' && kind !== 'file.saved') || file === undefined) continue
    const known = found.get(file)
    found.set(file, {
      file,
      linesAdded: (known?.linesAdded ?? 0) + linesAdded,
      linesRemoved: (known?.linesRemoved ?? 0) + linesRemoved,
      summary: known === undefined || known.summary === '' ? summary : known.summary,
    })
  }
  return [...found.values()].slice(0, MOST_CHANGES)
}

function chatIn(recent: readonly MirrorEvent[]): ContextSnapshot['recentChat'] {
  return recent
    .filter(({ kind }) => kind === 'chat.message' || kind === 'chat.response')
    .slice(0, MOST_CHAT)
    .map(
      ({ kind, text = '', at }) =>
        ({ role: kind === 'chat.message' ? 'user' : 'assistant', content: text, timestamp: at }) as const,
    )
}

/** The last word on each place; one without a text says that it is mended. */
function errorsIn(recent: readonly MirrorEvent[]): ContextSnapshot['activeErrors'] {
  const seen = new Set<string>()
  return recent
    .filter(({ kind, file = '', line = 0 }) => {
      const place = `${file}:${line}`
      if (kind !== 'diagnostic' || seen.has(place)) return false
      seen.add(place)
      return true
    })
    .filter(({ text = '' }) => text !== '')
    .slice(0, MOST_ERRORS)
    .map(({ file = '', line = 0, text = '', severity = 'error' }) => ({
      file,
      line,
      message: text,
      severity,
    }))
}

function testsIn(recent: readonly MirrorEvent[]): ContextSnapshot['recentTests'] {
  const last = new Map<string, ContextSnapshot['recentTests'][number]>()
  for (const { kind, name = '', status = 'failed', durationMs = null } of recent)
    if (kind === 'test.run' && !last.has(name)) last.set(name, { name, status, durationMs })
  return [...last.values()].slice(0, MOST_TESTS)
}

function focus(
  files: readonly string[],
  changes: ContextSnapshot['recentChanges'],
  errors: ContextSnapshot['activeErrors'],
): string {
  const [file] = files
  if (file === undefined) return 'Nothing in the last two hours.'
  const changed = changes.length === 0 ? '' : `; ${counted(changes.length, 'file')} changed`
  const failing = errors.length === 0 ? '' : `; ${counted(errors.length, 'open error')}`
  return `Works on ${file}${changed}${failing}.`
}

/** Lines for agents of other homes: files, changes and errors that `isIn`, tests for the whole, and nothing of chats. */
export function mirrorFacts(
  { activeFiles, recentChanges, activeErrors, recentTests }: ContextSnapshot,
  { isIn, isWhole }: { readonly isIn: (file: string) => boolean; readonly isWhole: boolean },
): readonly string[] {
  const changes = recentChanges.filter(({ file }) => isIn(file))
  const errors = activeErrors.filter(({ file }) => isIn(file))
  return [
    ...activeFiles.filter(isIn).map((file) => `open file ${file}`),
    ...changes.map(
      ({ file, linesAdded, linesRemoved, summary }) =>
        `uncommitted ${file} +${linesAdded} -${linesRemoved} ${summary}`,
    ),
    ...errors.map(({ file, line, message, severity }) => `${severity} ${file}:${line} ${message}`),
    ...(isWhole ? recentTests.map(({ name, status }) => `test ${name} ${status}`) : []),
  ]
}
