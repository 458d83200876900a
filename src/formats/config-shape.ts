/**
 * What may be in neo.yaml. Sections whose behaviour is elsewhere are checked here all the same, so that a slip of the
 * finger is found at the start.
 */
import { duration, size } from './duration.ts'
import { filled } from './fields.ts'
import {
  anything,
  choice,
  decimal,
  either,
  flag,
  type Given,
  keys,
  list,
  map,
  matching,
  text,
  texts,
  whole,
} from './shape.ts'
import { zoneName } from './times.ts'

const port = whole(0, 65_535)
const hours = list(whole(0, 24))

const agent = keys({
  id: matching('an id of a-z, 0-9 and -', /^[a-z0-9][a-z0-9-]{0,63}$/),
  role: text(),
  owner: text(),
  host: text(),
  port,
  contexts: list(keys({ type: text(), identifier: text(), local_path: text(), room: text() })),
  focus_hours: hours,
  interrupt: choice('on', 'off'),
  auto_respond: decimal(0, 1),
  approval_required: flag(),
  rate: matching('a rate such as 30/m', /^\d{1,6}\/(?:s|m|h|d)$/),
  max_queries: whole(),
  discovery_interval: duration,
  work_ai: text(),
  mirror: keys({ enabled: flag(), index_interval: duration, retention_days: whole() }),
  tailscale: keys({ enabled: flag(), tailnet: text() }),
})

export const configShape = keys({
  timezone: zoneName,
  model: matching('<provider>/<model>, or rules', /^(?:rules|[^\s/]+\/\S+)$/),
  providers: map(
    keys({
      api: choice('anthropic', 'openai'),
      api_key: text(),
      base_url: matching('a URL that starts with http:// or https://', /^https?:\/\/\S+$/),
      max_tokens: whole(1),
      tools: choice('native', 'text'),
      temperature: decimal(0, 2),
      headers: map(text()),
      flags: map(either(flag(), either(decimal(), text()))),
    }),
  ),
  prices: map(
    either(
      keys({ input: decimal(), output: decimal(), cache_read: decimal(), cache_write: decimal() }),
      text(),
    ),
  ),
  workers: map(
    keys({
      command: texts(filled),
      prompt: choice('stdin', 'argument', 'file'),
      env: texts(filled),
      read: texts(filled),
      write: texts(filled),
      network: choice('allow', 'deny'),
    }),
  ),
  daemon: keys({
    branch: text(),
    node: text(),
    settle: duration,
    rescan: duration,
    concurrency: whole(1, 1000),
    chats: whole(1, 1000),
    sync: matching('off, or a duration such as 60s', /^(?:off|(?:\d{1,9}(?:ms|s|m|h|d))+)$/),
    disk_limit: size,
    workspaces: texts(filled),
  }),
  budget: keys({ usd_per_day: decimal(), tokens_per_day: whole() }),
  transcripts: choice('commit', 'local'),
  git: keys({ sign: choice('auto', 'never', 'required') }),
  retention: keys({
    attempts: whole(0, 10_000),
    age: duration,
    size,
    refs: duration,
    transcripts: duration,
    scheduled_tasks: whole(0, 100_000),
    every: duration,
  }),
  channels: keys({
    telegram: keys({ enabled: flag(), token: text(), allow_from: texts(), proxy: text(), api_root: text() }),
    cli: keys({ enabled: flag() }),
  }),
  http: keys({ host: text(), port, token: text() }),
  memory: keys({
    distill: choice('rules', 'model', 'off'),
    compaction: choice('on', 'off'),
    distill_every: whole(1),
    window: whole(1),
    embeddings: text(),
    sync_every: duration,
  }),
  heartbeat: keys({ every: duration, active_hours: hours }),
  access: keys({
    default: choice('none', 'read', 'write', 'admin'),
    audit_mode: choice('on', 'off'),
    rules: list(anything()),
  }),
  agent,
  sandbox: keys({ read: texts(filled), processes: whole(2, 1_000_000), memory: size, disk: size }),
  redact: keys({ plain: texts(filled) }),
  log: keys({ level: choice('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace') }),
  fleet: keys({ redis: text() }),
})

export type ConfigGiven = Given<typeof configShape>
