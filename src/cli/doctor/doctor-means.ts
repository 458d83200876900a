/**
 * Checks of `neo doctor` on what agents work with: what confines commands, what searches, and where a room wants pull
 * requests, whether its remote and token allow them. Invariant 1: a forge is asked only where `review: pr` stands.
 * Invariant 2: nothing is pushed, fetched or written.
 */
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { ENDED } from '../../domain/task/task.ts'
import { addressOf, withoutCredentials } from '../../domain/text/forge.ts'
import { DEFAULT_WORKSPACE, settingsOf } from '../../domain/task/task-settings.ts'
import { skillsOf } from '../../engine/agents/skills.ts'
import { gitCommand } from '../init/git-command.ts'
import { environmentOf } from '../config/read-config-file.ts'
import type { Env } from '../spec.ts'
import type { Opened } from '../with-world.ts'
import type { Finding } from './finding.ts'

export async function checkSandbox({ world }: Opened): Promise<readonly Finding[]> {
  const confines = await world.agent?.sandbox.available()
  if (confines === undefined) return []
  if ('kind' in confines) {
    const { kind, holds = [], lacks = [] } = confines
    const limits = holds.length === 0 ? '' : `; limits ${holds.join(', ')}`
    const open = lacks.map(
      (what): Finding => ({ part: 'sandbox', state: 'note', says: `does not limit ${what}` }),
    )
    return [{ part: 'sandbox', state: 'ok', says: `${kind}${limits}` }, ...open]
  }
  return [
    {
      part: 'sandbox',
      state: 'note',
      says: `none (${confines.wrong}): commands of models need an ask; your own runbooks need none`,
      next: confines.next,
    },
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
      ? { part: 'ripgrep', state: 'ok', says: 'agents search with it' }
      : { part: 'ripgrep', state: 'note', says: `agents cannot search: ${found.wrong}` },
  ]
}

/** Skills that no agent can use: of the home, and of the repositories that rooms work on. */
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
  return [...problems].map((says) => ({ part: 'skills', state: 'note', says }))
}

/** One finding for each workspace whose work is to end as pull requests. */
export async function checkPulls(opened: Opened, snapshot: Snapshot, env: Env): Promise<readonly Finding[]> {
  const full = environmentOf(opened.home, opened.world.files, env)
  const findings: Finding[] = []
  for (const wish of wishesOf(snapshot)) findings.push(await checkPull(opened, wish, full))
  return findings
}

interface Wish {
  readonly workspace: string
  readonly base: string | null
  /** Who wants it first: a room or a task. */
  readonly by: string
}

function wishesOf({ rooms, tasks, config }: Snapshot): readonly Wish[] {
  const active = [...rooms.values()].filter(({ room }) => room.status === 'active')
  const wishes = [
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
  const known = new Map(wishes.toReversed().map((wish) => [`${wish.workspace}\n${wish.base ?? ''}`, wish]))
  return [...known.values()].toReversed()
}

/** A branch that nobody has: the forge is asked whether it has a pull request. */
const NO_BRANCH = 'neo/doctor'

async function checkPull({ home, world }: Opened, wish: Wish, env: Env): Promise<Finding> {
  const part = 'review: pr'
  const place = await world.git.place(wish.workspace, wish.base)
  const wrong = (why: string, next = 'docs/forges.md says what it needs'): Finding => ({
    part,
    state: 'wrong',
    says: `${wish.by}: ${withoutCredentials(why)}`,
    next,
  })
  if ('wrong' in place) return wrong(place.wrong, place.hint)
  const forges = world.agent?.forges
  if (forges === undefined) return wrong('this program was built without forges')
  const remote = await gitCommand(place.repository, ['remote', 'get-url', 'origin'], env)
  const host = addressOf(remote.out.trim())?.host
  const lacking = tokenLacking(host, env)
  if (lacking !== null) return wrong(lacking)
  const seen = await forges.state({ place, branch: NO_BRANCH, env })
  if (seen !== null && 'wrong' in seen) return wrong(seen.wrong)
  return { part, state: 'ok', says: `${wish.by}: ${host ?? home} answers` }
}

const GITHUB_TOKENS = ['GITHUB_TOKEN', 'GH_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN']

/** The one kind that opens nothing without a token, though everybody may look. */
function tokenLacking(host: string | undefined, env: Env): string | null {
  const isGithub = host === 'github.com' || (host !== undefined && host === env['GH_HOST']?.toLowerCase())
  if (!isGithub || GITHUB_TOKENS.some((name) => (env[name] ?? '') !== '')) return null
  return `set GITHUB_TOKEN: ${host} opens pull requests with a token only`
}
