/**
 * Syncs the home's branch with its remote (`daemon.sync`): fetch; fast-forward, or merge by the home's rules; push
 * without force. Invariants: 1. nothing is forced, and no edit of the user is overwritten; a conflict is reported and
 * left to people, except in keys that Neo writes (files/merge/merge-sides.ts); 2. two clones that sync in turn end on
 * one commit; 3. a history that was rewritten on one side is neither merged nor pushed until a person has decided; 4.
 * never beside a round, while an intent waits, or away from the home's branch.
 */
import { whyOf } from '../../domain/home/error.ts'
import { type FileKind, kindOf } from '../../domain/home/home-paths.ts'
import { counted } from '../../domain/text/counted.ts'
import { dueAgain } from '../../domain/text/grown-wait.ts'
import { mergeSides } from '../../files/merge/merge-sides.ts'
import type { Git } from '../../ports/git-port.ts'
import type { Settle } from '../../ports/merge-port.ts'
import type { HomeRemote, Rewritten } from '../../ports/remote-port.ts'
import type { Context } from '../context.ts'
import type { Health } from '../health.ts'
import type { RoundResult } from '../round.ts'

interface SyncWork {
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
  /** No remote. */
  | { readonly kind: 'alone' }
  /** Both are at one commit. `brought`, `sent`: numbers of commits. */
  | { readonly kind: 'even'; readonly brought: number; readonly sent: number }
  /** Nothing was changed; the next sync retries. */
  | { readonly kind: 'waits'; readonly why: string }
  /** A person has to merge `origin/<branch>`. Local work continues, and is pushed afterwards. */
  | { readonly kind: 'conflict'; readonly paths: readonly string[]; readonly why: string }
  /** One side dropped commits that both had; a person has to decide which history counts. */
  | { readonly kind: 'rewritten'; readonly why: string }
  | { readonly kind: 'trouble'; readonly why: string }

/** Attempts while other clones push between fetch and push. */
const TRIES = 4

/** Throws NeoError `git` if git itself fails. */
export async function syncOnce(work: SyncWork): Promise<Synced> {
  const limit = work.ms === undefined ? {} : { ms: work.ms }
  let brought = 0
  for (let tries = 1; tries <= TRIES; tries++) {
    const seen = await work.remote.look({ ...work, ...limit })
    if (seen === null) return { kind: 'alone' }
    if ('wrong' in seen) return { kind: 'trouble', why: `sync: ${seen.wrong}` }
    const ahead = seen.kind === 'new' ? 1 : seen.ahead
    if (seen.kind === 'known' && seen.rewritten !== null)
      return { kind: 'rewritten', why: rewrittenText(work.branch, seen.rewritten) }
    if (seen.kind === 'known' && seen.behind > 0) {
      const together = await bringTogether(work, seen)
      if (together === 'again') continue
      if (together !== 'done') return together
      brought += seen.behind
    }
    if (ahead === 0) {
      if (seen.kind === 'known' && !seen.isKept) await work.remote.keep({ ...work, commit: seen.commit })
      return { kind: 'even', brought, sent: 0 }
    }
    const pushed = await work.remote.push({ ...work, ...limit })
    if ('wrong' in pushed) return { kind: 'trouble', why: `sync: ${pushed.wrong}` }
    if (pushed.kind === 'moved') continue
    await work.remote.keep({ ...work, commit: pushed.commit })
    return { kind: 'even', brought, sent: ahead }
  }
  return { kind: 'waits', why: 'sync: the remote keeps changing; retrying at the next sync' }
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
    const merged = await work.git.merge(place, name, {
      subject,
      trailers: [['Neo-Event', 'sync']],
      settle,
    })
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

/** Files whose `neo:` block and status Neo writes. */
const OURS: ReadonlySet<FileKind | undefined> = new Set(['task', 'room', 'schedule', 'ask', 'session'])

const settle: Settle = (path, sides) =>
  OURS.has(kindOf(path)?.kind) ? mergeSides(sides) : { kind: 'conflict' }

function rewrittenText(branch: string, of: Rewritten): string {
  const commits = counted(of.dropped, 'commit')
  const push = `git push --force-with-lease origin ${branch}`
  if (of.side === 'here')
    return `sync: ${branch} was rewritten here and lacks ${commits} of origin/${branch}. To bring them back: git merge origin/${branch}. To drop them at origin too: ${push}`
  return `sync: origin/${branch} was rewritten (force push) and lacks ${commits} that it had; what it lacks is saved as ${of.kept}, and nothing is pushed. To take the new history: git rebase --onto origin/${branch} ${of.kept}. To put the old one back: ${push}`
}

function conflictText(branch: string, paths: readonly string[]): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return `sync: origin/${branch} and ${branch} both changed ${paths.slice(0, 3).join(', ')}${more}. To resolve the conflict: git merge origin/${branch}, edit the files, git commit; sync then continues`
}

/** A hanging remote blocks rounds no longer than this. */
const LIMIT_MS = 20_000
const LAST_MS = 3_000
/** A single wait mostly resolves itself. */
const MANY_WAITS = 3

export class SyncKeeper {
  private readonly context: Context
  private readonly health: Health
  private last = Number.NEGATIVE_INFINITY
  /** In a row. */
  private waits = 0

  constructor(context: Context, health: Health) {
    this.context = context
    this.health = health
  }

  /** Epoch ms of the next sync; null if sync is off. */
  next(): number | null {
    const { look, world } = this.context
    const { syncMs } = look.config()
    if (syncMs === null || world.remote === undefined) return null
    return dueAgain(this.last, syncMs, world.clock.now())
  }

  /** Syncs if it is due; what throws is reported. True if commits came, or work starts here now: then everything is looked at. */
  async after({ snapshot: { git }, waiting }: RoundResult): Promise<boolean> {
    const { clock, remote } = this.context.world
    const at = this.next()
    if (at === null || clock.now() < at || waiting > 0 || git.kind !== 'home') return false
    this.last = clock.now()
    if (remote === undefined) return false
    try {
      return await this.syncHere(remote, git.branch)
    } catch (error) {
      this.report({ kind: 'trouble', why: `sync: ${whyOf(error)}` })
      return false
    }
  }

  private async syncHere(remote: HomeRemote, branch: string): Promise<boolean> {
    const synced = await this.sync(remote, branch)
    this.report(synced)
    const starts = await this.askNode(remote, synced)
    if (synced.kind !== 'even' || synced.brought === 0) return starts
    this.context.emit({ kind: 'sync', text: `pulled ${counted(synced.brought, 'commit')} from the remote` })
    return true
  }

  /** At the end: what only this clone has is pushed, and another one starts work at once, unless sessions continue here. */
  async end(): Promise<void> {
    const { world, look, node, sessions, home } = this.context
    const branch = look.branch()
    const { syncMs, daemon } = look.config()
    if (world.remote === undefined || branch === null || syncMs === null) return
    const synced = await this.sync(world.remote, branch, LAST_MS)
    const isOurs = daemon.node === null && node.elsewhere(syncMs) === null
    const going = [...sessions.facts().values()].some(({ state }) => state !== 'ended')
    if (synced.kind === 'even' && isOurs && !going) await node.release(home, world.remote)
  }

  private sync(remote: HomeRemote, branch: string, ms = LIMIT_MS): Promise<Synced> {
    const { home, world, exclusive: line } = this.context
    return line(() => syncOnce({ home, branch, git: world.git, remote, ms }))
  }

  private report(synced: Synced): void {
    const { context, health } = this
    this.waits = synced.kind === 'waits' ? this.waits + 1 : 0
    const isWell = synced.kind === 'alone' || synced.kind === 'even'
    if (isWell || (synced.kind === 'waits' && this.waits < MANY_WAITS)) {
      health.well('sync')
      return
    }
    if (context.troubles.get('sync')?.why !== synced.why) context.emit({ kind: 'trouble', text: synced.why })
    health.trouble('sync', synced.why, synced.kind === 'trouble' ? undefined : 'person')
  }

  /** True if work starts here now, and did not before. */
  private async askNode(remote: HomeRemote, synced: Synced): Promise<boolean> {
    const { look, node, home, emit } = this.context
    const { syncMs, daemon } = look.config()
    if (syncMs === null || daemon.node !== null) return false
    const before = node.elsewhere(syncMs)
    const wrong = await node.ask({ home, remote, syncMs, inStep: synced.kind === 'even', ms: LIMIT_MS })
    if (wrong === null) this.health.well('node')
    else this.health.trouble('node', wrong)
    const now = node.elsewhere(syncMs)
    const text = now === null ? 'work starts on this host' : `work starts on ${now} only`
    if (now !== before) emit({ kind: 'sync', text })
    return now === null && before !== null
  }
}
