/**
 * One time of keeping the home's branch in step with its remote's (`daemon.sync`): fetch; fast-forward, or merge by the
 * home's own rules; push without force. Takes the parts that it uses; gives how it went, for status.
 * Leaves to the daemon: when, and not while an intent waits or the home is away; to HomeRemote and Git: each step.
 * Invariants: 1. nothing is forced, and nothing of a person's is overwritten; a conflict is said and left to people;
 * 2. two homes that sync by turns come to rest on one commit: only what is behind alone is fast-forwarded.
 */
import type { Git } from '../ports.ts'
import type { HomeRemote } from '../ports-agent.ts'

export interface SyncWork {
  /** Absolute path of the home. */
  readonly home: string
  /** The branch on which the daemon acts. */
  readonly branch: string
  readonly git: Pick<Git, 'merge'>
  readonly remote: HomeRemote
  /** Limit of one fetch or push; default: the adapter's. */
  readonly ms?: number
}

export type Synced =
  /** There is no remote. */
  | { readonly kind: 'alone' }
  /** Both are at one commit. `brought`, `sent`: commits that came and went. */
  | { readonly kind: 'even'; readonly brought: number; readonly sent: number }
  /** Nothing was changed where it waits; the next time does it. */
  | { readonly kind: 'waits'; readonly why: string }
  /** A person has to merge `origin/<branch>`. Local work goes on, and is pushed after. */
  | { readonly kind: 'conflict'; readonly paths: readonly string[]; readonly why: string }
  | { readonly kind: 'trouble'; readonly why: string }

/** As often as other homes push between our fetch and our push. */
const TRIES = 4

/** Fetches, brings together and pushes, once. Throws NeoError `git` where git itself fails. */
export async function syncOnce(work: SyncWork): Promise<Synced> {
  const limit = work.ms === undefined ? {} : { ms: work.ms }
  let brought = 0
  for (let tries = 1; tries <= TRIES; tries++) {
    const seen = await work.remote.look({ ...work, ...limit })
    if (seen === null) return { kind: 'alone' }
    if ('wrong' in seen) return { kind: 'trouble', why: `sync: ${seen.wrong}` }
    const ahead = seen.kind === 'new' ? 1 : seen.ahead
    if (seen.kind === 'known' && seen.behind > 0) {
      const together = await bringTogether(work, seen)
      if (together === 'again') continue
      if (together !== 'done') return together
      brought += seen.behind
    }
    if (ahead === 0) return { kind: 'even', brought, sent: 0 }
    const pushed = await work.remote.push({ ...work, ...limit })
    if ('wrong' in pushed) return { kind: 'trouble', why: `sync: ${pushed.wrong}` }
    if (pushed.kind === 'pushed') return { kind: 'even', brought, sent: ahead }
  }
  return { kind: 'waits', why: 'sync waits: the remote keeps moving' }
}

type Seen = { readonly commit: string; readonly ahead: number; readonly behind: number }

async function bringTogether(work: SyncWork, { commit, ahead }: Seen): Promise<'done' | 'again' | Synced> {
  const { home, branch, remote } = work
  if (ahead === 0) {
    const forwarded = await remote.forward({ home, branch, commit })
    return forwarded.kind === 'forwarded' ? 'done' : forwarded
  }
  const name = await remote.mark({ home, branch, commit })
  try {
    const subject = `neo: sync with origin/${branch}`
    const place = { repository: home, folder: '', base: branch }
    const merged = await work.git.merge(place, name, { subject, trailers: [['Neo-Event', 'sync']] })
    switch (merged.kind) {
      case 'merged':
        return 'done'
      case 'nothing': {
        const message = `${subject}\n\nNeo-Event: sync`
        return (await remote.join({ home, branch, commit, message })).kind === 'joined' ? 'done' : 'again'
      }
      case 'conflict':
        return { kind: 'conflict', paths: merged.paths, why: conflictText(branch, merged.paths) }
      case 'waits':
        return merged
    }
  } finally {
    await remote.unmark({ home, branch })
  }
}

function conflictText(branch: string, paths: readonly string[]): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return `sync: origin/${branch} and ${branch} both changed ${paths.slice(0, 3).join(', ')}${more}; git merge origin/${branch} brings them together`
}
