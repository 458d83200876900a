/**
 * Conversations for summaries by a model: those of rooms and of scopes. Invariant 1: nothing of a private scope leaves its
 * folder: no commit or event mentions it.
 */
import { join } from 'node:path'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import type { ScopeAt } from '../../domain/policy/scope-types.ts'
import { transact } from '../../engine/commit/transact.ts'
import { type Context, NEO } from '../../engine/context.ts'
import { subjectOf } from '../../engine/effects/commit-words.ts'
import type { Talk } from './by-model.ts'
import { changesOf, openTexts } from './distill-files.ts'
import { heardSince } from './read-transcripts.ts'
import { heardInScope } from './scope-distilling.ts'
import { openScopeTexts, writeScopeTexts } from './scope-files.ts'
import { modelMarkAt, modelMarkOf, saveModelMark, saveModelMarkAt } from './watermarks.ts'

export function roomConversation(context: Context, snapshot: Snapshot, room: string): Talk {
  const { home, dir, world, look } = context
  // Budgets are looked up in the snapshot that was last looked at.
  context.agents.facts(snapshot)
  return {
    room,
    model: snapshot.rooms.get(room)?.room?.model ?? look.config().model,
    heard: (since) =>
      heardSince({ home, dir, files: world.files, room, timezone: look.config().timezone }, since),
    texts: () => openTexts(context, room, []),
    async write(before, after, says) {
      const changes = changesOf(before, after)
      if (changes.length === 0) return 'done'
      const trailers = [
        ['Neo-Room', room],
        ['Neo-Event', 'distill'],
      ] as const
      const subject = subjectOf(room, 'summarise', says)
      const done = await transact(context, { kind: 'distill', changes, subject, trailers, author: NEO })
      if (done !== 'lost') context.emit({ kind: 'remember', text: `summarised: ${says}`, room })
      return done === 'lost' ? 'lost' : 'done'
    },
    mark: () => modelMarkOf(context, room),
    keep: (mark) => saveModelMark(context, room, mark),
  }
}

/** Reported for a scope that failed: the reason may quote what was said in it. */
export const NOT_SUMMARISED = 'the model did not summarise this conversation'

export function scopeConversation(context: Context, scope: ScopeAt): Talk {
  const path = join(scope.state, 'by-model.json')
  return {
    room: LOBBY,
    model: context.look.config().model,
    heard: (since) => heardInScope(context, scope, since),
    texts: () => openScopeTexts(context, scope, []),
    write: (before, after, says) => writeScopeTexts(context, scope, { before, after, says }),
    mark: () => modelMarkAt(context, path),
    keep: (mark) => saveModelMarkAt(context, path, mark),
  }
}
