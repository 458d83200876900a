/**
 * scope.transcript: the last of what was said in a conversation, for those who have a part in it. Invariant 1: a private
 * chat is told to its owner alone, whoever else may look after it.
 */
import { join } from 'node:path'
import { z } from 'zod'
import type { ScopeAt } from '../../../domain/policy/scope-types.ts'
import type { TranscriptEntry } from '../../../files/body/read-transcript.ts'
import type { HubEnv } from '../../env.ts'
import { method } from '../../method.ts'
import { scopeToRead } from '../../views/scope-search.ts'
import { findScope, scopeResource } from '../../views/scopes-at.ts'
import { limit, scopeId } from '../../views/shapes.ts'
import { openTail } from '../../subscriptions/tail-transcript.ts'

const MOST_ENTRIES = 100
const USUAL_ENTRIES = 20

export const scopeTranscript = method({
  name: 'scope.transcript',
  summary: 'Get the transcript of a conversation',
  details: 'Its last entries, oldest first. Only its owner sees a private chat.',
  params: z.strictObject({ scopeId, limit: limit(MOST_ENTRIES, USUAL_ENTRIES) }),
  result: z.array(z.record(z.string(), z.unknown())),
  act: 'see-scope',
  resource: async (env, { scopeId }) => ({ room: null, scope: scopeResource(env, findScope(env, scopeId)) }),
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

type Names = Pick<HubEnv['context']['world']['files'], 'names'>

/** `neo-<scope>-<day>-<n>.jsonl` while it is open, `neo-<day>-<n>.jsonl` when it is closed. */
const NAME = /(\d{4}-\d\d-\d\d)-(\d+)\.jsonl$/

/** Open and closed ones, the newest first. */
function transcripts(files: Names, { state, folder, keeps }: ScopeAt): readonly string[] {
  const moved = join(folder, keeps === 'shared' ? 'transcripts' : 'moved')
  const named = [join(state, 'transcripts'), moved].flatMap((at) =>
    files.names(at).flatMap((name) => {
      const [, day, n] = NAME.exec(name) ?? []
      return day === undefined ? [] : [{ path: join(at, name), day, n: Number(n) }]
    }),
  )
  const newestFirst = named.toSorted((a, b) => (a.day === b.day ? b.n - a.n : a.day < b.day ? 1 : -1))
  return newestFirst.map(({ path }) => path)
}
