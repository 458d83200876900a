/**
 * scope.list, get, policy.status: which conversations there are, and who is heard in them. scope.share: facts of the speaker
 * go from a conversation to the memory of a room. scope.transcript: the last of what was said. Invariant 1: a member learns
 * of their own conversations only, and of nothing that was said in others. Invariant 2: only the speaker shares, and only
 * their own facts; a fact is in the room before it leaves the conversation, under a name that follows from it, so that a
 * kill loses nothing and doubles nothing. Invariant 3: the transcript of a private chat is for its owner alone.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { type FactLine, factLine } from '../../../domain/memory/distill-lines.ts'
import { shortHash } from '../../../domain/policy/known-people.ts'
import { LOBBY } from '../../../domain/policy/policy.ts'
import { SCOPE_TYPES, type ScopeAt } from '../../../domain/policy/scope-types.ts'
import type { TranscriptEntry } from '../../../files/body/read-transcript.ts'
import { renderDocument } from '../../../files/edit/edit-header.ts'
import { factsOf, sharedBefore, takeOut } from '../../../memory/distill/scope-distilling.ts'
import { memoryOf } from '../../../memory/open-memory.ts'
import { scopeChanged } from '../../../memory/search/scope-recall.ts'
import { commit } from '../../changes/compare-and-write.ts'
import type { Files } from '../../../ports/files-port.ts'
import { type Actor, type HubEnv, isoNow, look, method, nameOf } from '../../env.ts'
import { aboutHome, aboutScope } from '../../views/about.ts'
import { HUB_CODES, HubError } from '../../hub.ts'
import { openTail } from '../../subscriptions/session-states.ts'
import { findRoom, missing } from '../../views/find-in-home.ts'
import {
  findScope,
  itemCount,
  scopeResource,
  scopesSeen,
  scopeToRead,
  whyDead,
} from '../../views/scopes-at.ts'
import { idText, limit, lineText, scopeId } from '../../views/shapes.ts'
import { neoTranscripts } from './chat-list.ts'

const scopeView = z.strictObject({
  id: z.string(),
  /** `telegram:-100123`; null if nobody has spoken and its file names none. */
  channel: z.string().nullable(),
  type: z.enum(SCOPE_TYPES),
  keeps: z.enum(['private', 'shared']),
  roles: z.array(z.string()),
  members: z.array(z.string()),
  /** `human` or a member's id, of a private chat. */
  owner: z.string().nullable(),
  itemCount: z.number(),
  /** Messages that wait or are being answered. */
  waiting: z.number(),
})

function viewScope(env: HubEnv, scope: ScopeAt): z.infer<typeof scopeView> {
  const { name, key, type, keeps, roles, members } = scope
  const { owner } = scopeResource(env, scope)
  return {
    ...{ id: name, channel: key === '' ? null : key, type, keeps, roles: [...roles], members: [...members] },
    owner: owner === null ? null : owner.kind === 'human' ? 'human' : owner.id,
    itemCount: itemCount(env, scope),
    waiting: env.context.scopes.control()?.waiting(name) ?? 0,
  }
}

export const scopeList = method({
  name: 'scope.list',
  summary: 'List conversations',
  details: 'Those of the home. A member sees those that they take part in.',
  params: z.strictObject({}),
  result: z.array(scopeView),
  act: 'see-scope',
  resource: aboutHome,
  run: async (env, _, { principal }) => scopesSeen(env, principal).map((scope) => viewScope(env, scope)),
})

export const scopeGet = method({
  name: 'scope.get',
  summary: 'Get a conversation',
  details: 'Refused, with the reason, if you may not speak in it now.',
  params: z.strictObject({
    scopeId,
    roomId: idText.optional().describe('The room in which to speak; otherwise the lobby'),
  }),
  result: scopeView,
  act: 'speak',
  resource: (env, { scopeId, roomId = LOBBY }) => aboutScope(env, { scopeId, roomId }),
  run: async (env, { scopeId }) => viewScope(env, findScope(env, scopeId)),
})

export const policyStatus = method({
  name: 'policy.status',
  summary: 'Show whether Neo accepts messages in each conversation',
  details: 'If it does not, `why` gives the reason.',
  params: z.strictObject({}),
  result: z.array(
    z.strictObject({
      scopeId: z.string(),
      type: z.enum(SCOPE_TYPES),
      keeps: z.enum(['private', 'shared']),
      allowed: z.boolean(),
      why: z.string(),
    }),
  ),
  act: 'see-scope',
  resource: aboutHome,
  run: async (env, _, { principal }) =>
    scopesSeen(env, principal).map((scope) => {
      const why = whyDead(env, scope)
      return {
        scopeId: scope.name,
        type: scope.type,
        keeps: scope.keeps,
        allowed: why === null,
        why: why ?? whoIsHeard(env, scope),
      }
    }),
})

function whoIsHeard(env: HubEnv, scope: ScopeAt): string {
  const { type, roles, members } = scope
  const { owner } = scopeResource(env, scope)
  if (owner !== null) return `the private chat of ${owner.kind === 'human' ? 'the owner' : owner.id}`
  if (type === 'parents_group') return 'parents can speak'
  const limits = [
    ...(roles.length === 0 ? [] : [`roles ${roles.join(', ')}`]),
    ...(members.length === 0 ? [] : [`members ${members.join(', ')}`]),
  ]
  return limits.length === 0 ? 'every member can speak' : `only ${limits.join(' and ')} can speak`
}

/** More at once is a slip: a word that is in everything. */
const MOST_FACTS = 20

export const scopeShare = method({
  name: 'scope.share',
  summary: 'Share facts with a room',
  details: 'Moves your facts that contain these words from a conversation into the memory of a room.',
  params: z.strictObject({
    scopeId,
    roomId: idText.optional().describe('The room; otherwise the lobby'),
    words: lineText.describe('Words that the facts contain'),
  }),
  result: z.strictObject({ room: z.string(), paths: z.array(z.string()) }),
  act: 'share',
  resource: (env, { scopeId, roomId = LOBBY }) => aboutScope(env, { scopeId, roomId }),
  run: async (env, { scopeId, roomId = LOBBY, words }, actor) => {
    const scope = findScope(env, scopeId)
    const room = findRoom(await look(env), roomId).name
    const facts = factsOf(env.context, scope, { speaker: nameOf(actor.principal), words })
    if (facts.length === 0) return shared(env, scope, { room, speaker: nameOf(actor.principal), words })
    if (facts.length > MOST_FACTS)
      throw new HubError(
        HUB_CODES.busy,
        `Cannot share: ${facts.length} facts contain "${words}"; use more words`,
      )
    const paths: string[] = []
    for (const fact of facts) paths.push(await put(env, actor, { room, scope, fact }))
    const done = await takeOut(env.context, scope, { facts, to: room })
    if (done === 'lost')
      throw new HubError(
        HUB_CODES.busy,
        'The facts are shared, but not removed here: MEMORY.md of this conversation is being edited',
      )
    memoryOf(env.context).changed()
    scopeChanged(env.context, scope)
    return { room, paths }
  },
})

/** The same words again, for example after a kill: returns what was shared already. */
function shared(
  env: HubEnv,
  scope: ScopeAt,
  { room, speaker, words }: { readonly room: string; readonly speaker: string; readonly words: string },
): { readonly room: string; readonly paths: string[] } {
  const paths = sharedBefore(env.context, scope, { speaker, words, to: room })
    .map((fact) => pathOf(scope, room, fact))
    .filter((path) => env.context.world.files.read(join(env.context.home, path), 1).kind !== 'missing')
  if (paths.length === 0) throw missing('fact of yours that contains', words)
  return { room, paths }
}

function pathOf(scope: ScopeAt, room: string, fact: FactLine): string {
  return `rooms/${room}/memories/shared-${hashOf(scope, fact)}.md`
}

function hashOf({ name }: ScopeAt, fact: FactLine): string {
  return shortHash(`${name} ${factLine(fact)}`)
}

interface Put {
  readonly room: string
  readonly scope: ScopeAt
  readonly fact: FactLine
}

async function put(env: HubEnv, actor: Actor, { room, scope, fact }: Put): Promise<string> {
  const hash = hashOf(scope, fact)
  const path = pathOf(scope, room, fact)
  const { files } = env.context.world
  if (files.read(join(env.context.home, path), 1).kind !== 'missing') return path
  const { key, value } = fact
  const header = {
    type: 'note',
    tags: ['shared'],
    neo: { id: `m-${hash}`, created_at: isoNow(env), created_by: nameOf(actor.principal) },
  }
  const after = renderDocument(
    header,
    `${key === '' ? '' : `${nameOf(actor.principal)}: ${key} is `}${value}\n`,
  )
  const changes = [{ path, before: null, after }]
  const lost = 'Cannot share: a file is being edited; try again in a moment'
  await commit(env, actor, { room, what: 'remember', says: 'shared', event: 'remember', changes, lost })
  return path
}

const MOST_ENTRIES = 100
const USUAL_ENTRIES = 20

export const scopeTranscript = method({
  name: 'scope.transcript',
  summary: 'Get the transcript of a conversation',
  details: 'Its last entries, oldest first. Only its owner sees a private chat.',
  params: z.strictObject({ scopeId, limit: limit(MOST_ENTRIES, USUAL_ENTRIES) }),
  result: z.array(z.record(z.string(), z.unknown())),
  act: 'see-scope',
  resource: (env, { scopeId }) => aboutScope(env, { scopeId }),
  run: async (env, { scopeId, limit: most }, { principal }) =>
    lastOf(env, scopeToRead(env, scopeId, principal), most).map((entry) => ({ ...entry })),
})

/** From the newest file back, until there are enough. */
function lastOf({ context }: HubEnv, scope: ScopeAt, most: number): readonly TranscriptEntry[] {
  const { files } = context.world
  let found: readonly TranscriptEntry[] = []
  for (const path of transcripts(files, scope)) {
    found = [...openTail(files, [path]).last(), ...found]
    if (found.length >= most) break
  }
  return found.slice(-most)
}

/** Open and closed ones, the newest first. */
function transcripts(
  files: Pick<Files, 'names'>,
  { name, state, folder, keeps }: ScopeAt,
): readonly string[] {
  return neoTranscripts(files, [
    [join(state, 'transcripts'), `neo-${name}-`],
    [join(folder, keeps === 'shared' ? 'transcripts' : 'moved'), 'neo-'],
  ]).map(({ path }) => path)
}
