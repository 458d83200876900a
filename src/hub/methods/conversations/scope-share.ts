/**
 * scope.share: facts of the speaker leave a conversation for the memory of a room, by the speaker's word. Invariant 1:
 * only facts of whoever says it, and only by them. Invariant 2: a fact is in the room before it leaves the conversation,
 * under a name that follows from it: a kill between loses nothing and doubles nothing.
 */
import { join } from 'node:path'
import { z } from 'zod'
import type { ScopeAt } from '../../../domain/policy/scope-types.ts'
import { type FactLine, factLine } from '../../../domain/memory/distill-lines.ts'
import { shortHash } from '../../../domain/policy/known-people.ts'
import { LOBBY } from '../../../domain/policy/policy.ts'
import { renderDocument } from '../../../files/edit/edit-header.ts'
import { memoryOf } from '../../../memory/open-memory.ts'
import { factsOf, sharedBefore, takeOut } from '../../../memory/distill/scope-distilling.ts'
import { scopeChanged } from '../../../memory/search/scope-recall.ts'
import { type Actor, type HubEnv, isoNow, look } from '../../env.ts'
import { findRoom, missing } from '../../views/find-in-home.ts'
import { HUB_CODES, HubError } from '../../hub.ts'
import { method, nameOf } from '../../method.ts'
import { findScope, scopeResource } from '../../views/scopes-at.ts'
import { idText, lineText, scopeId } from '../../views/shapes.ts'
import { commit } from '../../changes/compare-and-write.ts'

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
  resource: async (env, { scopeId, roomId = LOBBY }) => ({
    room: findRoom(await look(env), roomId).name,
    scope: scopeResource(env, findScope(env, scopeId)),
  }),
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

/** The same words again, as after a kill: what they have shared already is told. */
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
  const done = await commit(env, actor, {
    room,
    what: 'remember',
    says: 'shared',
    event: 'remember',
    changes,
  })
  if (done === 'lost')
    throw new HubError(HUB_CODES.busy, 'Cannot share: a file is being edited; try again in a moment')
  return path
}
