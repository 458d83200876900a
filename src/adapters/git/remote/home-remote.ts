/**
 * The port `HomeRemote`: the steps that keep a home's branch in step with its remote's (`daemon.sync`), and which clone of
 * the home starts work: a ref at the remote to a commit without files whose message names the clone. Invariants:
 * 1. nothing is forced at the remote, and no commit of the home's branch is ever left behind; 2. nothing that a person has
 * changed, staged or put in the way is overwritten, ignored files included; 3. the claim's ref moves only by
 * compare-and-swap at the remote.
 */
import { mapIn } from '../../../domain/text/is-map.ts'
import type { ClaimText, HomeRemote, Rewritten } from '../../../ports/remote-port.ts'
import { NEO, writeCommit, writeSigned } from '../commit/ref.ts'
import { openSigning, type Signer } from '../commit/sign.ts'
import { filteredBetween, notRun } from '../filters/filtered.ts'
import { busyWith, commitOf, headBranch } from '../git-repository.ts'
import { DROPPED } from '../maintain.ts'
import { gitText, runGit, workTreeAt } from '../process/run-git.ts'
import { firstLine } from '../process/spawn.ts'
import { writeObject } from '../reading/objects.ts'
import { fetchBranch, fetchRef, isAncestor, pushBranch, pushCommit, remoteOf } from './remote.ts'

interface InStep {
  readonly commit: string
  /** `ours`: written by `keepInStep`; `git`: the remote-tracking branch as it was before the fetch. */
  readonly from: 'ours' | 'git'
}

/** Asked before a fetch. Null where both were never seen together. */
async function lastInStep(home: string, branch: string): Promise<InStep | null> {
  const own = await commitOf(home, stepRef(branch))
  if (own !== null) return { commit: own, from: 'ours' }
  const tracked = await commitOf(home, `refs/remotes/origin/${branch}`)
  return tracked === null ? null : { commit: tracked, from: 'git' }
}

async function keepInStep(home: string, branch: string, commit: string): Promise<void> {
  await runGit(home, ['update-ref', '-m', 'neo: sync', stepRef(branch), commit], { ok: 'any' })
}

/** In none of git's own folders of branches: no push, fetch or branch list shows it. */
function stepRef(branch: string): string {
  return `refs/neo/synced/${branch}`
}

async function rewrittenSince(
  home: string,
  last: InStep,
  { local, remote }: { readonly local: string; readonly remote: string },
): Promise<Rewritten | null> {
  const was = last.commit
  if (local === remote || (was === remote && last.from === 'git')) return null
  const atRemote = was === remote || (await isAncestor(home, was, remote))
  const here = was === local || (await isAncestor(home, was, local))
  if (atRemote === here) return null
  if (atRemote) return last.from === 'git' ? null : { side: 'here', dropped: await countOf(home, was, local) }
  if ((await isAncestor(home, remote, local)) && !(await isAncestor(home, remote, was))) return null
  const kept = `${DROPPED}/${was.slice(0, 12)}`
  await runGit(home, ['update-ref', '-m', 'neo: sync', kept, was])
  return { side: 'remote', dropped: await countOf(home, was, remote), kept }
}

async function countOf(home: string, commit: string, without: string): Promise<number> {
  return Number(await gitText(home, ['rev-list', '--count', commit, `^${without}`, '--']))
}

export function openHomeRemote(signing: Signer = openSigning()): HomeRemote {
  return {
    look,
    keep: ({ home, branch, commit }) => keepInStep(home, branch, commit),
    ...nodeClaim,
    forward,
    async mark({ home, branch, commit }) {
      const name = markName(branch)
      await runGit(home, ['update-ref', '-m', 'neo: sync', `refs/heads/${name}`, commit])
      return name
    },
    async unmark({ home, branch }) {
      await runGit(home, ['update-ref', '-d', `refs/heads/${markName(branch)}`], { ok: 'any' })
    },
    join: (of) => join(signing, of),
    async push({ home, branch, ms }) {
      const result = await pushBranch({ repository: home, branch, expect: null, ms })
      if (result.kind === 'pushed') return { kind: 'pushed', commit: result.commit }
      return result.kind === 'rejected' && result.reason === 'stale'
        ? { kind: 'moved' }
        : { wrong: result.why }
    },
  }
}

function markName(branch: string): string {
  return `neo/sync/${branch}`
}

async function look({ home, branch, ms }: Parameters<HomeRemote['look']>[0]): ReturnType<HomeRemote['look']> {
  if ((await remoteOf(home)) === null) return null
  const last = await lastInStep(home, branch)
  const fetched = await fetchBranch({ repository: home, branch, ms })
  if (fetched.kind === 'missing') return { kind: 'new' }
  if (fetched.kind !== 'fetched') return { wrong: fetched.why }
  const sides = `refs/heads/${branch}...${fetched.commit}`
  const counts = await gitText(home, ['rev-list', '--left-right', '--count', sides, '--'])
  const [ahead = 0, behind = 0] = counts.split('\t').map(Number)
  const { commit } = fetched
  const local = await commitOf(home, `refs/heads/${branch}`)
  const rewritten =
    last === null || local === null ? null : await rewrittenSince(home, last, { local, remote: commit })
  const isKept = last?.from === 'ours' && last.commit === commit
  return { kind: 'known', commit, ahead, behind, rewritten, isKept }
}

/** Git's own fast-forward: it refuses over what a person works on, and moves the ref by compare-and-swap. */
async function forward({
  home,
  branch,
  commit,
}: Parameters<HomeRemote['forward']>[0]): ReturnType<HomeRemote['forward']> {
  const { gitDir } = workTreeAt(home)
  const busy = busyWith(gitDir)
  if (busy !== null) return waits(busy)
  if (headBranch(gitDir) !== branch) return waits(`HEAD is not on ${branch}`)
  const old = await commitOf(home, `refs/heads/${branch}`)
  const filtered =
    old === null ? null : await filteredBetween(workTreeAt(home), { from: old, to: commit, author: 'person' })
  if (filtered !== null) return waits(notRun(filtered, workTreeAt(home)))
  const args = ['merge', '--ff-only', '--no-overwrite-ignore', '--no-autostash', '--quiet', commit]
  const run = await runGit(home, args, { ok: 'any' })
  if (run.code === 0) return { kind: 'forwarded' }
  // Somebody committed between its look and its last step: index and files are ahead of the branch, and go back.
  if (old !== null && /cannot lock ref|update_ref failed/.test(run.err))
    await runGit(home, ['read-tree', '-m', '-u', commit, old], { ok: 'any' })
  const path = /^\t(.+)$/m.exec(run.err)?.[1]
  return waits(
    path === undefined
      ? firstLine(run.err)
      : `you are editing ${path}; commit the change, or put it aside with git stash`,
  )
}

function waits(why: string): { readonly kind: 'waits'; readonly why: string } {
  return { kind: 'waits', why: `sync waits: ${why}` }
}

async function join(
  signing: Signer,
  { home, branch, commit, message }: Parameters<HomeRemote['join']>[0],
): ReturnType<HomeRemote['join']> {
  const ref = `refs/heads/${branch}`
  const tip = await commitOf(home, ref)
  if (tip === null || (await isAncestor(home, commit, tip))) return { kind: 'moved' }
  const merged = await runGit(home, ['merge-tree', '--write-tree', '--no-messages', tip, commit], {
    ok: 'any',
  })
  const tree = await gitText(home, ['rev-parse', `${tip}^{tree}`])
  if (merged.code !== 0 || merged.out.toString().trim() !== tree) return { kind: 'moved' }
  const of = { tree, parents: [tip, commit], author: NEO, message: `${message}\n` }
  const written = await writeSigned({ ...workTreeAt(home), signing }, of)
  if ('refused' in written) return { kind: 'moved' }
  const moved = await runGit(home, ['update-ref', '-m', 'neo: sync', ref, written.commit, tip], { ok: 'any' })
  return moved.code === 0 ? { kind: 'joined' } : { kind: 'moved' }
}

const REF = 'refs/neo/node'
/** The claim as it was seen last. */
const SEEN = 'refs/neo/node-seen'
/** Of the whole commit; names of hosts are shorter. Whatever else is there is taken over as any claim is: when it is old. */
const MOST_TEXT = 16_384
const UNKNOWN: ClaimText = { clone: '', host: 'another host', at: '' }

export const nodeClaim: Pick<HomeRemote, 'claimed' | 'claim' | 'release'> = {
  async claimed({ home, ms }) {
    if ((await remoteOf(home)) === null) return null
    const failure = await fetchRef(home, { from: REF, to: SEEN }, { ms })
    if (failure !== null) return failure.kind === 'missing' ? { kind: 'free' } : { wrong: failure.why }
    const seen = await gitText(home, ['cat-file', '--batch-check'], { input: `${SEEN}\n` })
    const [mark = '', type, size] = seen.split(' ')
    if (size === undefined) return { kind: 'free' }
    if (type !== 'commit' || Number(size) > MOST_TEXT) return { kind: 'held', mark, by: UNKNOWN }
    return { kind: 'held', mark, by: textOf(await gitText(home, ['log', '-1', '--format=%B', mark, '--'])) }
  },
  async claim({ home, by, over, noted, ms }) {
    const tree = workTreeAt(home)
    const empty = writeObject(tree, 'tree', Buffer.alloc(0))
    const message = `neo: this clone starts work\n\n${JSON.stringify(by)}\n`
    const commit = writeCommit(tree, { tree: empty, parents: [], author: NEO, message })
    noted(commit)
    const pushed = await push(home, { commit, over, ms })
    if (pushed.kind === 'pushed') return { kind: 'claimed', mark: commit }
    if (pushed.kind === 'rejected' && pushed.reason === 'stale') return { kind: 'taken' }
    return { wrong: pushed.why, refused: pushed.kind === 'rejected' }
  },
  async release({ home, mark, ms }) {
    await push(home, { commit: '', over: mark, ms })
  },
}

function push(home: string, of: { commit: string; over: string | null; ms: number | undefined }) {
  const { commit, over, ms } = of
  return pushCommit({ repository: home, commit, to: REF, expect: over ?? '', ms })
}

/** What a remote gives may be anything. */
function textOf(message: string): ClaimText {
  const read: Partial<Record<keyof ClaimText, unknown>> | null = mapIn(message.split('\n\n')[1] ?? '')
  if (read === null) return UNKNOWN
  const plain = (key: keyof ClaimText) =>
    typeof read[key] === 'string' ? read[key].replaceAll(/[^\w.:+-]/g, '').slice(0, 80) : ''
  return { clone: plain('clone'), host: plain('host') || UNKNOWN.host, at: plain('at') }
}
