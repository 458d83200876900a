// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of the configuration.
import { describe, expect, test } from 'vitest'
import { forgetSecrets, maskKnown } from '../../../src/domain/secrets/known-secrets.ts'
import { NO_ACCESS } from '../../../src/domain/peer/peer.ts'
import { getConfigValue, learnConfig, showConfig } from '../../../src/files/config/config-secrets.ts'
import type { Environment } from '../../../src/files/config/config-env.ts'
import { readConfig } from '../../../src/files/config/read-config.ts'

function configOf(text: string | null, env: Environment = {}) {
  const read = readConfig('neo.yaml', text === null ? null : Buffer.from(text), env)
  if (read.kind !== 'ok') throw new Error(JSON.stringify(read))
  return read.value
}

function problemsOf(text: string, env: Environment = {}) {
  const read = readConfig('neo.yaml', Buffer.from(text), env)
  return read.kind === 'bad' ? read.problems : read.kind === 'ok' ? read.warnings : []
}

const FULL = `timezone: Europe/Paris
model: anthropic/claude-sonnet-5-5   # <provider>/<model>, or none
providers:                           # any names; api: anthropic | openai
  anthropic: { api: anthropic, api_key: "\${ANTHROPIC_API_KEY}", max_tokens: 8192 }
  local: { api: openai, base_url: "http://127.0.0.1:11434/v1", tools: text, temperature: 0.2, headers: {} }   # tools
prices: { date: 2026-11-01, anthropic/claude-sonnet-5-5: { input: 2, output: 10 } }   # USD per million
workers: { claude-code: { command: [claude, -p, --output-format, stream-json], prompt: stdin, env: [], read: [], write: [], network: allow } }
daemon: { branch: main, node: laptop, settle: 2s, rescan: 30s, concurrency: 2, chats: 4, sync: off, disk_limit: 5GB, workspaces: [] }
budget: { usd_per_day: 10 }
transcripts: commit                  # commit | local
channels: { telegram: { enabled: true, token: "\${TELEGRAM_BOT_TOKEN}", allow_from: [], proxy: "http://u:pass@127.0.0.1:6379", api_root: }, cli: { enabled: true } }
http: { host: 127.0.0.1, port: 8787, token: "\${NEO_HTTP_TOKEN}" }      # without a token one is made
memory: { distill: rules, distill_every: 20, window: 50, embeddings: local, sync_every: 10m }
heartbeat: { every: 30m, active_hours: [8, 22] }
sandbox: { read: [] }
log: { level: info }
`

describe('readConfig', () => {
  test('takes Claude as the model where only its key is set, and rules where a provider has none', () => {
    expect(configOf(null, { ANTHROPIC_API_KEY: 'k' })).toMatchObject({
      model: 'anthropic/claude-sonnet-5-5',
      providers: [{ name: 'anthropic', apiKey: 'k' }],
    })
    expect(configOf(null, { ANTHROPIC_API_KEY: '' })).toMatchObject({ model: 'rules' })
    expect(configOf('model: rules\n', { ANTHROPIC_API_KEY: 'k' })).toMatchObject({ model: 'rules' })
  })

  test('gives defaults without a file, and with an empty one', () => {
    const defaults = {
      timezone: 'UTC',
      model: 'rules',
      daemon: {
        branch: null,
        node: null,
        settleMs: null,
        rescanMs: 30_000,
        concurrency: 2,
        diskLimitBytes: 5e9,
        workspaces: [],
      },
      providers: [
        { name: 'anthropic', api: 'anthropic', maxTokens: 8192, tools: 'native', headers: {}, flags: {} },
      ],
      prices: {},
      workers: {},
      budget: {},
      sandboxRead: [],
      sandboxLimits: {},
      syncMs: null,
      transcripts: 'commit',
      git: { sign: 'auto' },
      retention: {
        attempts: 3,
        ageMs: 14 * 86_400_000,
        bytes: 2e9,
        refsMs: 90 * 86_400_000,
        transcriptsMs: 90 * 86_400_000,
        scheduled: 50,
        everyMs: 3_600_000,
      },
      log: { level: 'info' },
      agent: null,
      access: NO_ACCESS,
      rest: {},
    }
    expect(configOf(null)).toStrictEqual(defaults)
    expect(configOf('')).toStrictEqual(defaults)
    expect(configOf('# nothing\n', { TZ: ':Asia/Tokyo' })).toStrictEqual({
      ...defaults,
      timezone: 'Asia/Tokyo',
    })
    expect(configOf(null, { TZ: 'nowhere' }).timezone).toBe('UTC')
  })

  test('reads every section of the design without a word', () => {
    expect(problemsOf(FULL)).toStrictEqual([])
    const config = configOf(FULL, { ANTHROPIC_API_KEY: 'k-1' })
    expect(config).toMatchObject({
      timezone: 'Europe/Paris',
      daemon: { branch: 'main', node: 'laptop', settleMs: 2000, diskLimitBytes: 5e9 },
      rest: {
        providers: { anthropic: { api_key: 'k-1' } },
        daemon: { chats: 4, sync: 'off' },
        http: { port: 8787 },
      },
    })
    expect(config.rest['channels']).not.toHaveProperty('telegram.token')
  })

  test.each([
    ['model: gpt', 'model: invalid value "gpt"', 1, 8],
    ['timezone: Paris', 'timezone: invalid value "Paris"', 1, 11],
    ['x: 1\nhttp:\n  port: 99999', 'http.port: invalid value 99999', 3, 9],
    ['http: { port: "80" }', 'http.port: invalid value "80"', 1, 15],
    ['daemon: { settle: soon }', 'daemon.settle: invalid value "soon"', 1, 19],
    ['daemon: { disk_limit: 5 }', 'daemon.disk_limit: invalid value "5"', 1, 23],
    ['log: { level: loud }', 'log.level: invalid value "loud"', 1, 15],
    ['providers: { a: { api: google } }', 'providers.a.api: invalid value "google"', 1, 24],
    ['daemon: [', 'the bracket in `daemon: [` is not closed', 1, 9],
    ['model: a: b', 'model: the value contains a colon', 1, 8],
    ['- a', 'is a list', 1, 1],
    ['<<<<<<< HEAD\nmodel: rules', 'conflict markers', 1, 1],
  ])('refuses %j with its place', (text, message, line, column) => {
    const [problem] = problemsOf(text)
    expect(problem).toMatchObject({ file: 'neo.yaml', severity: 'error', line, column })
    expect(problem?.message).toContain(message)
  })

  test('refuses what is no text, too deep or too long', () => {
    expect(readConfig('neo.yaml', Buffer.from([0xff]), {})).toMatchObject({
      problems: [{ code: 'encoding', line: null }],
    })
    expect(problemsOf(`a: ${'['.repeat(40)}`)[0]).toMatchObject({ code: 'depth' })
    expect(problemsOf(`a: ${'x'.repeat(140_000)}`)[0]).toMatchObject({ code: 'size' })
  })

  test('warns of keys that it does not know', () => {
    expect(problemsOf('retenton: {}\n')).toMatchObject([
      { severity: 'warning', hint: 'Did you mean "retention"?', line: 1, column: 1 },
    ])
  })

  test.each([
    [{ NEO_LOG: 'debug' }, 'debug'],
    [{ NEO_LOG: 'debug', NEO_LOG__LEVEL: 'warn' }, 'warn'],
    [{ NEO_LOG: '' }, 'error'],
    [{ NEO_LOG: 'trace' }, 'debug'],
  ])('takes the log level of %j as %s', (env, level) => {
    expect(configOf('log: { level: error }\n', env).log).toEqual({ level })
  })

  test('fills variables into values, as the type that is wanted', () => {
    const text =
      'http: { port: "${PORT}", host: "${HOST}" }\nchannels: { telegram: { proxy: "redis://${HOST}:1/$${X}" } }\nheartbeat: { active_hours: "${HOURS}" }\n'
    expect(configOf(text, { PORT: '80', HOST: 'h', HOURS: '8, 22' }).rest).toStrictEqual({
      http: { port: 80, host: 'h' },
      channels: { telegram: { proxy: 'redis://h:1/${X}' } },
      heartbeat: { active_hours: [8, 22] },
    })
  })

  test('takes an unset or empty variable for absent', () => {
    expect(configOf('model: ${MODEL}\nhttp: { host: "x${HOST}" }', { MODEL: '' })).toMatchObject({
      model: 'rules',
      rest: { http: {} },
    })
  })

  test.each(['fleet: { redis: x }', 'memory: { compaction: on }'])('warns that %j has no effect', (text) => {
    const [problem] = problemsOf(text)
    expect(problem).toMatchObject({ severity: 'warning', code: 'unused', line: 1 })
    expect(problem?.message).toMatch(/^"[a-z.]+" has no effect in this version$/)
  })

  test('reads none and rules as no model', () => {
    const env = { ANTHROPIC_API_KEY: 'k' }
    expect(configOf('model: none', env).model).toBe('rules')
    expect(configOf('model: rules', env).model).toBe('rules')
  })

  test.each([
    ['off', null],
    ['60s', 60_000],
    ['1.5m', 90_000],
    ['0s', 0],
  ])('syncs with daemon.sync: %s every %s ms', (sync, ms) => {
    expect(configOf(`daemon: { sync: ${sync} }`).syncMs).toBe(ms)
  })

  test.each(['4000d', '60', 'often'])('refuses daemon.sync: %s', (sync) => {
    expect(problemsOf(`daemon: { sync: ${sync} }`)[0]).toMatchObject({
      severity: 'error',
      column: 17,
      message: `daemon.sync: invalid value "${sync}"`,
      hint: 'Use off, or a duration such as 60s',
    })
  })

  test('names the variable that a bad value came from', () => {
    expect(problemsOf('http: { port: "${PORT}" }', { PORT: 'x' })[0]).toMatchObject({
      line: null,
      message: expect.stringContaining('(from PORT)'),
    })
  })

  test('lets NEO_ variables override', () => {
    const env = {
      NEO_HTTP__PORT: '9000',
      NEO_MODEL: 'local/llama',
      NEO_DAEMON__SETTLE: '0',
      NEO_CHANNELS__CLI__ENABLED: 'false',
      NEO_PROVIDERS__MY_LOCAL__BASE_URL: 'http://x',
      NEO_PROVIDERS__NEW__API: 'openai',
      NEO_DAEMON__WORKSPACES: 'a, b',
      NEO_HOME: '/x',
      NEO_NODE: 'y',
      NEO_SESSION: 's-1',
      NEO_LOG__LEVEL: '',
    }
    const config = configOf(
      'http: { port: 1 }\nproviders: { my-local: { api: openai } }\nlog: { level: warn }\n',
      env,
    )
    expect(config).toMatchObject({
      model: 'local/llama',
      daemon: { settleMs: 0, workspaces: ['a', 'b'] },
      log: { level: 'warn' },
      rest: {
        http: { port: 9000 },
        channels: { cli: { enabled: false } },
        providers: { 'my-local': { api: 'openai', base_url: 'http://x' }, new: { api: 'openai' } },
      },
    })
  })

  test('says which NEO_ variable is wrong', () => {
    expect(problemsOf('', { NEO_HTTP__PORT: 'x' })[0]?.message).toBe(
      'http.port: invalid value "x" (from NEO_HTTP__PORT)',
    )
  })

  test('never changes a prototype', () => {
    configOf('__proto__: { polluted: 1 }\n', { NEO___PROTO____POLLUTED: '1', NEO_PROVIDERS____PROTO__: 'x' })
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('showConfig', () => {
  test('prints no secret', () => {
    const env = { ANTHROPIC_API_KEY: 'k-secret', TELEGRAM_BOT_TOKEN: '1:secret', NEO_HTTP_TOKEN: 't-secret' }
    const text = FULL.replace('headers: {}', 'headers: { x-auth: h-secret }').replace('pass', 'p-secret')
    const shown = JSON.stringify(showConfig(configOf(text, env)))
    expect(shown).not.toContain('secret')
    expect(shown).toContain('http://u:***@127.0.0.1:6379')
    expect(shown).toContain('"max_tokens":8192')
  })

  test.each(['apiKey', 'bot_token', 'dbPassword', 'Authorization', 'webhook', 'passphrase'])(
    'masks %s, which is also masked wherever its value appears',
    (key) => {
      const config = configOf(`providers:\n  x: { api: openai, flags: { ${key}: Zq4-hidden-93 } }\n`)
      expect(JSON.stringify(showConfig(config))).not.toContain('Zq4-hidden-93')
      learnConfig(config)
      expect(maskKnown('it says Zq4-hidden-93')).toBe('it says ***')
      forgetSecrets()
    },
  )

  test('prints what is in force with the keys of neo.yaml', () => {
    expect(showConfig(configOf('daemon: { chats: 4 }\n'))['daemon']).toMatchObject({
      settle: null,
      rescan: '30000ms',
      disk_limit: '5000000000B',
      chats: 4,
    })
  })
})

describe('getConfigValue', () => {
  test('gives one value by its path, masked', () => {
    const config = configOf('http: { port: 80, token: abc }\n')
    expect(getConfigValue(config, 'http.port')).toBe(80)
    expect(getConfigValue(config, 'http.token')).toBe('***')
    expect(getConfigValue(config, 'http.nothing.at.all')).toBeUndefined()
    expect(getConfigValue(config, 'constructor')).toBeUndefined()
  })
})
