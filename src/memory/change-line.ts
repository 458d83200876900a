/**
 * Changes or forgets one line of MEMORY.md, HISTORY.md or the notes of a day. Invariants: 1. a line is found by the id of
 * its text: one that was changed in the meantime is left alone; 2. a forgotten fact takes its older values and the notes
 * of the same sources with it, and is not said again by search; 3. a forgotten note keeps its line and loses its words.
 */
import { FORGOTTEN, withoutFacts } from '../domain/memory/distill-forget.ts'
import { factLine, readFact } from '../domain/memory/distill-lines.ts'
import type { ScopeAt } from '../domain/policy/scope-types.ts'
import type { FileChange } from '../engine/commit/journal.ts'
import type { Context } from '../engine/context.ts'
import {
  changesOf,
  type OpenTexts,
  openScopeTexts,
  openTexts,
  writeScopeTexts,
} from './distill/distill-files.ts'
import { daysAt, leaveOut } from './distill/forgetting.ts'
import { forgottenPath, noteForgotten } from './distill/read-transcripts.ts'
import { type Entry, readEntries } from './entries.ts'
import { memoryOf } from './open-memory.ts'
import { scopeChanged } from './search/scope-recall.ts'
import { join } from 'node:path'

export interface LineChange {
  readonly entry: Entry
  /** Null: forget it. */
  readonly text: string | null
}

/** The line with this version; the one at this place if several have the same text. Null: it was changed. */
export function lineIn(
  context: Pick<Context, 'world'>,
  full: string,
  of: { readonly line: number; readonly version: string },
): Entry | null {
  const same = readEntries(context, full).filter(({ version }) => version === of.version)
  return same.find(({ line }) => line === of.line) ?? same[0] ?? null
}

/** In a room. `save` commits; to be called in the Context's line. `lost`: a file had changed, nothing was written. */
export async function changeLineInRoom(
  context: Context,
  { room, entry, text }: LineChange & { readonly room: string },
  save: (changes: readonly FileChange[]) => Promise<'done' | 'lost'>,
): Promise<'done' | 'lost'> {
  const { folder } = openTexts(context, room, [])
  const before = openTexts(context, room, daysAt(context, join(context.home, folder)))
  const after = changed(before, { entry, text })
  if (after === null || (await save(changesOf(before, after))) === 'lost') return 'lost'
  if (text === null && entry.sources.length > 0) {
    noteForgotten(context.world.files, forgottenPath(context.dir, room), entry.sources)
    context.journal.shrink()
    memoryOf(context).remake()
  } else memoryOf(context).changed()
  return 'done'
}

/** In a conversation. */
export async function changeLineInScope(
  context: Context,
  scope: ScopeAt,
  { entry, text }: LineChange,
): Promise<'done' | 'lost'> {
  const before = openScopeTexts(context, scope, daysAt(context, scope.folder))
  const says = text === null ? '1 forgotten' : '1 edited'
  const after = changed(before, { entry, text })
  if (after === null || (await writeScopeTexts(context, scope, { before, after, says })) === 'lost')
    return 'lost'
  if (text === null && entry.sources.length > 0) leaveOut(context, scope, entry.sources)
  scopeChanged(context, scope)
  return 'done'
}

type Texts = Pick<OpenTexts, 'memory' | 'history' | 'notes'>

/** Null: the line is not there any more. */
function changed(before: OpenTexts, { entry, text }: LineChange): Texts | null {
  const { raw, name, kind, speaker } = entry
  if (text === null && kind === 'fact' && readFact(raw) !== null)
    return withoutFacts({ what: '', language: 'en', all: true }, [raw], { ...before, speaker: speaker ?? '' })
  const day = name.slice(0, -3)
  const whole =
    name === 'MEMORY.md' ? before.memory : name === 'HISTORY.md' ? before.history : before.notes.get(day)
  const put = whole === undefined ? null : spliced(whole, entry, lineWith(entry, text))
  if (put === null) return null
  if (name === 'MEMORY.md') return { ...before, memory: put }
  if (name === 'HISTORY.md') return { ...before, history: put }
  return { ...before, notes: new Map([...before.notes, [day, put]]) }
}

const NOTE = /^(- \d{2}:\d{2} \[[^\]]*\] ).*?( \([\w.-]+:\d+\))?$/

/** Null: no line at all. */
function lineWith({ raw, kind }: Entry, text: string | null): string | null {
  const isNote = kind === 'daily' && NOTE.test(raw)
  if (text === null) return isNote ? raw.replace(NOTE, `$1${FORGOTTEN}$2`) : null
  const fact = readFact(raw)
  const one = text.replaceAll(/\s+/g, ' ').trim()
  if (fact !== null) return factLine({ ...fact, value: one })
  if (isNote) return raw.replace(NOTE, (_, head: string, tail = '') => `${head}${one}${tail}`)
  const mark = /^\s*[-*+]\s+/.exec(raw)?.[0] ?? ''
  return `${mark}${mark === '' ? text.trim().replaceAll(/\n{2,}/g, '\n') : one}`
}

function spliced(whole: string, { raw, line }: Entry, put: string | null): string | null {
  const lines = whole.split('\n')
  const gone = lines.splice((line ?? 1) - 1, raw.split('\n').length, ...(put === null ? [] : put.split('\n')))
  return gone.join('\n') === raw ? lines.join('\n') : null
}
