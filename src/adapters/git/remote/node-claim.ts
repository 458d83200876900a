/**
 * Which of the clones of a home starts work, as a ref at the remote that one of them holds: a commit without files whose
 * message names the clone. Invariant 1: the ref moves by compare-and-swap at the remote only.
 */
import type { ClaimText, HomeRemote } from '../../../ports/remote-port.ts'
import { NEO, writeCommit } from '../commit/commit-message.ts'
import { runNetwork } from '../process/network.ts'
import { gitText, workTreeAt } from '../process/run-git.ts'
import { writeObject } from '../reading/objects.ts'
import { failedFetch, pushCommit, remoteOf } from './remote.ts'

const REF = 'refs/neo/node'
/** The claim as it was seen last. */
const SEEN = 'refs/neo/node-seen'
/** Of the whole commit; names of hosts are shorter. Whatever else is there is taken over as any claim is: when it is old. */
const MOST_TEXT = 16_384
const UNKNOWN: ClaimText = { clone: '', host: 'another host', at: '' }

export const nodeClaim: Pick<HomeRemote, 'claimed' | 'claim' | 'release'> = {
  async claimed({ home, ms }) {
    if ((await remoteOf(home)) === null) return null
    const args = [
      ...['fetch', '--quiet', '--no-tags', '--no-prune', '--no-recurse-submodules', '--no-write-fetch-head'],
      ...['--no-auto-maintenance', '--refmap=', '--upload-pack=git-upload-pack'],
      ...['--', 'origin', `+${REF}:${SEEN}`],
    ]
    const run = await runNetwork(home, args, ms === undefined ? {} : { ms })
    if (run.code !== 0)
      return /couldn't find remote ref/i.test(run.err) ? { kind: 'free' } : { wrong: failedFetch(run).why }
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
  return pushCommit({
    repository: home,
    branch: '',
    commit: of.commit,
    to: REF,
    expect: of.over ?? '',
    ...(of.ms === undefined ? {} : { ms: of.ms }),
  })
}

/** What a remote gives may be anything. */
function textOf(message: string): ClaimText {
  try {
    const read = JSON.parse(message.split('\n\n')[1] ?? '') as Partial<Record<keyof ClaimText, unknown>>
    const plain = (key: keyof ClaimText) =>
      typeof read[key] === 'string' ? read[key].replaceAll(/[^\w.:+-]/g, '').slice(0, 80) : ''
    return { clone: plain('clone'), host: plain('host') || UNKNOWN.host, at: plain('at') }
  } catch {
    return UNKNOWN
  }
}
