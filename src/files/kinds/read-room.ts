/**
 * The room file, `rooms/<room>/ROOM.md`: reading it. The body is the standing instruction.
 */
import type { NotifyRule } from '../../domain/room/notice-kinds.ts'
import { type McpServerConfig, ROOM_STATUSES, type Room } from '../../domain/room/room.ts'
import { REVIEWS } from '../../domain/task/task.ts'
import { filled, neoBlock, variable, worker, workerOf } from '../values/header-values.ts'
import { given, readKind } from '../values/kind.ts'
import type { Read } from '../header/read-header.ts'
import { notifyTo, ruleOf } from './notify-shape.ts'
import {
  choice,
  decimal,
  either,
  type Given,
  keys,
  list,
  map,
  said,
  text,
  texts,
  whole,
} from '../values/shape.ts'
import { instantOf } from '../values/times.ts'

/** Session files that stay in the tree of a room that says nothing. */
const DEFAULT_KEEP = 200

export const roomShape = keys({
  name: said('What the room is called. Default: its folder.', text()),
  description: said('One line.', text()),
  status: said('`paused` and `archived` rooms start nothing. Default: `active`.', choice(...ROOM_STATUSES)),
  workspace: said(
    'The git repository or folder to work in, relative to the home. Default: `workspace/files` of the home.',
    filled,
  ),
  base: said('The branch that work starts from. Default: the one that is checked out.', filled),
  worker: said(
    'Who does tasks that name nobody: `agent`, `shell`, `exec:NAME` or `human`. Default: `agent`.',
    worker,
  ),
  model: said('The model, as `provider/model`. Default: that of neo.yaml.', filled),
  orchestrator: said(
    '`auto`: Neo reacts to messages, failures and questions; `off`: tasks start by rule alone. Default: `auto`.',
    choice('auto', 'off'),
  ),
  review: said(
    'What happens to finished work: `none` merges it, `branch` waits for your review, `pr` opens a pull request. Default: `none` for scripts in a workspace inside the home, else `branch`.',
    choice(...REVIEWS),
  ),
  verify: said('Commands that must pass before a task is completed.', texts(filled)),
  concurrency: said('Sessions at a time. Default: that of `daemon:`.', whole(1, 1000)),
  budget: said(
    'What agents may cost, for a day and for a task.',
    keys({
      usd_per_day: said('US dollars a day.', decimal()),
      usd_per_task: said('US dollars for a task.', decimal()),
      tokens_per_task: said('Tokens for a task.', whole()),
      turns_per_task: said('Calls of the model for a task.', whole()),
    }),
  ),
  permissions: said(
    'What agents may do: a tool or `network`, `push`, `write`, with `allow`, `ask`, `deny` or a list of patterns.',
    map(either(choice('allow', 'ask', 'deny'), list(text()))),
  ),
  setup: said('Commands that prepare a new worktree, such as `npm ci`.', texts(filled)),
  cleanup: said('Commands that run before a worktree is removed.', texts(filled)),
  env: said('Names of environment variables that sessions get.', texts(variable)),
  env_files: said(
    'Files, such as `.env.test`, that are copied from the workspace into each worktree.',
    texts(filled),
  ),
  hooks: said(
    "Whether the workspace's git hooks run on commits of sessions. Default: `off`.",
    choice('on', 'off'),
  ),
  notify: said(
    'Who is told what happens here: channels such as `telegram:123456`, with kinds and quiet hours.',
    list(either(filled, notifyTo)),
  ),
  approvers: said('Members who may decide requests of this room, beside you.', texts(filled)),
  mcp_servers: said(
    'MCP servers whose tools agents here can use, as in other MCP clients.',
    map(
      keys({
        type: said('Read, and not needed.', text()),
        command: said('The program that is the server.', filled),
        args: said('Its arguments.', texts()),
        env: said('Its environment; variables in braces after a dollar sign are filled in.', map(text())),
        url: said('The address of a server over HTTP.', filled),
        headers: said('HTTP headers.', map(text())),
      }),
    ),
  ),
  keep: said('Session files that stay in the tree. Default: 200.', whole()),
  neo: said("Neo's own block, always last.", keys(neoBlock)),
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
