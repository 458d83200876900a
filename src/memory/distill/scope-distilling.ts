/**
 * Distils a scope by rules: its messages since the watermark become facts and notes; commands add and share facts. For a
 * shared scope, call it in the Context's line. Invariants: 1. the watermark moves after the files and lines name their
 * source, so that a kill duplicates nothing; 2. a scope that fails waits 30 s, up to 10 min, and blocks no other, and no answer.
 */

import { join } from 'node:path'
import { type FactLine, factLine, joined, linesOf, readFact } from '../../domain/memory/distill-lines.ts'
import { distill, type Said } from '../../domain/memory/distill-rules.ts'
import { shortHash } from '../../domain/policy/known-people.ts'
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import { wallOf } from '../../domain/schedule/schedule-zone.ts'
import { counted } from '../../domain/text/counted.ts'
import type { Context } from '../../engine/context.ts'
import { distillEvery, memorySetting } from '../memory-settings.ts'
import { openScopeTexts, writeScopeTexts } from './distill-files.ts'
import {
  failedAgain,
  type Heard,
  heardSince,
  type Mark,
  markAt,
  NO_FAILURE,
  saveMarkAt,
  type Watermark,
} from './read-transcripts.ts'

export interface ScopeReport {
  readonly scope: string
  /** `waits`: a file is being edited, or the home is away: again later. */
  readonly kind: 'done' | 'nothing' | 'waits'
  readonly facts: number
  readonly notes: number
  /** Secrets that were said and are not kept: `human: password`. */
  readonly refused: readonly string[]
}

export function scopeMarkOf(context: Pick<Context, 'world'>, scope: ScopeAt): Mark {
  return markAt(context, pathOf(scope))
}

function pathOf({ state }: ScopeAt): string {
  return join(state, 'distilled.json')
}

/** What was said in a scope since a watermark. */
export function heardInScope({ home, world, look }: Context, scope: ScopeAt, since: Watermark): Heard {
  const { name: room, state: dir, folder, keeps } = scope
  const moved = join(folder, keeps === 'shared' ? 'transcripts' : 'moved')
  return heardSince({ home, dir, files: world.files, room, moved, timezone: look.config().timezone }, since)
}

/** True where enough was said, or the conversation was closed, and nothing is against it. */
export function isScopeDue(context: Context, scope: ScopeAt): boolean {
  const config = context.look.config()
  const mark = scopeMarkOf(context, scope)
  if (memorySetting(config, 'distill') === 'off' || mark.retryAt > context.world.clock.now()) return false
  const { said, closed } = heardInScope(context, scope, mark)
  return said.length >= distillEvery(config) || (closed === 'yes' && said.length > 0)
}

/** Failures are noted in the scope's mark and thrown. */
export async function distillScope(context: Context, scope: ScopeAt): Promise<ScopeReport> {
  const mark = scopeMarkOf(context, scope)
  try {
    const { said, watermark } = heardInScope(context, scope, mark)
    const report = await keepSaid(context, scope, said)
    if (report.kind !== 'waits') saveMarkAt(context, pathOf(scope), { ...watermark, ...NO_FAILURE })
    return report
  } catch (error) {
    saveMarkAt(context, pathOf(scope), { ...mark, ...failedAgain(context, mark, error) })
    throw error
  }
}

async function keepSaid(context: Context, scope: ScopeAt, said: readonly Said[]): Promise<ScopeReport> {
  const before = openScopeTexts(context, scope, said)
  const after = distill(said, before)
  const { facts, noted: notes, refused } = after
  const done = await writeScopeTexts(context, scope, {
    before,
    after,
    says: `${counted(facts, 'fact')}, ${counted(notes, 'note')}`,
  })
  const kind = done === 'lost' ? 'waits' : facts + notes > 0 ? 'done' : 'nothing'
  return { scope: scope.name, kind, facts, notes, refused }
}

export interface Remember {
  /** `human`, `member:<id>`, `neo`. */
  readonly speaker: string
  readonly content: string
  /** The same key is kept once. */
  readonly key: string
}

/** Keeps one fact now. */
export async function rememberIn(context: Context, scope: ScopeAt, of: Remember): Promise<ScopeReport> {
  const wall = new Date(wallOf(context.world.clock.now(), context.look.config().timezone)).toISOString()
  // One fact, however many sentences it has.
  const text = of.content
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/([.!?。！])\s+/gu, '$1; ')
    .trim()
  const said: Said = {
    ...{ speaker: of.speaker, isPerson: true, day: wall.slice(0, 10), time: wall.slice(11, 16) },
    text: `remember ${text}`,
    source: `said-${shortHash(of.key)}:1`,
  }
  return keepSaid(context, scope, [said])
}

/** Facts of a speaker that hold all of these words, whatever their order and letters; none for no words. */
export function factsOf(
  context: Context,
  scope: ScopeAt,
  { speaker, words }: { readonly speaker: string; readonly words: string },
): readonly FactLine[] {
  return thatHold(linesOf(openScopeTexts(context, scope, []).memory, ''), { speaker, words })
}

function thatHold(
  lines: readonly string[],
  { speaker, words }: { readonly speaker: string; readonly words: string },
): readonly FactLine[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return []
  return lines
    .flatMap((line) => readFact(line) ?? [])
    .filter((fact) => fact.speaker === speaker && wanted.every((word) => holds(fact, word)))
}

function holds({ key, value }: FactLine, word: string): boolean {
  return `${key} ${value}`.toLowerCase().includes(word)
}

/** Facts of a speaker that hold these words and were shared with that room already. */
export function sharedBefore(
  context: Context,
  scope: ScopeAt,
  of: { readonly speaker: string; readonly words: string; readonly to: string },
): readonly FactLine[] {
  const begin = sharedWith(of.to)
  const lines = linesOf(openScopeTexts(context, scope, []).history, '').filter((one) => one.startsWith(begin))
  return thatHold(
    lines.map((line) => `- ${line.slice(begin.length)}`),
    of,
  )
}

function sharedWith(room: string): string {
  return `- shared with ${room}: `
}

/** Facts that were shared leave MEMORY.md; HISTORY.md tells when and where to. */
export async function takeOut(
  context: Context,
  scope: ScopeAt,
  { facts, to }: { readonly facts: readonly FactLine[]; readonly to: string },
): Promise<'done' | 'lost'> {
  const before = openScopeTexts(context, scope, [])
  const gone = new Set(facts.map(factLine))
  const lines = linesOf(before.memory, '# What is known')
  const moved = lines.filter((line) => gone.has(line)).map((line) => `${sharedWith(to)}${line.slice(2)}`)
  if (moved.length === 0) return 'done'
  const after = {
    memory: joined(lines.filter((line) => !gone.has(line))),
    history: joined([...linesOf(before.history, '# What was known'), ...moved]),
    notes: before.notes,
  }
  return writeScopeTexts(context, scope, { before, after, says: `${moved.length} shared` })
}
