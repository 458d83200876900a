/** Opens a home: builds the Context from the World. Writes nothing. */
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { redact } from '../domain/secrets/redact.ts'
import type { SessionRecord } from '../domain/session/session.ts'
import type { World } from '../ports/world.ts'
import { Agents } from './agents/agents.ts'
import { Sessions } from './agents/live-sessions.ts'
import { Turns } from './agents/orchestrator.ts'
import { openPulls } from './agents/pulls.ts'
import { openUsage } from './agents/usage-ledger.ts'
import { openActed } from './commit/acted-log.ts'
import { openJournal } from './commit/journal.ts'
import type { Context, Event } from './context.ts'
import { recallMembers } from './people/member-files.ts'
import { openOutbox } from './people/notice-outbox.ts'
import { openScopeBoard, openScopeTasks } from './people/scope-board.ts'
import { DOT_ENV, openConfig, openHomeEnv } from './snapshot/config-keeper.ts'
import { Looker } from './snapshot/look.ts'
import { openSchedules } from './snapshot/schedules.ts'
import { openNode } from './sync/node.ts'

export interface OpenOptions {
  readonly home: string
  readonly world: World
  readonly settleMs?: number
  readonly emit?: (event: Event) => void
  /** Why a session's runner fails; null: it works again. */
  readonly trouble?: (record: SessionRecord, why: string | null) => void
  /** Called when a session has ended. */
  readonly changed?: () => void
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Of this program; absent: no readings are saved or used. */
  readonly version?: string | undefined
  /** `yes`: this process syncs the home with its remote (node.ts). */
  readonly asks?: 'yes' | 'no'
  /** The only paths that are looked at; absent: the whole home. */
  readonly only?: readonly string[] | undefined
  /** `read`: files are read on any branch; for one command (look.ts). */
  readonly away?: 'read'
  /** Why a changed neo.yaml is ignored until a person trusts it; null: it counts. */
  readonly trusted?: (() => string | null) | undefined
}

export async function openHome(options: OpenOptions): Promise<Context> {
  const { world } = options
  const home = resolve(options.home)
  const dir = join(world.git.gitDir, 'neo')
  const head = (await world.git.head()).commit
  const tracked = head !== null && (await world.git.tree(head, [DOT_ENV])).size > 0
  await recallMembers({ home, world }, world.git, head)
  const homeEnv = openHomeEnv(home, world.files, { own: options.env ?? process.env, tracked })
  const env = homeEnv.all
  const emit = (event: Omit<Event, 'at'>) =>
    options.emit?.({ at: new Date(world.clock.now()).toISOString(), ...event, text: redact(event.text) })
  const { settleMs, version, trusted, only, away } = options
  const config = openConfig(home, world.files, { env: homeEnv, trusted })
  world.signing?.use(config.current().git.sign)
  const { files, git, clock } = world
  const host = env['NEO_NODE'] ?? hostname()
  const look = new Looker({ home, files, git, clock, config, settleMs, version, trusted, only, away })
  return {
    ...openWork(options, { home, dir, world, env, look, emit }),
    // Without settling (`neo run`, one look) the process doesn't wait for a slot either.
    schedules: openSchedules({ ...world, dir, waits: settleMs === undefined ? 'yes' : 'no' }),
    scopes: openScopeBoard(openScopeTasks(files, dir)),
    journal: openJournal(world.files, join(dir, 'journal.jsonl')),
    outbox: openOutbox(world.files, join(dir, 'outbox.jsonl')),
    troubles: new Map(),
    troubled: new Set(),
    hinted: new Set(),
    person: await world.git.person(),
    host,
    node: openNode({ ...world, dir, host, asks: options.asks ?? 'no' }),
    exclusive: openExclusive(),
  }
}

type Base = Pick<Context, 'home' | 'dir' | 'world' | 'env' | 'look' | 'emit'>

/** Sessions, agents, turns and pull requests of this process. */
function openWork(
  options: OpenOptions,
  base: Base,
): Base & Pick<Context, 'sessions' | 'agents' | 'usage' | 'turns' | 'pulls' | 'acted'> {
  const { home, dir, world, env, look, emit } = base
  const { files, clock } = world
  const usage = openUsage(files, dir)
  const acted = openActed(files, dir)
  const changed = options.changed ?? (() => {})
  const progress = ({ taskName, room, taskId: task, id: session }: SessionRecord, text: string) =>
    emit({ kind: 'step', text: `${taskName}: ${text}`, room, task, session })
  const agents = new Agents({ home, world, look, usage, changed })
  const { trouble } = options
  const sessions = new Sessions({ home, dir, world, env, changed, progress, agents, acted, trouble })
  sessions.load()
  const troubled = (room: string, why: string) =>
    emit({ kind: 'trouble', text: `Neo: ${why}; retrying`, room })
  return {
    ...base,
    sessions,
    agents,
    usage,
    acted,
    turns: new Turns({ acted, clock, changed, trouble: troubled }),
    pulls: openPulls({ forges: world.agent?.forges ?? null, clock, env, changed, acted }),
  }
}

function openExclusive(): Context['exclusive'] {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work, work)
    last = next.catch(() => {})
    return next
  }
}
