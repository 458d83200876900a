/**
 * Checks of `neo doctor` on sandbox, search, skills and pull requests. Invariant 1: a forge is asked only if `review: pr`
 * is set. Invariant 2: nothing is pushed, fetched or written.
 */
import { composeGitCommand } from '../../compose.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { ENDED } from '../../domain/task/task.ts'
import { DEFAULT_WORKSPACE, settingsOf } from '../../domain/task/task-settings.ts'
import { addressOf, withoutCredentials } from '../../domain/text/forge.ts'
import { skillsOf } from '../../engine/agents/skills.ts'
import { environmentOf } from '../config/read-config-file.ts'
import type { Env } from '../spec.ts'
import type { Opened } from '../with-world.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

export async function checkSandbox({ world }: Opened): Promise<readonly Finding[]> {
  const confines = await world.agent?.sandbox.available()
  if (confines === undefined) return []
  if ('kind' in confines) {
    const { kind, holds = [], lacks = [] } = confines
    const limits = holds.length === 0 ? '' : `; limits ${holds.join(', ')}`
    const open = lacks.map((what) => note('sandbox', `does not limit ${what}`))
    return [ok('sandbox', `${kind}${limits}`), ...open]
  }
  return [
    note(
      'sandbox',
      `none (${confines.wrong}): commands of models need approval; your own scripts do not`,
      confines.next,
    ),
  ]
}

const LOOK_MS = 10_000

export async function checkSearch({ home, world }: Opened): Promise<readonly Finding[]> {
  const search = world.agent?.search
  if (search === undefined) return []
  const signal = AbortSignal.timeout(LOOK_MS)
  const found = await search.files(home, { globs: [], path: '', max: 1, signal })
  return [
    'paths' in found
      ? ok('ripgrep', 'agents can search')
      : note('ripgrep', `agents can't search: ${found.wrong}`),
  ]
}

/** Broken skills of the home and of the repositories that rooms work on. */
export async function checkSkills(opened: Opened, { rooms }: Snapshot): Promise<readonly Finding[]> {
  const { world } = opened
  const named = [...rooms.values()].map(
    ({ room }) => [room.workspace ?? DEFAULT_WORKSPACE, room.base ?? null] as const,
  )
  const distinct = new Map(named.map((one) => [one.join('\n'), one]))
  const problems = new Set((await skillsOf(opened, null)).problems)
  for (const [workspace, base] of distinct.values()) {
    const place = await world.git.place(workspace, base)
    if ('wrong' in place) continue
    for (const problem of (await skillsOf(opened, place)).problems) problems.add(problem)
  }
  return [...problems].map((says) => note('skills', says))
}

/** One finding for each workspace with `review: pr`. */
export async function checkPulls(opened: Opened, snapshot: Snapshot, env: Env): Promise<readonly Finding[]> {
  const full = environmentOf(opened.home, opened.world.files, env)
  const findings: Finding[] = []
  for (const target of pullTargets(snapshot)) findings.push(await checkPull(opened, target, full))
  return findings
}

interface PullTarget {
  readonly workspace: string
  readonly base: string | null
  /** The first room or task that sets it. */
  readonly by: string
}

function pullTargets({ rooms, tasks, config }: Snapshot): readonly PullTarget[] {
  const active = [...rooms.values()].filter(({ room }) => room.status === 'active')
  const targets = [
    ...active
      .filter(({ room }) => room.review === 'pr')
      .map(({ name, room }) => ({
        workspace: room.workspace ?? DEFAULT_WORKSPACE,
        base: room.base ?? null,
        by: `room ${name}`,
      })),
    ...[...tasks.values()]
      .filter(({ task }) => task.review === 'pr' && !ENDED.has(task.status))
      .map(({ task, room, path }) => ({
        ...settingsOf(task, rooms.get(room)?.room ?? null, config),
        by: path,
      })),
  ]
  const known = new Map(targets.toReversed().map((one) => [`${one.workspace}\n${one.base ?? ''}`, one]))
  return [...known.values()].toReversed()
}

/** A branch that does not exist: asking for its pull request shows whether the forge answers. */
const NO_BRANCH = 'neo/doctor'

async function checkPull({ home, world }: Opened, target: PullTarget, env: Env): Promise<Finding> {
  const part = 'review: pr'
  const place = await world.git.place(target.workspace, target.base)
  const failed = (why: string, next = 'see docs/forges.md') =>
    wrong(part, `${target.by}: ${withoutCredentials(why)}`, next)
  if ('wrong' in place) return failed(place.wrong, place.hint)
  const forges = world.agent?.forges
  if (forges === undefined) return failed('this program was built without forges')
  const { gitCommand } = await composeGitCommand()
  const remote = await gitCommand(place.repository, ['remote', 'get-url', 'origin'], env)
  const host = addressOf(remote.out.trim())?.host
  const lacking = tokenLacking(host, env)
  if (lacking !== null) return failed(lacking)
  const seen = await forges.state({ place, branch: NO_BRANCH, env })
  if (seen !== null && 'wrong' in seen) return failed(seen.wrong)
  return ok(part, `${target.by}: ${host ?? home} answers`)
}

const GITHUB_TOKENS = ['GITHUB_TOKEN', 'GH_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN']

/** GitHub can be read without a token, but needs one to open pull requests. */
function tokenLacking(host: string | undefined, env: Env): string | null {
  const isGithub = host === 'github.com' || (host !== undefined && host === env['GH_HOST']?.toLowerCase())
  if (!isGithub || GITHUB_TOKENS.some((name) => (env[name] ?? '') !== '')) return null
  return `GITHUB_TOKEN is not set: ${host} needs a token to open pull requests`
}
