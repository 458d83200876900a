/**
 * The room file, `rooms/<room>/ROOM.md`: reading it.
 * Takes bytes; gives a Room with defaults filled in, or problems. The body is the standing instruction.
 * Leaves to core/rules/settings.ts: what a task gets from its room.
 */
import type { NotifyRule } from '../core/model/notify.ts'
import { type McpServerConfig, ROOM_STATUSES, type Room } from '../core/model/room.ts'
import { REVIEWS } from '../core/model/task.ts'
import { filled, id, variable, worker, workerOf } from './fields.ts'
import { given, readKind } from './kind.ts'
import type { Read } from './read.ts'
import { notifyTo, ruleOf } from './notify.ts'
import { choice, decimal, either, type Given, keys, list, map, text, texts, whole } from './shape.ts'
import { instantOf, time } from './times.ts'

/** Session files that stay in the tree of a room that says nothing. */
const DEFAULT_KEEP = 200

export const roomShape = keys({
  name: text(),
  description: text(),
  status: choice(...ROOM_STATUSES),
  workspace: filled,
  base: filled,
  worker,
  model: filled,
  orchestrator: choice('auto', 'off'),
  review: choice(...REVIEWS),
  verify: texts(filled),
  concurrency: whole(1, 1000),
  budget: keys({
    usd_per_day: decimal(),
    usd_per_task: decimal(),
    tokens_per_task: whole(),
    turns_per_task: whole(),
  }),
  permissions: map(either(choice('allow', 'ask', 'deny'), list(text()))),
  setup: texts(filled),
  cleanup: texts(filled),
  env: texts(variable),
  env_files: texts(filled),
  hooks: choice('on', 'off'),
  notify: list(either(filled, notifyTo)),
  approvers: texts(filled),
  mcp_servers: map(
    keys({
      type: text(),
      command: filled,
      args: texts(),
      env: map(text()),
      url: filled,
      headers: map(text()),
    }),
  ),
  keep: whole(),
  neo: keys({ id, created_at: time }),
})
type RoomGiven = Given<typeof roomShape>

/** Reads a room; `folder`, its folder's name, stands in for a name. */
export function readRoom(file: string, bytes: Buffer | string, folder: string): Read<Room> {
  return readKind(file, bytes, {
    shape: roomShape,
    build: (known, doc) => buildRoom(known, folder, doc.body),
  })
}

function buildRoom(known: RoomGiven, folder: string, body: string): Room {
  return {
    name: known.name?.trim() || folder,
    description: known.description ?? '',
    status: known.status ?? 'active',
    ...given<Partial<Room>>({
      workspace: known.workspace,
      base: known.base,
      worker: workerOf(known.worker),
      model: known.model,
      review: known.review,
      concurrency: known.concurrency,
      budget: known.budget === undefined ? undefined : budgetOf(known.budget),
      mcpServers: known.mcp_servers === undefined ? undefined : serversOf(known.mcp_servers),
    }),
    orchestrator: known.orchestrator ?? 'auto',
    verify: known.verify ?? [],
    permissions: known.permissions ?? {},
    setup: known.setup ?? [],
    cleanup: known.cleanup ?? [],
    env: known.env ?? [],
    envFiles: known.env_files ?? [],
    hooks: known.hooks ?? 'off',
    ...notifyOf(known.notify ?? []),
    approvers: known.approvers ?? [],
    keep: known.keep ?? DEFAULT_KEEP,
    neo: given<Room['neo']>({
      id: known.neo?.id,
      createdAt: instantOf(known.neo?.created_at ?? '', 'UTC') ?? undefined,
    }),
    body,
  }
}

function budgetOf(known: NonNullable<RoomGiven['budget']>): NonNullable<Room['budget']> {
  return given<NonNullable<Room['budget']>>({
    usd: known.usd_per_task,
    tokens: known.tokens_per_task,
    turns: known.turns_per_task,
    usdPerDay: known.usd_per_day,
  })
}

/** Entries that say no more than where are places alone. */
function notifyOf(entries: NonNullable<RoomGiven['notify']>): Pick<Room, 'notify' | 'notifyRules'> {
  const rules: Record<string, NotifyRule> = {}
  const notify = entries.flatMap((entry) => {
    if (typeof entry === 'string') return [entry.trim()]
    if (entry.to === undefined) return []
    rules[entry.to] = ruleOf(entry)
    return [entry.to]
  })
  return Object.keys(rules).length === 0 ? { notify } : { notify, notifyRules: rules }
}

/** As other clients have them: a command to start, or an address. An entry with neither is none. */
function serversOf(known: NonNullable<RoomGiven['mcp_servers']>): NonNullable<Room['mcpServers']> {
  const servers: Record<string, McpServerConfig> = {}
  for (const [name, one] of Object.entries(known)) {
    if (one?.command !== undefined)
      servers[name] = {
        kind: 'stdio',
        command: one.command,
        args: one.args ?? [],
        env: defined(one.env ?? {}),
      }
    else if (one?.url !== undefined)
      servers[name] = { kind: 'http', url: one.url, headers: defined(one.headers ?? {}) }
  }
  return servers
}

function defined(pairs: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return given<Record<string, string>>(pairs)
}
