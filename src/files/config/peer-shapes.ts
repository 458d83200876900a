/** The shapes of the sections `agent` and `access` of neo.yaml. A misspelled key is an error, as it may be a restriction. */
import { CONTEXT_TYPES, PEER_PRIORITIES, PERMISSION_LEVELS } from '../../domain/peer/peer.ts'
import { isProgram, PROGRAM_FORMS } from '../../domain/task/task.ts'
import { agentId, agentRole, contextKeys, endpoint } from '../kinds/read-agent.ts'
import { duration, durationMs } from '../values/duration.ts'
import { nonEmptyText, parseWorker } from '../values/header-values.ts'
import {
  choice,
  decimal,
  describe,
  either,
  flag,
  integer,
  list,
  matching,
  onlyKeys,
  text,
  textList,
} from '../values/shape.ts'
import { time } from '../values/times.ts'

export const ruleShape = onlyKeys({
  agent_id: describe(
    'Id of the agent, or `"*"` for every agent.',
    matching('an id, or "*"', /^(?:\*|[a-z0-9]+(?:-[a-z0-9]+)*)$/),
  ),
  agent_role: describe(
    'Role of the agent. Without `agent_id`, the rule is for every agent with this role.',
    agentRole,
  ),
  scope_type: describe(
    'Type of the contexts; a rule for a repository or folder also covers what is in it. Default: `"*"`, all types.',
    choice(...CONTEXT_TYPES, '*'),
  ),
  pattern: describe(
    'Identifiers of the contexts, such as `acme/webapp` or `acme/*`. `*` stops at `/`, `**` does not.',
    nonEmptyText,
  ),
  permission: describe(
    'Permission. For agents of other homes, `admin` gives the same as `write`.',
    choice(...PERMISSION_LEVELS),
  ),
  expires_at: describe('Time from which the rule no longer counts.', time),
  reason: describe('Why the rule exists.', text()),
  granted_by: describe('Who made the rule.', text()),
  auto: describe('Whether answers may be sent without your approval. Default: `false`.', flag()),
  priority: describe(
    'Highest priority that queries of the agent can have. Default: `normal`.',
    choice(...PEER_PRIORITIES),
  ),
  tasks: describe(
    'Task templates that the agent may start, with permission `write`.',
    textList(nonEmptyText),
  ),
})

export const accessShape = onlyKeys({
  default: describe('Permission if no rule matches. Default: `none`.', choice('none', 'read', 'write')),
  audit_mode: describe(
    'Start of audit mode. For 24 hours, Neo logs reading that the rules refuse, and allows it. Default: `off`.',
    text(
      'off, or the time since when it is on, such as 2026-03-01T09:00:00Z; it ends 24 hours later',
      (value) => value === 'off' || (time.kind === 'text' && time.accepts?.(value) === true),
    ),
  ),
  rules: describe(
    'What agents may read and do. The most specific rule decides; see docs/access-rules.md.',
    list(ruleShape),
  ),
})

export const ownContextShape = onlyKeys({
  ...contextKeys,
  local_path: describe('Its folder on this machine. Agents never see it.', nonEmptyText),
  room: describe(
    'Folder name of the room that answers for it and does its tasks.',
    matching('the folder name of a room', /^[^/\\\s]+$/),
  ),
})

/** `30/m` */
export const RATE = /^([1-9]\d{0,5})\/(s|m|h)$/
const LEAST_INTERVAL_MS = 1000

export const agentSectionShape = onlyKeys({
  id: describe('Id of this home, such as `eng-sato`. The agent protocol is off without it.', agentId),
  role: describe('Role: `pm`, `engineer`, `qa`, `design` or another. Default: `engineer`.', agentRole),
  owner: describe('Person that it works for. Default: the id.', nonEmptyText),
  host: describe('Address to listen on. Default: 127.0.0.1.', nonEmptyText),
  port: describe('Port to listen on. Default: 8443.', integer(0, 65_535)),
  endpoint: describe('Base URL at which others reach it. Default: `https://HOST:PORT`.', endpoint),
  tls: describe(
    '`self`: a certificate made from the key of this home. `off`: plain HTTP on this machine, for a proxy or tunnel. Or your own certificate. Default: `self`.',
    either(
      choice('self', 'off'),
      onlyKeys({
        cert: describe('File of the certificate, in PEM.', nonEmptyText),
        key: describe('File of its key, in PEM.', nonEmptyText),
      }),
    ),
  ),
  contexts: describe('Parts of the shared work that this home answers for.', list(ownContextShape)),
  focus_hours: describe(
    'First and last hour of the day in which queries wait, such as `[9, 17]`. Default: none.',
    list(integer(0, 24)),
  ),
  interrupt: describe(
    'Whether queries of high priority interrupt focus hours. Default: `on`.',
    choice('on', 'off'),
  ),
  auto_respond: describe(
    'Least confidence, 0 to 1, at which an answer may be sent without approval. Default: 0.8.',
    decimal(0, 1),
  ),
  approval_required: describe(
    'Whether you approve answers, unless a rule has `auto` and `auto_respond` is reached. Default: `true`.',
    flag(),
  ),
  rate: describe(
    'Maximum number of requests of each agent, such as `30/m`. Default: 30/m.',
    matching('a rate such as 30/m', RATE),
  ),
  max_queries: describe(
    'Maximum number of queries of one agent at the same time. Default: 4.',
    integer(1, 1000),
  ),
  discovery_interval: describe(
    'How often to ask other agents for their status. Default: 60s.',
    text('a duration of at least 1s, such as 60s', (value) => (durationMs(value) ?? 0) >= LEAST_INTERVAL_MS),
  ),
  work_ai: describe(
    'Worker of tasks that other agents start: `exec:NAME` with a name under `workers`, or `mcp:SERVER` with a name under `mcp_servers` of the room. Default: the worker of the room.',
    text(PROGRAM_FORMS, (value) => {
      const worker = parseWorker(value)
      return worker !== null && isProgram(worker.kind)
    }),
  ),
  mirror: describe(
    'Record of what you do in your editor, for answers.',
    onlyKeys({
      enabled: describe('Turns it on. Default: false.', flag()),
      index_interval: describe(
        'Maximum age of the context in an answer. Neo reads an older one again. Default: 30s.',
        duration,
      ),
      retention_days: describe('Days to keep it. Default: 30.', integer(1, 3650)),
    }),
  ),
  tailscale: describe(
    'Identity by Tailscale.',
    onlyKeys({
      enabled: describe('Accepts the identity headers of a local Tailscale proxy. Default: false.', flag()),
      tailnet: describe('Name of the tailnet.', nonEmptyText),
    }),
  ),
})
