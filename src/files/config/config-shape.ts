/** The shape of neo.yaml. It includes the sections of channels, so that typing errors are found at the start. */
import { MODEL_APIS } from '../../domain/home/home-config.ts'
import { CHANNEL_KINDS, type ChannelKind, type ChannelName } from '../../domain/policy/channel-kinds.ts'
import { duration, durationMs, size } from '../values/duration.ts'
import { nonEmptyText } from '../values/header-values.ts'
import {
  choice,
  decimal,
  describe,
  either,
  flag,
  guard,
  type Infer,
  integer,
  keys,
  list,
  map,
  matching,
  onlyKeys,
  type Shape,
  text,
  textList,
} from '../values/shape.ts'
import { zoneName } from '../values/times.ts'
import { accessShape, agentSectionShape } from './peer-shapes.ts'

const port = integer(0, 65_535)
const hours = list(integer(0, 24))

const provider = keys({
  api: describe(
    'API that the server speaks. Default: `openai`; `anthropic` for the provider named `anthropic`.',
    choice(...MODEL_APIS),
  ),
  api_key: describe(`API key, as \`"\${NAME}"\`. Keep the value in \`.env\`.`, text()),
  base_url: guard(
    'Base URL, such as `http://127.0.0.1:11434/v1`.',
    matching('a URL that starts with http:// or https://', /^https?:\/\/\S+$/),
  ),
  max_tokens: guard('Maximum number of tokens in an answer. Default: 8192.', integer(1)),
  tools: describe(
    'How the model calls tools: `native` by API, `text` for models without tool calls. Default: `native`.',
    choice('native', 'text'),
  ),
  temperature: describe('Sampling temperature. Default: that of the server.', decimal(0, 2)),
  headers: describe('Extra HTTP headers for each request.', map(text())),
  flags: describe(
    'Settings for servers that deviate from the API, listed in docs/agents.md.',
    map(either(flag(), either(decimal(), text()))),
  ),
})

const program = keys({
  command: describe('Program and its arguments, such as `[claude, -p]`.', textList(nonEmptyText)),
  prompt: describe(
    'How it gets the task: on `stdin`, as last `argument` or as a `file`. Default: `stdin`.',
    choice('stdin', 'argument', 'file'),
  ),
  env: describe(
    'Names of environment variables to pass on, such as `[ANTHROPIC_API_KEY]`.',
    textList(nonEmptyText),
  ),
  read: describe('Files and folders that it may read besides the worktree.', textList(nonEmptyText)),
  write: describe('Files and folders that it may write besides the worktree.', textList(nonEmptyText)),
  network: describe('Network access. Default: `deny`.', choice('allow', 'deny')),
})

const daemon = keys({
  branch: guard('Branch on which work may start. Default: the one that is checked out.', text()),
  node: guard(
    'Name of the only machine that starts work, if several share the home: its `NEO_NODE`, else its host name. Default: the first one that reaches the remote.',
    text(),
  ),
  settle: guard(
    'How long a file must be unchanged before Neo reads it. Default: 2s; 20s if the home has a `.obsidian` folder.',
    duration,
  ),
  rescan: describe('How often to rescan all files. Default: 30s.', duration),
  concurrency: guard(
    'Maximum number of sessions at the same time in all rooms. Default: 2.',
    integer(1, 1000),
  ),
  chats: guard(
    'Maximum number of conversations that Neo answers at the same time. Default: 4.',
    integer(1, 1000),
  ),
  sync: describe(
    'How often to fetch, merge and push the home, such as 60s. Default: `off`.',
    text('off, or a duration such as 60s', (value) => value === 'off' || durationMs(value) !== null),
  ),
  disk_limit: guard('Maximum disk space of all worktrees; no session starts beyond it. Default: 5GB.', size),
  workspaces: describe(
    'Workspaces that models may set in tasks. Default: only that of the room.',
    textList(nonEmptyText),
  ),
})

const retention = keys({
  attempts: describe(
    'Number of worktrees of failed attempts to keep for each task. Default: 3.',
    integer(0, 10_000),
  ),
  age: describe('Maximum age of these worktrees. Default: 14d.', duration),
  size: describe('Maximum size of all these worktrees. Default: 2GB.', size),
  refs: describe('How long to keep their commits, under `refs/neo/attempts/`. Default: 90d.', duration),
  transcripts: describe('How long to keep transcripts. Default: 90d.', duration),
  scheduled_tasks: describe(
    'Number of ended tasks to keep for each schedule. Older ones stay in the git history. Default: 50.',
    integer(0, 100_000),
  ),
  every: describe('How often to clean up while no session runs. Default: 1h.', duration),
})

const memory = keys(
  {
    distill: guard(
      'How to extract facts from conversations: by `rules`, by `rules` and a `model`, or `off`. Default: `rules`.',
      choice('rules', 'model', 'off'),
    ),
    distill_every: describe('Number of messages after which to extract facts. Default: 20.', integer(1)),
    window: describe(
      'With `distill: model`: a model summarises when more messages than this have no summary. Default: 50.',
      integer(1),
    ),
    embeddings: describe('`off` searches by words only. Default: a local table of embeddings.', text()),
    sync_every: describe(
      'How often to update the search index and to extract facts in rooms. Default: 10m.',
      duration,
    ),
  },
  { unused: ['compaction'] },
)

const price = keys({
  input: describe('US dollars per million input tokens.', decimal()),
  output: describe('US dollars per million output tokens.', decimal()),
  cache_read: describe(
    'US dollars per million tokens read from the cache. Default: the price of input.',
    decimal(),
  ),
  cache_write: describe(
    'US dollars per million tokens written to the cache. Default: the price of input.',
    decimal(),
  ),
})

function channelShape({ title, settings }: ChannelKind) {
  const own = Object.entries(settings).map(([key, about]) => [key, describe(about, text())])
  return keys({
    enabled: describe('Turns the bot on. Default: false.', flag()),
    allow_from: describe(
      `Ids of your own ${title} accounts. They have all permissions of the owner. Add other people as members.`,
      textList(),
    ),
    ...(Object.fromEntries(own) as Readonly<Record<string, Shape<string>>>),
  })
}

const channels = Object.entries(CHANNEL_KINDS).map(([name, kind]) => [
  name,
  describe(`${kind.title} bot.`, channelShape(kind)),
])

export const configShape = keys(
  {
    timezone: describe(
      'Time zone of local times in files and of daily budgets. Default: the time zone of the system.',
      zoneName,
    ),
    model: guard(
      'Model as `provider/model`, or `none`. Default: a Claude model if ANTHROPIC_API_KEY is set, else none.',
      matching('<provider>/<model>, or none', /^(?:none|rules|[^\s/]+\/\S+)$/),
    ),
    providers: describe('Model servers, each under a name of your choice.', map(provider)),
    prices: describe(
      'Prices of models, by `provider/model`. They override the built-in table.',
      map(either(price, text())),
    ),
    workers: describe('Programs for tasks with `worker: exec:NAME`.', map(program)),
    daemon: describe('Settings of the daemon.', daemon),
    budget: describe(
      'Spending limits for the whole home. Agents wait until the next day if one is reached.',
      onlyKeys({
        usd_per_day: describe('US dollars per day. Default: no limit.', decimal()),
        tokens_per_day: describe('Tokens per day. Default: no limit.', integer()),
      }),
    ),
    transcripts: guard(
      'Where transcripts go: `commit` them, or keep them `local` to this machine. Default: `commit`.',
      choice('commit', 'local'),
    ),
    git: describe(
      'Settings of git.',
      keys({
        sign: guard(
          'Signing of commits: `auto` follows your git settings, `required` makes no unsigned commit. Default: `auto`.',
          choice('auto', 'never', 'required'),
        ),
      }),
    ),
    retention: describe('How long to keep ended work. `neo clean` applies it at once.', retention),
    channels: describe(
      'Channels on which people talk to Neo.',
      keys({
        ...(Object.fromEntries(channels) as Readonly<Record<ChannelName, Shape<unknown>>>),
        cli: describe(
          'Terminal.',
          keys({ enabled: describe('Turns the channel on. Default: true.', flag()) }),
        ),
      }),
    ),
    http: describe(
      'HTTP API and web UI.',
      keys({
        host: describe('Address to listen on. Default: 127.0.0.1.', text()),
        port: describe('Port to listen on. Default: 8787, or a free port if it is in use.', port),
        token: describe('Access token. Default: a random token.', text()),
      }),
    ),
    memory: describe('Memory of conversations.', memory),
    heartbeat: describe(
      'Regular checks of the list in `workspace/HEARTBEAT.md`.',
      keys({
        every: guard('Interval between checks. Default: 30m.', duration),
        active_hours: guard('First and last hour of the day for these checks. Default: `[8, 22]`.', hours),
      }),
    ),
    sandbox: describe(
      'Limits of sandboxed commands.',
      onlyKeys({
        read: describe(
          'Files and folders that they may read besides the workspace and the system.',
          textList(nonEmptyText),
        ),
        processes: describe('Maximum number of processes. Default: 512.', integer(2, 1_000_000)),
        memory: describe(
          'Maximum memory. Default: 8GB, or three quarters of the memory of the machine if that is less.',
          size,
        ),
        disk: describe('Maximum size of the worktree, and of a single file. Default: 10GB.', size),
      }),
    ),
    redact: describe(
      'Masking of secrets in transcripts, logs and commits.',
      keys({
        plain: describe(
          'Names of environment variables whose values are not secret and stay readable.',
          textList(nonEmptyText),
        ),
      }),
    ),
    agent: describe(
      'This home in the agent protocol, in which homes of other people ask and delegate.',
      agentSectionShape,
    ),
    access: describe('What agents of other homes may read and do.', accessShape),
    log: describe(
      'Log of the daemon.',
      keys({
        level: describe(
          'Lowest level to log. The variable `NEO_LOG` overrides it for one start. Default: `info`.',
          // Older files also have fatal (as silent) and trace (as debug).
          matching(
            'one of silent, error, warn, info, debug',
            /^(?:silent|fatal|error|warn|info|debug|trace)$/,
          ),
        ),
      }),
    ),
  },
  { unused: ['fleet'] },
)

export type ConfigGiven = Infer<typeof configShape>
