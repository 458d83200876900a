/**
 * Forgets at once what a person asks to forget: in MEMORY.md, HISTORY.md, notes, memories and the index. Invariants: 1. if
 * several facts match, they are listed and none is removed, unless all were asked for; 2. a member forgets their own
 * statements, the owner all; 3. the reply names the places that still have the words.
 */
import { join } from 'node:path'
import { cutTo } from '../../domain/agent/neo-data.ts'
import {
  type ForgetFrom,
  type ForgetRequest,
  factsMeant,
  forgetAsked,
  holdsAll,
  saidBy,
  withoutFacts,
} from '../../domain/memory/distill-forget.ts'
import { readFact } from '../../domain/memory/distill-lines.ts'
import { memoryFolderOf } from '../../domain/memory/memory-context.ts'
import { REPLIES, type Replies } from '../../domain/memory/forget-replies.ts'
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import type { FileChange } from '../../engine/commit/journal.ts'
import type { Context } from '../../engine/context.ts'
import { readMemory } from '../../files/kinds/read-memory.ts'
import { memoryKind, scopePart } from '../index/sources.ts'
import { memoryOf } from '../open-memory.ts'
import { closeScopeIndex, scopeChanged } from '../search/scope-recall.ts'
import { changesOf, type OpenTexts, openScopeTexts, openTexts, writeScopeTexts } from './distill-files.ts'
import {
  forgottenInScope,
  forgottenPath,
  type Heard,
  heardSince,
  noteForgotten,
  type Watermark,
} from './read-transcripts.ts'
import { heardInScope } from './scope-distilling.ts'

/** `none`: nothing here says that, so the message is an ordinary one. */
export type Forgot =
  | { readonly kind: 'none' }
  | { readonly kind: 'choose' | 'busy'; readonly reply: string }
  | { readonly kind: 'done'; readonly reply: string; readonly count: number }

const MOST_NAMED = 8
const NAMED_LETTERS = 120
const MOST_BYTES = 256 * 1024
const DAY = /^(\d{4}-\d{2}-\d{2})\.md$/

interface Own {
  readonly path: string
  readonly hash: string
  readonly text: string
}

/** Of a room. `save` commits; to be called in the Context's line. */
export async function forgetInRoom(
  context: Context,
  of: { readonly room: string; readonly text: string; readonly speaker: string },
  save: (changes: readonly FileChange[]) => Promise<'done' | 'lost'>,
): Promise<Forgot> {
  const { room, text, speaker } = of
  const request = forgetAsked(text)
  if (request === null) return { kind: 'none' }
  const folder = join(context.home, memoryFolderOf(room))
  const texts = openTexts(context, room, daysAt(context, folder))
  const from = { ...texts, speaker: speaker === 'human' ? null : speaker }
  const own = ownMemories(context, { room, request, speaker })
  const facts = factsMeant(request, from)
  const named = [...facts.map(saidBy), ...own.map((one) => one.text)]
  const choice = chosen(request, named)
  if (choice !== null) return choice
  const deleted = own.map(({ path, hash }) => ({ path, before: hash, after: null }))
  const changes = [...changesOf(texts, withoutFacts(request, facts, from)), ...deleted]
  const replies = REPLIES[request.language]
  if ((await save(changes)) === 'lost') return { kind: 'busy', reply: replies.busy }
  const { home, dir, world, look } = context
  const at = { home, dir, files: world.files, room, timezone: look.config().timezone }
  const talk = talkOf((since) => heardSince(at, since), request)
  noteForgotten(world.files, forgottenPath(dir, room), [...sourcesOf(facts), ...talk])
  memoryOf(context).remake()
  const reply = `${naming(named, replies)}\n${replies.remainsInGit}`
  return { kind: 'done', count: named.length, reply }
}

/** Of a conversation. */
export async function forgetInScope(
  context: Context,
  scope: ScopeAt,
  of: { readonly text: string; readonly speaker: string },
): Promise<Forgot> {
  const request = forgetAsked(of.text)
  if (request === null) return { kind: 'none' }
  const days = daysAt(context, scope.folder)
  const before: OpenTexts = openScopeTexts(context, scope, days)
  // A private conversation is its speaker's alone; in a group each forgets what they said.
  const from: ForgetFrom = { ...before, speaker: scope.keeps === 'private' ? null : of.speaker }
  const facts = factsMeant(request, from)
  const named = facts.map(saidBy)
  const choice = chosen(request, named)
  if (choice !== null) return choice
  const after = withoutFacts(request, facts, from)
  const replies = REPLIES[request.language]
  const says = `${named.length} forgotten`
  if ((await writeScopeTexts(context, scope, { before, after, says })) === 'lost')
    return { kind: 'busy', reply: replies.busy }
  const talk = talkOf((since) => heardInScope(context, scope, since), request)
  leaveOut(context, scope, [...sourcesOf(facts), ...talk])
  scopeChanged(context, scope)
  const where = scope.keeps === 'private' ? replies.remains : replies.remainsInGit
  return { kind: 'done', count: named.length, reply: `${naming(named, replies)}\n${where}` }
}

/** Places in the conversation that say the same, by any speaker. */
function talkOf(heard: (since: Watermark) => Heard, { what }: ForgetRequest): readonly string[] {
  const places: string[] = []
  for (let since: Watermark = { file: '', line: 0 }; ; ) {
    const { said, watermark } = heard(since)
    places.push(...said.filter(({ text }) => holdsAll(text, what)).map(({ source }) => source))
    if (watermark.file === since.file && watermark.line === since.line) return places
    since = watermark
  }
}

/** The index is made again without them. */
export function leaveOut(context: Context, scope: ScopeAt, places: readonly string[]): void {
  const { files, index } = context.world
  noteForgotten(files, forgottenInScope(scope.state), places)
  if (scope.keeps === 'shared') {
    noteForgotten(files, forgottenPath(context.dir, scopePart(scope.name)), places)
    memoryOf(context).remake()
    return
  }
  closeScopeIndex(context, scope)
  index?.remove(join(scope.state, 'index.db'))
}

/** `null` if the request is clear. */
function chosen({ all, language }: ForgetRequest, named: readonly string[]): Forgot | null {
  if (named.length === 0) return { kind: 'none' }
  if (named.length === 1 || all) return null
  const replies = REPLIES[language]
  const several = replies.several.replace('{n}', String(named.length))
  return { kind: 'choose', reply: [several, ...listed(named, replies), replies.which].join('\n') }
}

function naming(named: readonly string[], replies: Replies): string {
  if (named.length === 1) return `${replies.done}: ${shortened(named[0] ?? '')}`
  return [`${replies.done} (${named.length}):`, ...listed(named, replies)].join('\n')
}

function listed(named: readonly string[], { more }: Replies): readonly string[] {
  const rest = named.length - MOST_NAMED
  const list = named.slice(0, MOST_NAMED).map((one) => `- ${shortened(one)}`)
  return rest > 0 ? [...list, `- ${more.replace('{n}', String(rest))}`] : list
}

function shortened(text: string): string {
  return cutTo(text.replaceAll(/\s+/gu, ' '), NAMED_LETTERS)
}

function sourcesOf(facts: readonly string[]): readonly string[] {
  return facts.flatMap((line) => readFact(line)?.sources ?? [])
}

/** The days of the notes in a folder, as messages, because texts are opened by message. */
export function daysAt({ world }: Context, folder: string) {
  const days = world.files.names(folder).flatMap((name) => DAY.exec(name)?.[1] ?? [])
  const rest = { speaker: '', isPerson: false, text: '', time: '', source: '' } as const
  return days.map((day) => ({ ...rest, day }))
}

/** Memories with files of their own. Those that tell results of tasks are not statements of people. */
function ownMemories(
  { home, world }: Context,
  {
    room,
    request,
    speaker,
  }: { readonly room: string; readonly request: ForgetRequest; readonly speaker: string },
): readonly Own[] {
  const folder = `rooms/${room}/memories`
  return world.files.names(join(home, folder)).flatMap((name) => {
    if (!name.endsWith('.md') || memoryKind(name) !== 'memory') return []
    const path = `${folder}/${name}`
    const read = world.files.read(join(home, path), MOST_BYTES)
    const memory = read.kind === 'file' ? readMemory(path, read.bytes) : null
    if (read.kind !== 'file' || memory?.kind !== 'ok' || memory.value.type === 'task_result') return []
    const { body, neo } = memory.value
    const isTheirs = speaker === 'human' || neo.createdBy === speaker
    if (!isTheirs || !holdsAll(body, request.what)) return []
    return [{ path, hash: world.git.blobId(read.bytes), text: body.trim() }]
  })
}
