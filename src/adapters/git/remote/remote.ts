/**
 * The remote of a repository: its address, one branch pushed with lease, one branch fetched. Invariants: 1. one full
 * refspec a push, never a bare lease, never a force without the tip that was seen; 2. a fetch writes one remote-tracking
 * ref and nothing else; 3. no hooks; 4. no credentials in results, except in `url`, which is only for git; 5. no commit
 * with a known secret value is pushed, be it in a file, path, message, name of a person, or name of the branch; each
 * commit counts: what a later one removes is sent as well; 6. no such value is in what is returned.
 */
import { countKnown, countKnownIn, knowsSecrets, maskKnown } from '../../../domain/secrets/known-secrets.ts'
import { withoutCredentials } from '../../../domain/text/forge.ts'
import { commitOf } from '../git-repository.ts'
import { type NetworkOptions, type NetworkRun, runGit, runNetwork } from '../process/run-git.ts'
import { firstLine, zeroSplit } from '../process/spawn.ts'
import { changesOf, FLAGS } from '../work/branch-work.ts'

interface Remote {
  /** Where git pushes to, `insteadOf` and `pushInsteadOf` applied; may hold credentials: never print it. */
  readonly url: string
  /** The same without credentials, for people. */
  readonly shown: string
}

/** The one remote that Neo pushes to and fetches from. */
const ORIGIN = 'origin'

/** Null if there is no such remote. */
export async function remoteOf(repository: string): Promise<Remote | null> {
  const found = await runGit(repository, ['remote', 'get-url', '--push', '--', ORIGIN], { ok: 'any' })
  const url = found.out.toString('utf8').split('\n')[0] ?? ''
  return found.code !== 0 || url === '' ? null : { url, shown: withoutCredentials(url) }
}

export interface PushRequest extends NetworkOptions {
  readonly repository: string
  readonly branch: string
  /** Only this commit is pushed; absent: whatever the branch is at. */
  readonly commit?: string | undefined
  /**
   * The commit that the remote's branch must have: `''` for "must not be there yet". Null: no lease and no force, so
   * that only what the remote lacks is added.
   */
  readonly expect: string | null
  /** Full name of the ref at the remote; default: the branch's own. */
  readonly to?: string
  /** Push options, one line each. */
  readonly options?: readonly string[]
}

export type PushResult =
  /** The remote has `commit` now, or had it before. `said`: what the server printed, without credentials. */
  | { readonly kind: 'pushed'; readonly commit: string; readonly said: string }
  /**
   * Nothing was changed. `stale`: the remote is not if it was expected; `refused`: a rule or hook of the server;
   * `permission`: no login, or it may not; `options`: the server takes no push options.
   */
  | {
      readonly kind: 'rejected'
      readonly reason: 'stale' | 'refused' | 'permission' | 'options'
      readonly why: string
    }
  /** No answer, or none that can be understood. Whether something was changed shows at the next push. */
  | { readonly kind: 'unreachable'; readonly why: string }

/** Pushes the tip of one branch. */
export async function pushBranch(request: PushRequest): Promise<PushResult> {
  const { repository, branch } = request
  const commit = await commitOf(repository, `refs/heads/${branch}`)
  if (commit === null)
    return { kind: 'rejected', reason: 'stale', why: `branch ${branch} doesn't exist here` }
  if (request.commit !== undefined && request.commit !== commit)
    return { kind: 'rejected', reason: 'refused', why: `${branch} has changed since it was approved` }
  return pushCommit({ ...request, commit, to: request.to ?? `refs/heads/${branch}` })
}

/** Pushes one commit to a ref; an empty commit deletes the ref. */
export async function pushCommit(
  request: Omit<PushRequest, 'branch'> & { readonly commit: string; readonly to: string },
): Promise<PushResult> {
  const { repository, expect, commit, to } = request
  const secrets = commit === '' ? [] : await secretsToSend(repository, { commit, to })
  if (secrets.length > 0) return { kind: 'rejected', reason: 'refused', why: heldBack(to, secrets) }
  const lease = expect === null ? [] : [`--force-with-lease=${to}:${expect}`]
  const options = (request.options ?? []).map((option) => `--push-option=${option.replaceAll(/\s+/g, ' ')}`)
  const args = [
    ...['push', '--porcelain', '--no-verify', '--no-follow-tags', '--no-signed', '--no-recurse-submodules'],
    ...['--receive-pack=git-receive-pack', ...lease, ...options],
    ...['--', ORIGIN, `${commit}:${to}`],
  ]
  const run = await runNetwork(repository, args, request)
  return pushed(run, { commit, name: to.replace(/^refs\/(heads\/)?/, '') })
}

/** Paths that are named. */
const MOST_NAMED = 3

function heldBack(ref: string, secrets: readonly string[]): string {
  const more = secrets.length > MOST_NAMED ? ` and ${secrets.length - MOST_NAMED} more` : ''
  const where = `${secrets.slice(0, MOST_NAMED).join(', ')}${more}`
  const branch = maskKnown(ref.replace(/^refs\/heads\//, ''))
  return `${branch} is not pushed: it holds a secret value in ${where}; take it out of the branch's history, or list its name under "redact: plain" in neo.yaml if it is no secret`
}

function pushed(run: NetworkRun, of: { commit: string; name: string }): PushResult {
  // `<flag> TAB <from>:<to> TAB <summary>`
  const refused = run.out.split('\n').find((line) => line.startsWith('!\t'))
  if (run.code === 0) return { kind: 'pushed', commit: of.commit, said: saidBy(run.err) }
  if (refused === undefined || run.late) return failed(run)
  const why = /\(([^)]*)\)\s*$/.exec(refused)?.[1] ?? 'rejected'
  if (STALE.test(why) || (/failed to update ref/.test(why) && RACED.test(run.err)))
    return { kind: 'rejected', reason: 'stale', why: `${of.name} at ${ORIGIN} has moved (${why})` }
  const told = saidBy(run.err)
    .split('\n')
    .find((line) => /[\p{L}\p{N}]/u.test(line))
  return {
    kind: 'rejected',
    reason: 'refused',
    why: `${ORIGIN} refuses ${of.name}: ${told === undefined ? why : `${told} (${why})`}`,
  }
}

const STALE =
  /stale info|non-fast-forward|fetch first|already exists|needs force|cannot lock ref|failed to lock/i
/** Two pushes at once: the server's own words, where its disk may as well be why a ref was not updated. */
const RACED = /cannot lock ref .*(?:but expected|already exists)/i

/** What the server printed, without git's mark before each line. */
function saidBy(err: string): string {
  return err
    .split('\n')
    .flatMap((line) => (line.startsWith('remote:') ? [line.slice('remote:'.length).trim()] : []))
    .join('\n')
    .trim()
}

const NO_LOGIN =
  /authentication failed|could not read (?:username|password)|permission denied|access denied|not authorized|error: 40[13]\b|invalid credentials|host key verification failed|publickey|no permission|not allowed to push/i

type Failed = Exclude<PushResult, { kind: 'pushed' }>

/** One line of why a fetch or push came to nothing. */
function failed(run: NetworkRun): Failed {
  if (run.late) return { kind: 'unreachable', why: `${ORIGIN} does not answer in time` }
  const lines = run.err.split('\n').filter((line) => line.trim() !== '')
  if (lines.some((line) => /does not support push options/i.test(line)))
    return { kind: 'rejected', reason: 'options', why: `${ORIGIN} doesn't support push options` }
  const denied = lines.find((line) => NO_LOGIN.test(line))
  if (denied !== undefined)
    return { kind: 'rejected', reason: 'permission', why: `${ORIGIN} refused access: ${plain(denied)}` }
  const line = lines.find((one) => /^(fatal|error|ssh):/.test(one)) ?? lines[0] ?? `exit code ${run.code}`
  return { kind: 'unreachable', why: `can't connect to ${ORIGIN}: ${plain(line)}` }
}

function plain(line: string): string {
  return firstLine(line.replace(/^remote:\s*/, ''))
    .replace(/^\S+@\S+: /, '')
    .trim()
}

interface FetchRequest extends NetworkOptions {
  readonly repository: string
  readonly branch: string
}

export type FetchResult =
  /** `refs/remotes/origin/<branch>` is at `commit`, as the remote's branch was a moment ago. */
  | { readonly kind: 'fetched'; readonly commit: string }
  /** The remote has no such branch. */
  | { readonly kind: 'missing' }
  | Extract<Failed, { kind: 'unreachable' }>
  | { readonly kind: 'rejected'; readonly reason: 'permission' | 'refused'; readonly why: string }

/** Fetches one branch into its remote-tracking ref. */
export async function fetchBranch(request: FetchRequest): Promise<FetchResult> {
  const { repository, branch } = request
  const tracking = `refs/remotes/${ORIGIN}/${branch}`
  const failure = await fetchRef(repository, { from: `refs/heads/${branch}`, to: tracking }, request)
  if (failure !== null) return failure
  const commit = await commitOf(repository, tracking)
  return commit === null ? { kind: 'missing' } : { kind: 'fetched', commit }
}

/** Fetches one ref: no tags, no pruning, no other ref, no FETCH_HEAD. Null, or why it came to nothing. */
export async function fetchRef(
  repository: string,
  { from, to }: { readonly from: string; readonly to: string },
  limits: NetworkOptions,
): Promise<Exclude<FetchResult, { kind: 'fetched' }> | null> {
  const args = [
    ...['fetch', '--quiet', '--no-tags', '--no-prune', '--no-recurse-submodules', '--no-write-fetch-head'],
    ...['--no-auto-maintenance', '--refmap=', '--upload-pack=git-upload-pack'],
    ...['--', ORIGIN, `+${from}:${to}`],
  ]
  const run = await runNetwork(repository, args, limits)
  if (run.code === 0) return null
  if (/couldn't find remote ref/i.test(run.err)) return { kind: 'missing' }
  const why = failed(run)
  if (why.kind === 'unreachable') return why
  return { ...why, reason: why.reason === 'permission' ? 'permission' : 'refused' }
}

/** True where everything in `older` is also in `newer`. */
export async function isAncestor(repository: string, older: string, newer: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', older, newer]
  return (await runGit(repository, args, { ok: 'any' })).code === 0
}

/** Objects that are read at a time. */
const CHUNK = 200

/** Paths, or as said here; empty if nothing is found. Commits that the remote has are not looked at. */
async function secretsToSend(
  repository: string,
  of: { readonly commit: string; readonly to: string },
): Promise<readonly string[]> {
  if (!knowsSecrets()) return []
  const found = await secretsIn(repository, [of.commit, '--not', `--remotes=${ORIGIN}`, '--'])
  return countKnown(of.to) > 0 ? ['the name of the branch', ...found] : found
}

/** The same of any range of commits, such as `--all`. */
export async function secretsIn(repository: string, range: readonly string[]): Promise<readonly string[]> {
  if (!knowsSecrets()) return []
  const found = new Set<string>()
  const asked: readonly (readonly [format: string, what: string])[] = [
    ['%B', 'the message of a commit'],
    ['%an%n%ae%n%cn%n%ce', 'the author of a commit'],
  ]
  for (const [format, what] of asked) {
    const { out } = await runGit(repository, ['log', `--format=${format}`, ...range])
    if (countKnownIn(out.toString('utf8')) > 0) found.add(what)
  }
  const changes = changesOf(zeroSplit((await runGit(repository, ['log', ...FLAGS, ...range])).out))
  for (let at = 0; at < changes.length; at += CHUNK) {
    const some = changes.slice(at, at + CHUNK)
    const counts = await countsOf(repository, new Set(some.flatMap(({ old, now }) => [old, now])))
    const count = (id: string) => counts.get(id) ?? 0
    for (const { path, old, now } of some)
      if (countKnown(path) > 0 || count(now) > count(old)) found.add(maskKnown(path))
  }
  return [...found]
}

/** How often a secret value is in each blob. */
async function countsOf(repository: string, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const input = [...ids].filter((id) => !/^0+$/.test(id)).join('\n')
  const counts = new Map<string, number>()
  if (input === '') return counts
  const { out } = await runGit(repository, ['cat-file', '--batch'], { input: `${input}\n` })
  for (let at = 0; at < out.length; ) {
    const end = out.indexOf(0x0a, at)
    const [id = '', , size] = out.toString('latin1', at, end).split(' ')
    at = end + 1
    if (size === undefined) continue
    counts.set(id, countKnownIn(out.toString('utf8', at, at + Number(size))))
    at += Number(size) + 1
  }
  return counts
}
