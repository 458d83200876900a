/**
 * Bookkeeping: what a round puts in order (ids for new tasks, rooms and schedules, deletions, tasks for humans, blocked
 * tasks) is drafted first, then committed together: a burst of 1,000 new rooms is one commit. Invariants: 1. a draft
 * writes nothing; 2. only drafts of one author and one verb share a commit, never what a person approved or a session
 * did; 3. two drafts of one path never share a commit.
 */
import type { Decision } from '../../domain/plan/decision.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { counted } from '../../domain/text/counted.ts'
import type { FileChange } from '../commit/journal.ts'
import { noteGone } from '../commit/new-id.ts'
import { type Intent, type Transacted, transact } from '../commit/transact.ts'
import type { Context } from '../context.ts'
import { sharedSubject, type Trailers } from './commit-words.ts'
import { effectOf } from './effect-table.ts'
import { commitDraft, type Draft, goneIn } from './task-write.ts'

/** A commit's files are one line of the journal, which has to fit into memory several times. */
const MOST_BYTES = 32 * 1024 * 1024

export interface Kept {
  /** Nothing was done, because the file has changed. */
  readonly lost: readonly Decision[]
  /** Paths to look at again. */
  readonly again: readonly string[]
}

/** Carries out those decisions that share commits: one commit for each verb and author. */
export async function commitBookkeeping(
  context: Context,
  snapshot: Snapshot,
  decisions: readonly Decision[],
): Promise<Kept> {
  const lost: Decision[] = []
  const again: string[] = []
  const paths = new Set<string>()
  const groups = new Map<string, { verb: string; drafts: Draft[] }>()
  for (const decision of decisions.toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))) {
    const effect = effectOf(decision)
    if (!('draft' in effect)) continue
    const { verb } = effect
    const draft = await effect.draft(context, snapshot, decision)
    if (draft === null) {
      lost.push(decision)
      continue
    }
    const { changes, author } = draft.intent
    if (changes.some(({ path }) => paths.has(path))) {
      again.push(pathOf(decision))
      continue
    }
    for (const { path } of changes) paths.add(path)
    const key = `${verb} ${author.email}`
    const group = groups.get(key) ?? { verb, drafts: [] }
    groups.set(key, group)
    group.drafts.push(draft)
  }
  for (const { verb, drafts } of groups.values())
    for (const part of parted(drafts))
      if ((await commitDrafts(context, verb, part)) === 'lost')
        again.push(...part.flatMap(({ intent }) => intent.changes.map(({ path }) => path)))
  return { lost, again }
}

function pathOf(decision: Decision): string {
  return 'path' in decision ? decision.path : ''
}

/** Drafts that go into one commit: all of them, unless their texts are very large. */
function* parted(drafts: readonly Draft[]): Generator<readonly Draft[]> {
  let [part, bytes]: [Draft[], number] = [[], 0]
  for (const draft of drafts) {
    const own = draft.intent.changes.reduce((sum, { after }) => sum + (after?.length ?? 0), 0)
    if (part.length > 0 && bytes + own > MOST_BYTES) {
      yield part
      part = []
      bytes = 0
    }
    part.push(draft)
    bytes += own
  }
  if (part.length > 0) yield part
}

async function commitDrafts(context: Context, verb: string, drafts: readonly Draft[]): Promise<Transacted> {
  const [first] = drafts
  if (first === undefined) return 'done'
  if (drafts.length === 1) return commitDraft(context, first)
  const done = await transact(context, shared(verb, drafts, first))
  if (done !== 'lost') {
    noteGone(context, goneIn(drafts))
    report(context, verb, drafts)
  }
  return done
}

function shared(verb: string, drafts: readonly Draft[], { intent }: Draft): Intent {
  const changes: FileChange[] = drafts.flatMap((draft) => draft.intent.changes)
  return {
    ...intent,
    changes,
    subject: sharedSubject(verb, drafts),
    body: bodyOf(drafts),
    trailers: [
      ...shownTrailers(drafts.flatMap((draft) => draft.intent.trailers)),
      ['Neo-Event', verb === 'adopt' ? verb : intent.kind],
    ],
  }
}

/** Lines that a person still reads; a commit of more files is found by its paths. */
const MOST_NAMED = 200

function bodyOf(drafts: readonly Draft[]): string {
  const named = drafts.slice(0, MOST_NAMED).map(({ event }) => event.text)
  const more = drafts.length - named.length
  return [...named, ...(more > 0 ? [`and ${counted(more, 'other')}`] : [])].join('\n')
}

/** Each once; of many rooms or tasks none, so that no trailer looks complete when it isn't. */
function shownTrailers(all: Trailers): Trailers {
  const byKey = new Map<string, Set<string>>()
  for (const [key, value] of all) byKey.set(key, (byKey.get(key) ?? new Set()).add(value))
  return [...byKey].flatMap(([key, values]) =>
    key === 'Neo-Event' || values.size > MOST_NAMED ? [] : [...values].map((value) => [key, value] as const),
  )
}

/** Many are one line; of `block` each says why. */
function report(context: Context, verb: string, drafts: readonly Draft[]): void {
  if (drafts.length <= MOST_SAID || verb === 'block') {
    for (const { event } of drafts) context.emit(event)
    return
  }
  const rooms = new Set(drafts.map(({ room }) => room))
  const [room] = rooms
  const text = sharedSubject(verb, drafts).replace(/^neo[^:]*: /, '')
  const kind = drafts[0]?.event.kind ?? verb
  context.emit({ kind, text, ...(rooms.size === 1 && room !== undefined ? { room } : {}) })
}

/** More events at once are one line. */
const MOST_SAID = 20
