/**
 * Worktrees of sessions, for `neo doctor` and `neo clean`: which are in use, which were kept, and why. Invariant 1: a
 * worktree is only removed if it is clean and its commits stay reachable (adapters/git/worktree/keep.ts).
 */
import { join } from 'node:path'
import type { Place, SessionRecord } from '../../domain/session/session.ts'
import { counted } from '../../domain/text/counted.ts'
import { openIdleSessions } from '../../engine/agents/idle-sessions.ts'
import { type Cleared, clearAttempts, keptAttempts } from '../../engine/care/attempts.ts'
import { repairMovedHome } from '../../engine/commit/moved-home.ts'
import { openHome } from '../../engine/open-engine.ts'
import { allSessions, type Session } from '../session/open-sessions.ts'
import type { Call } from '../spec.ts'
import { type Opened, withWorld } from '../with-world.ts'
import { sizeText } from './checks.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

export async function checkWorktrees(opened: Opened): Promise<readonly Finding[]> {
  const root = join(opened.home, '.neo', 'worktrees')
  const names = opened.world.files.names(root)
  if (names.length === 0) return []
  const sessions = new Map(allSessions(opened, null).map((session) => [session.id, session]))
  const findings: Finding[] = []
  for (const name of names) findings.push(await look(opened, name, sessions.get(name)))
  return findings
}

async function look(opened: Opened, name: string, session: Session | undefined): Promise<Finding> {
  const { world, dir, home } = opened
  const record = world.files.readJson(join(dir, 'sessions', name, 'record.json')) as SessionRecord | null
  const part = 'worktree'
  if (record !== null) return inUse(opened, name, record)
  if (openIdleSessions({ world, dir }).get(name) !== null)
    return ok(part, `${name} is idle and waits for its next task; neo stop ${name} ends it`)
  if (session === undefined)
    return note(part, `${name} was not created by Neo; it stays`, 'git worktree list')
  const place = await world.git.place(
    session.file.workspace,
    session.file.base === '' ? null : session.file.base,
  )
  if ('wrong' in place) return note(part, `${name} stays: ${place.wrong}`)
  const state = await world.git.branchState(place, session.file.branch)
  if (state.kind === 'open' && state.ahead > 0)
    return note(
      part,
      `${name} is kept: ${session.file.branch} has ${counted(state.ahead, 'commit')} that ${place.base} does not have`,
      `git log ${place.base}..${session.file.branch}`,
    )
  const work =
    state.kind === 'gone'
      ? `its branch ${session.file.branch} was deleted and is not merged; its commits stay under refs/neo`
      : 'its work is merged'
  const fix = removal(opened, place, join(home, '.neo', 'worktrees', name))
  return { ...note(part, `${name} is kept; ${work}`), fix }
}

/** A running session needs git to know its worktree: git may have lost it, or know it at another path. */
function inUse(opened: Opened, name: string, { room, taskName }: SessionRecord): Finding {
  const [part, of] = ['worktree', `${name} is used by ${room}/${taskName}`]
  const lost = lostLink(opened, name)
  if (lost === null) return ok(part, of)
  const run = async () => {
    await repairMovedHome(opened.world, opened.home)
    return lostLink(opened, name) ?? 'done'
  }
  return { ...wrong(part, `${of}, but ${lost}`), fix: { says: `register ${name} with git again`, run } }
}

/** Why git does not find the worktree; null if it does. */
function lostLink({ world }: Opened, name: string): string | null {
  const pointer = join(world.git.top, '.neo', 'worktrees', name, '.git')
  const entry = firstLine(world, pointer)?.replace(/^gitdir: /, '')
  if (entry === undefined) return `${pointer} is missing`
  const back = firstLine(world, join(entry, 'gitdir'))
  if (back === undefined) return `git does not know its worktree: ${entry} is missing`
  return back === pointer ? null : `git looks for its worktree at ${back}`
}

function firstLine({ files }: Opened['world'], path: string): string | undefined {
  const read = files.read(path, MOST_POINTER)
  return read.kind === 'file' ? read.bytes.toString('utf8').split('\n')[0] : undefined
}

const MOST_POINTER = 64 * 1024

function removal({ world }: Opened, place: Place, dir: string): NonNullable<Finding['fix']> {
  return {
    says: `remove the worktree ${dir.slice(dir.lastIndexOf('/') + 1)} if it is clean`,
    run: async () => {
      const result = await world.git.removeWorktree(place, dir)
      return result.kind === 'removed' ? 'done' : `kept: ${result.why}`
    },
  }
}

export function clean(call: Call): Promise<number> {
  return withWorld(call, async ({ world, home }) => {
    const context = await openHome({ home, world, settleMs: 0, env: call.around.env })
    const { snapshot } = await context.look.look('all')
    const plans = call.isSet('dryRun')
    const cleared = await clearAttempts(context, snapshot, plans ? 'plan' : 'clear')
    if (!plans) await world.git.maintain()
    const stays = plans ? [] : await keptAttempts(context, snapshot)
    call.out.data('clean', {
      cleared,
      kept: stays.map(({ session, branch, bytes }) => ({ session, branch, bytes })),
    })
    for (const one of cleared) call.out.line(line(one, plans))
    if (cleared.length === 0) call.out.line('Nothing to remove.')
    return 0
  })
}

function line({ session, why, bytes, kind }: Cleared, plans: boolean): string {
  if (kind === 'kept') return `kept ${session}: ${why}`
  return `${plans ? 'would remove' : 'removed'} ${session} (${sizeText(bytes)}): ${why}`
}
