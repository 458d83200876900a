/**
 * What may be in neo.yaml. Sections whose behaviour is elsewhere are checked here all the same, so that a slip of the
 * finger is found at the start.
 */
import { duration, size } from '../values/duration.ts'
import { filled } from '../values/header-values.ts'
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
  said,
  text,
  texts,
  whole,
} from '../values/shape.ts'
import { zoneName } from '../values/times.ts'

const port = whole(0, 65_535)
const hours = list(whole(0, 24))

const agent = keys({
  id: said(
    'The id of this agent among others.',
    matching('an id of a-z, 0-9 and -', /^[a-z0-9][a-z0-9-]{0,63}$/),
  ),
  role: said('What it is.', text()),
  owner: said('Who it belongs to.', text()),
  host: said('Where it listens.', text()),
  port: said('The port on which it listens.', port),
  contexts: said(
    'What it can be asked about.',
    list(
      keys({
        type: said('What it is, such as `repository`.', text()),
        identifier: said('What it is called elsewhere.', text()),
        local_path: said('Where it is here.', text()),
        room: said('The room that is about it.', text()),
      }),
    ),
  ),
  focus_hours: said('Hours in which it is not to be interrupted.', hours),
  interrupt: said('Whether it may be interrupted.', choice('on', 'off')),
  auto_respond: said('From which confidence on it answers by itself, 0 to 1.', decimal(0, 1)),
  approval_required: said('Whether answers need approval.', flag()),
  rate: said('How often it may be asked.', matching('a rate such as 30/m', /^\d{1,6}\/(?:s|m|h|d)$/)),
  max_queries: said('Queries at a time.', whole()),
  discovery_interval: said('How often it looks for others.', duration),
  work_ai: said('The model that answers.', text()),
  mirror: said(
    'Whether it mirrors contexts.',
    keys({
      enabled: said('Default: no.', flag()),
      index_interval: said('How often.', duration),
      retention_days: said('How long it is kept.', whole()),
    }),
  ),
  tailscale: said(
    'Its tailnet.',
    keys({ enabled: said('Default: no.', flag()), tailnet: said('Its name.', text()) }),
  ),
})

const provider = keys({
  api: said(
    'The protocol. Default: `openai`, for the name `anthropic` its own.',
    choice('anthropic', 'openai'),
  ),
  api_key: said('The key; better a variable of `.env`, as the neo.yaml of `neo init` shows.', text()),
  base_url: said(
    'Where the server is.',
    matching('a URL that starts with http:// or https://', /^https?:\/\/\S+$/),
  ),
  max_tokens: said('The longest answer.', whole(1)),
  tools: said('`text` for models that cannot call tools. Default: `native`.', choice('native', 'text')),
  temperature: said('Sampling temperature, 0 to 2.', decimal(0, 2)),
  headers: said('Further HTTP headers.', map(text())),
  flags: said('What differs on this server: docs/agents.md.', map(either(flag(), either(decimal(), text())))),
})

const program = keys({
  command: said('Program and arguments.', texts(filled)),
  prompt: said('How it gets the task. Default: `stdin`.', choice('stdin', 'argument', 'file')),
  env: said('Names of environment variables that it sees.', texts(filled)),
  read: said('Files and folders that it may read, beside the worktree.', texts(filled)),
  write: said('Files and folders that it may write, beside the worktree.', texts(filled)),
  network: said('Whether it has the network. Default: `deny`.', choice('allow', 'deny')),
})

const daemon = keys({
  branch: said('The branch on which work may start.', text()),
  node: said('If several machines share the home: the only one that starts work.', text()),
  settle: said('How long a file must be quiet before it counts. Default: 2s; 20s with Obsidian.', duration),
  rescan: said('How often all files are looked at again. Default: 30s.', duration),
  concurrency: said('Sessions at a time, over all rooms. Default: 2.', whole(1, 1000)),
  chats: said('Conversations that Neo answers at a time. Default: 4.', whole(1, 1000)),
  sync: said(
    'How often the home is fetched, merged and pushed. Default: `off`.',
    matching('off, or a duration such as 60s', /^(?:off|(?:\d{1,9}(?:ms|s|m|h|d))+)$/),
  ),
  disk_limit: said('How much disk worktrees may use. Default: 5GB.', size),
  workspaces: said('Workspaces that models may name in tasks.', texts(filled)),
})

const retention = keys({
  attempts: said('Worktrees of failed attempts, for each task. Default: 3.', whole(0, 10_000)),
  age: said('The oldest of them. Default: 14d.', duration),
  size: said('All of them together. Default: 2GB.', size),
  refs: said('How long their commits stay. Default: 90d.', duration),
  transcripts: said('How long transcripts stay. Default: 90d.', duration),
  scheduled_tasks: said('Ended tasks of one schedule. Default: 50.', whole(0, 100_000)),
  every: said('How often this is applied when nothing runs. Default: 1h.', duration),
})

const memory = keys({
  distill: said('How facts are taken from conversations. Default: `rules`.', choice('rules', 'model', 'off')),
  compaction: said('Read, and not used yet: long conversations are always folded.', choice('on', 'off')),
  distill_every: said('After how many messages. Default: 20.', whole(1)),
  window: said('How many of the last messages a model is shown for it. Default: 50.', whole(1)),
  embeddings: said('`off` searches by words alone.', text()),
  sync_every: said('How often the index is brought up to date. Default: 10m.', duration),
})

const price = keys({
  input: said('USD for a million tokens of input.', decimal()),
  output: said('USD for a million tokens of output.', decimal()),
  cache_read: said('USD for a million tokens read from the cache.', decimal()),
  cache_write: said('USD for a million tokens written to the cache.', decimal()),
})

const telegram = keys({
  enabled: said('Default: yes, if there is a token.', flag()),
  token: said('The token of the bot.', text()),
  allow_from: said('Who may write to it: ids of accounts or chats.', texts()),
  proxy: said('A proxy for it.', text()),
  api_root: said('Another server of the Bot API.', text()),
})

export const configShape = keys({
  timezone: said("The zone of local times and of a budget's day. Default: that of the system.", zoneName),
  model: said(
    'The model, as `provider/model`; `rules` for none. Default: a Claude model if ANTHROPIC_API_KEY is set.',
    matching('<provider>/<model>, or rules', /^(?:rules|[^\s/]+\/\S+)$/),
  ),
  providers: said('Servers of models, by a name of your choice.', map(provider)),
  prices: said('Prices of models that Neo does not know, by model.', map(either(price, text()))),
  workers: said('Programs that do tasks with `worker: exec:NAME`.', map(program)),
  daemon: said('How the daemon works.', daemon),
  budget: said(
    'What all agents together may cost.',
    keys({
      usd_per_day: said('US dollars a day.', decimal()),
      tokens_per_day: said('Tokens a day.', whole()),
    }),
  ),
  transcripts: said(
    'Whether transcripts are committed or stay on this machine. Default: `commit`.',
    choice('commit', 'local'),
  ),
  git: said(
    'Signatures of commits.',
    keys({
      sign: said(
        '`auto`: if your git settings ask for it. Default: `auto`.',
        choice('auto', 'never', 'required'),
      ),
    }),
  ),
  retention: said('How long ended work is kept.', retention),
  channels: said(
    'Where people talk to Neo.',
    keys({
      telegram: said('A bot on Telegram.', telegram),
      cli: said('The terminal.', keys({ enabled: said('Default: yes.', flag()) })),
    }),
  ),
  http: said(
    'The web page and the API.',
    keys({
      host: said('The address it listens on. Default: 127.0.0.1.', text()),
      port: said('The port. Default: 8787, or a free one if that is busy.', port),
      token: said('The token. Default: a random one.', text()),
    }),
  ),
  memory: said('What is remembered.', memory),
  heartbeat: said(
    'Regular turns of Neo, as HEARTBEAT.md says.',
    keys({
      every: said('How often. Default: 30m.', duration),
      active_hours: said('From which hour to which. Default: 8 to 22.', hours),
    }),
  ),
  access: said(
    'Rights of other agents. Read, and not used yet.',
    keys({
      default: said(
        'What they may do if no rule says more. Default: `none`.',
        choice('none', 'read', 'write', 'admin'),
      ),
      audit_mode: said('Whether rules are only recorded.', choice('on', 'off')),
      rules: said('Rules, in their order.', list(anything())),
    }),
  ),
  agent: said('This home as an agent among others. Read, and not used yet.', agent),
  sandbox: said(
    'What confined commands may see and use.',
    keys({
      read: said("Files and folders that they may read, beside the system's.", texts(filled)),
      processes: said('Processes at a time. Default: 512.', whole(2, 1_000_000)),
      memory: said("Memory. Default: 8GB, or three quarters of the machine's.", size),
      disk: said("The size of the workspace's folder. Default: 10GB.", size),
    }),
  ),
  redact: said(
    'Masking of secrets.',
    keys({ plain: said('Names of environment variables whose values are no secrets.', texts(filled)) }),
  ),
  log: said(
    "What the daemon's log holds.",
    keys({
      level: said(
        'From which severity on. Default: `info`.',
        choice('silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'),
      ),
    }),
  ),
  fleet: said(
    'Workers on other machines. Read, and not used yet.',
    keys({ redis: said('A Redis server.', text()) }),
  ),
})

export type ConfigGiven = Given<typeof configShape>
