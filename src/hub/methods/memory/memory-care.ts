/**
 * memory.distill, log, restore: making facts and notes of conversations now, and looking at or undoing changes of what
 * is remembered. A path is one of a room's `memories/` or of `workspace/memory/`. Invariant 1: what is restored is a new
 * commit: nothing is ever lost by it.
 */

import { join } from 'node:path'
import { z } from 'zod'
import { memoryFolderOf } from '../../../domain/memory/memory-context.ts'
import { LOBBY } from '../../../domain/policy/policy.ts'
import { MAX_BYTES } from '../../../engine/commit/journal.ts'
import {
  distillByModel,
  isByModel,
  type ModelReport,
  type Talk,
  roomConversation,
} from '../../../memory/distill/by-model.ts'
import { distillRoom } from '../../../memory/distill/distilling.ts'
import { memoryOf } from '../../../memory/open-memory.ts'
import { commit } from '../../changes/compare-and-write.ts'
import { type HubEnv, look, method } from '../../env.ts'
import { badParams, HUB_CODES, HubError } from '../../hub.ts'
import { membersOf } from '../../rights/member-rules.ts'
import { findRoom, missing, roomNames, sees } from '../../views/find-in-home.ts'
import { idText, limit, onlyRoom } from '../../views/shapes.ts'

const distilled = z.strictObject({
  room: z.string(),
  /** `waits`: a file is being edited, or the home is away: again later. */
  kind: z.enum(['done', 'nothing', 'waits']),
  facts: z.number(),
  notes: z.number(),
  results: z.number(),
  /** Messages that a model has summarised (`memory.distill: model`). */
  summarised: z.number(),
  /** Why the model did not; '' if it did, or was not asked. */
  trouble: z.string(),
  /** Secrets that were said and are not kept: `human: password`. */
  refused: z.array(z.string()),
})

export const memoryDistill = method({
  name: 'memory.distill',
  summary: 'Extract facts from conversations',
  details:
    'Extracts facts and notes from what was said since the last time, in one room or in all rooms that you may see.',
  params: z.strictObject({ roomId: onlyRoom }),
  result: z.array(distilled),
  act: 'remember',
  resource: async (env, { roomId }) => ({
    room: roomId === undefined ? LOBBY : findRoom(await look(env), roomId).name,
  }),
  run: async (env, { roomId }, { principal }) => {
    const snapshot = await look(env)
    const members = membersOf(env)
    const rooms =
      roomId === undefined
        ? roomNames(snapshot).filter((room) => sees(principal, room, members))
        : [findRoom(snapshot, roomId).name]
    const reports = []
    for (const room of rooms) {
      const report = await distillRoom(env.context, await look(env), room)
      const byModel = await summarise(env, roomConversation(env.context, await look(env), room))
      const kind = report.kind === 'nothing' && byModel.kind === 'done' ? 'done' : report.kind
      const model = { summarised: byModel.messages, trouble: byModel.why }
      reports.push({ ...report, kind, ...model, refused: [...report.refused] })
    }
    memoryOf(env.context).changed()
    if (reports.some(({ kind }) => kind === 'done')) env.wake()
    return reports
  },
})

const change = z.strictObject({
  commit: z.string(),
  at: z.string(),
  author: z.string(),
  subject: z.string(),
  text: z.string().nullable().optional().describe('With `texts`: the file after the change; null: deleted'),
})
/** Versions whose text is given. */
const MOST_TEXTS = 50

export const memoryLog = method({
  name: 'memory.log',
  summary: 'List changes of memory',
  details:
    'The commits that changed the memory of a room, or one file of it, newest first. The room `lobby` means the whole home.',
  params: z.strictObject({
    roomId: idText.optional().describe('The room; otherwise the lobby'),
    path: z.string().max(1_000).optional().describe('Only this file; then `roomId` has no effect'),
    texts: z.boolean().optional().describe('With `path`: also the texts of the newest 50 versions'),
    limit: limit(1_000, 50),
  }),
  result: z.array(change),
  act: 'see',
  resource: async (env, { roomId, path }) => ({
    room: path === undefined ? findRoom(await look(env), roomId ?? LOBBY).name : roomOfPath(path),
  }),
  run: async (env, { roomId, path, texts, limit: most }) => {
    const room = path === undefined ? findRoom(await look(env), roomId ?? LOBBY).name : roomOfPath(path)
    const folders =
      room === LOBBY ? [memoryFolderOf(LOBBY), `rooms/${LOBBY}/memories`] : [memoryFolderOf(room)]
    const entries = await env.context.world.git.log({
      paths: path === undefined ? folders : [path],
      limit: most,
    })
    const changes = entries.map(({ commit: id, at, author, subject }) => ({
      commit: id,
      at,
      author,
      subject,
    }))
    return texts === true && path !== undefined ? await withTexts(env, path, changes) : changes
  },
})

async function withTexts<T extends { readonly commit: string }>(
  { context: { world } }: HubEnv,
  path: string,
  changes: readonly T[],
): Promise<(T & { text?: string | null })[]> {
  const versions = await world.git.versions(path, MOST_TEXTS)
  const blobs = new Map(versions.map(({ commit: id, blob }) => [id, blob]))
  return Promise.all(
    changes.map(async (one, at) => {
      const blob = blobs.get(one.commit)
      if (blob === undefined) return at < MOST_TEXTS ? { ...one, text: null } : one
      return { ...one, text: (await world.git.blob(blob)).toString('utf8') }
    }),
  )
}

const restored = z.strictObject({ path: z.string(), commit: z.string() })

export const memoryRestore = method({
  name: 'memory.restore',
  summary: 'Restore a memory file',
  details:
    'Writes the file as it was in a commit, or before its last change, as a new commit. A deleted file comes back.',
  params: z.strictObject({
    path: z
      .string()
      .max(1_000)
      .describe('Such as `rooms/shop/memories/x.md` or `workspace/memory/MEMORY.md`'),
    commit: z
      .string()
      .regex(/^[0-9a-f]{4,40}$/, 'want the 4 to 40 hexadecimal digits of a commit')
      .optional()
      .describe('The commit to restore from; otherwise the version before the last change'),
  }),
  result: restored,
  act: 'forget',
  resource: async (_env, { path }) => ({ room: roomOfPath(path), author: 'human' }),
  run: async (env, { path, commit: wanted }, actor) => {
    const { git, files } = env.context.world
    const read = files.read(join(env.context.home, path), MAX_BYTES)
    if (read.kind === 'refused') throw new HubError(HUB_CODES.busy, `Cannot restore "${path}": ${read.why}`)
    const now = read.kind === 'file' ? git.blobId(read.bytes) : null
    const version = await versionOf(env, path, { wanted, now })
    const after = (await git.blob(version.blob)).toString('utf8')
    const room = roomOfPath(path)
    const what = `restore ${path.slice(path.lastIndexOf('/') + 1)}`
    await commit(env, actor, {
      room,
      what,
      says: `as in ${version.commit.slice(0, 8)}`,
      event: 'remember',
      changes: [{ path, before: now, after }],
      lost: `Cannot restore "${path}": it is being edited; try again in a moment`,
    })
    memoryOf(env.context).changed()
    return { path, commit: version.commit }
  },
})

const PATHS = /^(?:rooms\/([^/]+)\/memories|workspace\/memory)\/[^/]+\.md$/

/** Throws HubError `params`. */
export function roomOfPath(path: string): string {
  const found = PATHS.exec(path)
  if (found === null || /(?:^|\/)\.\.?(?:\/|$)/.test(path))
    throw badParams(['path'], 'want a path such as rooms/shop/memories/x.md or workspace/memory/MEMORY.md')
  return found[1] ?? LOBBY
}

const MOST_VERSIONS = 1_000

async function versionOf(
  env: HubEnv,
  path: string,
  { wanted, now }: { readonly wanted: string | undefined; readonly now: string | null },
): Promise<{ readonly commit: string; readonly blob: string }> {
  const versions = await env.context.world.git.versions(path, MOST_VERSIONS)
  const found = versions.find(({ commit: id, blob }) =>
    wanted === undefined ? blob !== now : id.startsWith(wanted),
  )
  if (found === undefined)
    throw missing(wanted === undefined ? 'earlier version of' : `version ${wanted} of`, path)
  return found
}

export async function summarise(env: HubEnv, talk: Talk): Promise<ModelReport> {
  const { context } = env
  if (!isByModel(context)) return { kind: 'nothing', messages: 0, facts: 0, why: '' }
  const { signal } = new AbortController()
  const rest = { line: <T>(work: () => Promise<T>) => work(), aside: env.aside.bind(env) }
  return distillByModel({ context, talk, how: 'all', signal, ...rest })
}
