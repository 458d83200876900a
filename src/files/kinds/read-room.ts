/**
 * The room file, `rooms/<room>/ROOM.md`, and rules for notices, which members have too. The body is the standing
 * instruction.
 */
import { NOTICE_KINDS, type NotifyRule } from '../../domain/room/notice-kinds.ts'
import type { McpServerConfig } from '../../domain/home/home-config.ts'
import { ROOM_STATUSES, type Room } from '../../domain/room/room.ts'
import { REVIEWS, WORKER_FORMS } from '../../domain/task/task.ts'
import type { Read } from '../header/read-header.ts'
import { duration, msOf } from '../values/duration.ts'
import {
  camelKeys,
  command,
  modelOf,
  bookkeeping,
  nonEmptyText,
  variable,
  withoutUndefined,
  worker,
} from '../values/header-values.ts'
import { type Covers, readKind, workerOf } from '../values/kind.ts'
import {
  choice,
  decimal,
  describe,
  either,
  filledList,
  flag,
  guard,
  type Infer,
  integer,
  keys,
  list,
  map,
  matching,
  naming,
  notFlag,
  onlyKeys,
  text,
  textList,
} from '../values/shape.ts'
import { utcOf } from '../values/times.ts'

/** Default of `keep`. */
const DEFAULT_KEEP = 200

const HOURS = /^([01]?\d|2[0-4])-([01]?\d|2[0-4])$/

const RULE = {
  what: describe('Kinds of notices to send. Default: all.', list(choice(...NOTICE_KINDS))),
  quiet: describe('Hours in which notices wait, such as `22-7`.', matching('hours such as 22-7', HOURS)),
  digest: describe(
    'Collect notices for this long and send them as one message. Default: 0, at once.',
    duration,
  ),
}

export const notifyRule = keys(RULE)
const notifyTo = keys({ to: describe('Channel, such as `telegram:123456`.', nonEmptyText), ...RULE })

export function ruleOf({ what, quiet, digest }: Infer<typeof notifyRule>): NotifyRule {
  const [, from, to] = HOURS.exec(quiet ?? '') ?? []
  return {
    what: what ?? null,
    quiet: from === undefined || to === undefined ? null : [Number(from), Number(to)],
    digestMs: msOf(digest) ?? 0,
  }
}

const permission = choice('allow', 'ask', 'deny')

export const roomKeys = {
  name: describe('Display name. Default: the name of its folder.', text()),
  description: describe('Purpose of the room, in one line.', text()),
  status: guard('Only `active` rooms start work. Default: `active`.', choice(...ROOM_STATUSES)),
  workspace: guard(
    'Git repository or folder to work in, relative to the home. Default: `workspace/files`.',
    nonEmptyText,
  ),
  base: guard(
    'Branch that work starts from and is merged into. Default: the one that is checked out in the workspace.',
    nonEmptyText,
  ),
  worker: guard(`Default worker of tasks: ${WORKER_FORMS}. Default: agent.`, worker),
  model: guard('Model as `provider/model`, or `none`. Default: the model in neo.yaml.', naming('provider')),
  orchestrator: guard(
    'What the Neo of the room reacts to. `auto`: messages, failures and questions. `off`: only messages. Default: `auto`.',
    choice('auto', 'off'),
  ),
  review: guard(
    'What happens to finished work: `none` merges it, `branch` waits for your review, `pr` opens a pull request. Default: `none` for scripts in a workspace inside the home, else `branch`.',
    choice(...REVIEWS),
  ),
  verify: guard('Commands that must pass before a task is completed, such as `npm test`.', textList(command)),
  concurrency: guard(
    'Maximum number of sessions at the same time. Default: `daemon.concurrency` in neo.yaml.',
    integer(1, 1000),
  ),
  budget: describe(
    'Limits for agents, per day and per task. Default: only 100 model calls in a session.',
    onlyKeys({
      usd_per_day: describe('US dollars per day.', decimal()),
      usd_per_task: describe('US dollars per task.', decimal()),
      tokens_per_task: describe('Tokens per task.', integer()),
      turns_per_task: describe('Model calls per task. Default: 100 in a session.', integer()),
    }),
  ),
  permissions: describe(
    'Permissions of agents. Example: `{ shell: ask }`.',
    onlyKeys({
      shell: describe('Commands. Default: `allow`.', permission),
      network: describe('Network access of commands, and reading of web pages. Default: `deny`.', permission),
      push: describe('Pushes for pull requests. Default: `allow`.', permission),
      mcp: describe('Tools of MCP servers. Default: those that change something ask.', permission),
      write: describe(
        'Paths that may be written, such as `src/**`. Default: all.',
        filledList(notFlag('a pattern such as src/**')),
      ),
    }),
  ),
  setup: describe('Commands to run in a new worktree, such as `npm ci`.', textList(nonEmptyText)),
  cleanup: describe('Commands to run before a worktree is removed.', textList(nonEmptyText)),
  env: describe('Names of environment variables to pass to sessions.', textList(variable)),
  env_files: describe(
    'Files to copy from the workspace into each worktree, such as `.env.test`.',
    textList(nonEmptyText),
  ),
  hooks: guard(
    'Whether commits of sessions run the git hooks of the workspace. Default: `off`.',
    choice('on', 'off'),
  ),
  notify: describe(
    'Channels that get notices of this room, such as `telegram:123456`.',
    list(either(nonEmptyText, notifyTo)),
  ),
  approvers: describe(
    'Members besides you who may decide requests of this room.',
    textList(naming('member')),
  ),
  mcp_servers: describe(
    'MCP servers by name, as in other MCP clients: their tools are for agents, and one can do a task (`worker: mcp:SERVER`).',
    map(
      keys({
        type: describe('Accepted for compatibility and ignored.', text()),
        disabled: guard('`true` turns the server off: nothing starts or calls it. Default: `false`.', flag()),
        enabled: guard('`false` means the same as `disabled: true`.', flag()),
        command: describe('Program to start, for a server on stdio.', nonEmptyText),
        args: describe('Arguments of the program.', textList()),
        env: describe(`Environment of the program. \`\${NAME}\` inserts a variable.`, map(text())),
        url: describe('URL, for a server over HTTP.', nonEmptyText),
        headers: describe('HTTP headers for each request.', map(text())),
        read: describe(
          'As `worker: mcp:SERVER`: what it may read besides the worktree.',
          textList(nonEmptyText),
        ),
        write: describe(
          'As `worker: mcp:SERVER`: what it may write besides the worktree.',
          textList(nonEmptyText),
        ),
        network: guard(
          'As `worker: mcp:SERVER`: network access. Default: that of `permissions`.',
          choice('allow', 'deny'),
        ),
      }),
    ),
  ),
  keep: describe(
    'Number of session files to keep. Older ones stay in the git history. Default: 200.',
    integer(),
  ),
  neo: bookkeeping({}),
}
export const roomShape = keys(roomKeys, {
  elsewhere: { timeout: "Set timeout in tasks and schedules; rooms don't have this key." },
})
type RoomGiven = Infer<typeof roomShape>

/** @param folder name of the folder, the default of `name` */
export function readRoom(file: string, bytes: Buffer | string, folder: string): Read<Room> {
  return readKind(file, bytes, {
    shape: roomShape,
    build: (known, doc) => buildRoom(known, { folder, body: doc.body }),
  })
}

function buildRoom(
  known: RoomGiven,
  { folder, body }: { readonly folder: string; readonly body: string },
): Covers<Room, RoomGiven, object, 'body' | 'notifyRules'> {
  const { name, worker, model, budget, notify, mcp_servers, neo, ...same } = known
  return {
    description: '',
    status: 'active',
    orchestrator: 'auto',
    verify: [],
    permissions: {},
    setup: [],
    cleanup: [],
    env: [],
    envFiles: [],
    hooks: 'off',
    approvers: [],
    keep: DEFAULT_KEEP,
    ...camelKeys(same),
    name: name?.trim() || folder,
    ...withoutUndefined<Partial<Room>>({
      worker: workerOf(worker),
      model: modelOf(model),
      budget: budget && budgetOf(budget),
      mcpServers: mcp_servers && serversOf(mcp_servers),
    }),
    ...notifyOf(notify ?? []),
    neo: withoutUndefined<Room['neo']>({
      id: neo?.id,
      createdAt: utcOf(neo?.created_at),
    }),
    body,
  }
}

function budgetOf(known: NonNullable<RoomGiven['budget']>): NonNullable<Room['budget']> {
  return withoutUndefined<NonNullable<Room['budget']>>({
    usd: known.usd_per_task,
    tokens: known.tokens_per_task,
    turns: known.turns_per_task,
    usdPerDay: known.usd_per_day,
  })
}

/** Texts are places without rules. */
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

/** As in other clients: a command to start, or a URL. Entries with neither, and those turned off, are left out. */
function serversOf(known: NonNullable<RoomGiven['mcp_servers']>): NonNullable<Room['mcpServers']> {
  const servers: Record<string, McpServerConfig> = {}
  for (const [name, one] of Object.entries(known)) {
    if (one?.disabled === true || one?.enabled === false) continue
    if (one?.command !== undefined)
      servers[name] = {
        kind: 'stdio',
        command: one.command,
        args: one.args ?? [],
        env: withoutUndefined<Record<string, string>>(one.env ?? {}),
        ...withoutUndefined<Partial<Extract<McpServerConfig, { kind: 'stdio' }>>>({
          read: one.read,
          write: one.write,
          network: one.network,
        }),
      }
    else if (one?.url !== undefined)
      servers[name] = {
        kind: 'http',
        url: one.url,
        headers: withoutUndefined<Record<string, string>>(one.headers ?? {}),
      }
  }
  return servers
}
