/**
 * memory.update, memory.delete, scope.edit: changing and forgetting what is remembered, one entry at a time. Invariant 1:
 * an edit names the version that it was made from; what was changed since is not overwritten. Invariant 2: what looks
 * like a secret is masked before it is kept.
 */
import { join } from 'node:path'
import { z } from 'zod'
import type { Snapshot } from '../../../domain/plan/snapshot.ts'
import { decide } from '../../../domain/policy/policy.ts'
import { maskSecrets } from '../../../domain/secrets/distill-secrets.ts'
import { MAX_BYTES } from '../../../engine/commit/journal.ts'
import { editDocument, type Keys } from '../../../files/edit/edit-header.ts'
import { MEMORY_TYPES, readMemory } from '../../../files/kinds/read-memory.ts'
import { changeLineInRoom, changeLineInScope, lineIn } from '../../../memory/change-line.ts'
import type { Entry } from '../../../memory/entries.ts'
import { memoryOf as memoryIn } from '../../../memory/open-memory.ts'
import { commit } from '../../changes/compare-and-write.ts'
import { type Actor, type HubEnv, isByPerson, look, method, nameOf } from '../../env.ts'
import { badParams, HUB_CODES, HubError } from '../../hub.ts'
import { rulesFor } from '../../rights/member-rules.ts'
import { findRoom, missing } from '../../views/find-in-home.ts'
import { aboutScope } from '../../views/about.ts'
import { aboutSeen } from '../../views/without-hidden.ts'
import { findScope } from '../../views/scopes-at.ts'
import { bodyText, idText, scopeId } from '../../views/shapes.ts'
import { roomOfPath } from './memory-care.ts'
import { type MemoryAt, memoryOf } from './memory-methods.ts'

const memoryId = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .describe('The memory: its id (`m-…`), its path, or a line of a file as `memory.browse` names it')
const version = z
  .string()
  .max(100)
  .describe('The version of `memory.browse`; if it was changed since, nothing is written')
const word = z.string().trim().min(1).max(100)

/** A line of MEMORY.md, HISTORY.md or the notes of a day; null if the id names a memory. */
function lineOf(id: string): { readonly path: string; readonly line: number } | null {
  const [, path, line] = /^(.+\.md):(\d{1,9})$/.exec(id) ?? []
  return path === undefined ? null : { path, line: Number(line) }
}

interface LineAt {
  readonly room: string
  readonly path: string
  readonly entry: Entry
}

function findLine({ context }: HubEnv, id: string, version: string | undefined): LineAt | null {
  const at = lineOf(id)
  if (at === null) return null
  const room = roomOfPath(at.path)
  if (version === undefined) throw badParams(['version'], 'want the version of the line')
  const entry = lineIn(context, join(context.home, at.path), { line: at.line, version })
  if (entry === null || entry.line === null) throw changed(id)
  return { room, path: at.path, entry }
}

function changed(id: string): HubError {
  const says = `Cannot change "${id}": it was changed in the meantime; look at it again`
  return new HubError(HUB_CODES.busy, says, { conflict: true })
}

async function resourceOf(env: HubEnv, id: string, version: string | undefined) {
  const line = findLine(env, id, version)
  if (line !== null) return { room: line.room, author: line.entry.speaker ?? 'human' }
  const { id: own, room, path, memory } = await memoryOf(env, id)
  return { room, author: memory.neo.createdBy ?? 'human', target: { id: own, path } }
}

export const memoryDelete = method({
  name: 'memory.delete',
  summary: 'Delete a memory',
  details:
    'Git keeps the history of the file. With a fact, its older values and its notes go too. A model needs approval to delete what others wrote.',
  tool: { effect: 'changes', hidden: ['version'] },
  params: z.strictObject({ memoryId, version: version.optional() }),
  result: z.null(),
  act: 'forget',
  resource: (env, { memoryId, version }) => resourceOf(env, memoryId, version),
  run: async (env, { memoryId, version }, actor) => {
    const line = findLine(env, memoryId, version)
    if (line !== null) {
      await changeLine(env, actor, { ...line, text: null })
      return null
    }
    const { room, path, hash, id } = await memoryOf(env, memoryId)
    if (version !== undefined && version !== hash) throw changed(memoryId)
    const changes = [{ path, before: hash, after: null }]
    const lost = `Cannot delete "${id}": it is being edited; try again in a moment`
    await commit(env, actor, { room, what: `forget ${id}`, event: 'forget', changes, lost })
    memoryIn(env.context).changed()
    return null
  },
})

async function changeLine(
  env: HubEnv,
  actor: Actor,
  of: LineAt & { readonly text: string | null },
): Promise<void> {
  const { room, path, entry, text } = of
  const what = `${text === null ? 'forget' : 'edit'} ${path.slice(path.lastIndexOf('/') + 1)}`
  const event = text === null ? 'forget' : 'remember'
  const done = await changeLineInRoom(env.context, { room, entry, text }, (changes) =>
    commit(env, actor, { room, what, event, changes }),
  )
  if (done === 'lost') throw changed(path)
}

export const memoryUpdate = method({
  name: 'memory.update',
  summary: 'Change a memory',
  details: 'A line of a file has only text. Secrets are masked.',
  params: z.strictObject({
    memoryId,
    version,
    updates: z
      .strictObject({
        content: z.string().trim().min(1).max(50_000).optional().describe('Markdown. One fact, no secrets'),
        type: z.enum(MEMORY_TYPES).optional().describe('What kind of fact it is'),
        tags: z.array(word).max(50).optional().describe('Words to find it by'),
        importance: z.enum(['low', 'normal', 'high']).optional(),
        moveTo: idText.optional().describe('The room that it is for'),
      })
      .describe('What is to be changed'),
  }),
  result: z.null(),
  act: 'forget',
  resource: (env, { memoryId, version }) => resourceOf(env, memoryId, version),
  run: async (env, { memoryId, version, updates }, actor) => {
    const line = findLine(env, memoryId, version)
    if (line === null) {
      const at = await memoryOf(env, memoryId)
      if (at.hash !== version) throw changed(memoryId)
      await editFile(env, actor, { at, updates })
      return null
    }
    const { content, ...others } = updates
    const [other] = Object.keys(others)
    if (other !== undefined) throw badParams(['updates', other], 'a line of a file has only text')
    if (line.entry.kind === 'history')
      throw badParams(['memoryId'], 'older values only change by forgetting them')
    if (content !== undefined) await changeLine(env, actor, { ...line, text: maskSecrets(content).text })
    return null
  },
})

interface FileEdit {
  readonly at: MemoryAt
  readonly updates: {
    readonly content?: string | undefined
    readonly type?: string | undefined
    readonly tags?: readonly string[] | undefined
    readonly importance?: string | undefined
    readonly moveTo?: string | undefined
  }
}

async function editFile(env: HubEnv, actor: Actor, { at, updates }: FileEdit): Promise<void> {
  const { context } = env
  const { content, moveTo, tags, ...plain } = updates
  const read = context.world.files.read(join(context.home, at.path), MAX_BYTES)
  if (read.kind !== 'file') throw missing('memory', at.id)
  const set: Keys = {
    ...Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined)),
    ...(tags === undefined ? {} : { tags: tags.map((tag) => maskSecrets(tag).text) }),
  }
  const body = content === undefined ? {} : { body: `${maskSecrets(content).text}\n` }
  const after = editDocument(read.bytes.toString('utf8'), { set, ...body })
  if (readMemory(at.path, after).kind !== 'ok') throw badParams(['updates'], 'no memory file can hold this')
  const room = moveTo === undefined ? at.room : await roomToMoveTo(env, actor, moveTo)
  const path = at.path.replace(`rooms/${at.room}/`, `rooms/${room}/`)
  const isMoved = path !== at.path
  const changes = isMoved
    ? [
        { path: at.path, before: at.hash, after: null },
        { path, before: null, after },
      ]
    : [{ path, before: at.hash, after }]
  const what = isMoved ? `move ${at.id} to another room` : `edit ${at.id}`
  const done = await commit(env, actor, { room: at.room, what, event: 'remember', changes })
  if (done === 'lost') throw changed(at.id)
  memoryIn(context).changed()
}

/** Throws HubError `denied` for a room in which the caller can't save memories. */
async function roomToMoveTo(env: HubEnv, { principal }: Actor, id: string): Promise<string> {
  const snapshot = await look(env)
  const find = (seen: Snapshot) => ({ room: findRoom(seen, id).name })
  const resource = aboutSeen(env, snapshot, { principal, find })
  const { room } = resource
  const rules = rulesFor(env, snapshot, room)
  const { effect, rule, reason } = decide(principal, 'remember', { resource, rules })
  if (effect !== 'allow') throw new HubError(HUB_CODES.denied, `Denied: ${reason}`, { rule, reason })
  return room
}

export const scopeEdit = method({
  name: 'scope.edit',
  summary: 'Change or forget a fact or note of a conversation',
  details: 'In a group, you change what you said yourself; the owner changes everything.',
  params: z.strictObject({
    scopeId,
    source: z.string().max(1_000).describe('The line, as `memory.browse` names it'),
    version,
    content: bodyText.trim().min(1).nullable().describe('The new text; null to forget it'),
  }),
  result: z.null(),
  act: 'keep-scope',
  resource: (env, { scopeId }) => aboutScope(env, { scopeId }),
  run: async (env, { scopeId, source, version, content }, actor) => {
    const scope = findScope(env, scopeId)
    const [, name, line] = /^[^/]+\/((?:MEMORY|HISTORY|\d{4}-\d\d-\d\d)\.md):(\d{1,9})$/.exec(source) ?? []
    if (name === undefined) throw badParams(['source'], 'want a line such as family/MEMORY.md:3')
    const entry = lineIn(env.context, join(scope.folder, name), { line: Number(line), version })
    if (entry === null) throw changed(source)
    const isOwn = scope.keeps === 'private' || entry.speaker === nameOf(actor.principal)
    const isOwner = isByPerson(actor) && actor.principal.kind === 'human'
    if (!isOwn && !isOwner)
      throw new HubError(HUB_CODES.denied, 'Denied: somebody else said this', {
        rule: 'own-words',
        reason: 'somebody else said this',
      })
    if (content !== null && entry.kind === 'history')
      throw badParams(['content'], 'older values only change by forgetting them')
    const text = content === null ? null : maskSecrets(content).text
    if ((await changeLineInScope(env.context, scope, { entry, text })) === 'lost') throw changed(source)
    return null
  },
})
