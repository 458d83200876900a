/** The keys of neo.yaml as fields, from their schema: names, descriptions, kinds and defaults. */

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly description?: string
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly minimum?: number
  readonly maximum?: number
}

export interface ConfigField {
  /** `daemon.concurrency` */
  readonly key: string
  readonly label: string
  /** Markdown of one line; without the default. */
  readonly help: string
  /** As the documentation names it; '' if there is none. */
  readonly byDefault: string
  readonly kind: 'text' | 'number' | 'choice' | 'yes-no' | 'list' | 'file'
  readonly choices: readonly string[]
}

export interface ConfigGroup {
  readonly name: string
  readonly help: string
  readonly fields: readonly ConfigField[]
}

/** Names in text for people; the key stands beside them. */
const WORDS: Readonly<Record<string, string>> = {
  daemon: 'Work',
  budget: 'Spending limits',
  git: 'Git',
  retention: 'Cleaning up',
  http: 'Page and API',
  memory: 'Memory',
  heartbeat: 'Regular checks',
  sandbox: 'Sandbox',
  redact: 'Masking of secrets',
  log: 'Log',
  agent: 'Agent, for other homes',
  access: 'Access of other agents',
  channels: 'Channels',
  timezone: 'Time zone',
  concurrency: 'Sessions at the same time',
  chats: 'Conversations at the same time',
  node: 'Machine that starts work',
  settle: 'Wait after a change',
  rescan: 'Read all files every',
  sync: 'Sync every',
  disk_limit: 'Disk space of worktrees',
  workspaces: 'Workspaces that agents may choose',
  usd_per_day: 'US dollars a day',
  tokens_per_day: 'Tokens a day',
  sign: 'Signed commits',
  attempts: 'Failed attempts of each task',
  age: 'Age of failed attempts',
  size: 'Size of failed attempts',
  refs: 'Commits of failed attempts',
  scheduled_tasks: 'Ended tasks of each schedule',
  every: 'Every',
  distill: 'Extract facts',
  distill_every: 'Messages between two extractions',
  window: 'Messages without a summary',
  sync_every: 'Update the index every',
  active_hours: 'Hours of the day',
  plain: 'Variables that are not secret',
}

/** In the order of the schema: first the keys without a section. */
export function groupsOf(schema: unknown): readonly ConfigGroup[] {
  const { properties = {} } = schema as Schema
  const all = Object.entries(properties).map(([key, raw]) => [key, plain(raw)] as const)
  const top = all.filter(([, one]) => one.properties === undefined)
  const sections = all.filter(([, one]) => one.properties !== undefined)
  return [
    { name: 'General', help: '', fields: top.map(([key, one]) => fieldOf(key, one)) },
    ...sections.map(([key, one]) => ({
      name: wordOf(key),
      help: one.description ?? '',
      fields: Object.entries(one.properties ?? {}).map(([name, field]) =>
        fieldOf(`${key}.${name}`, plain(field)),
      ),
    })),
  ]
}

/** Without the null that removes a key. */
function plain(schema: Schema): Schema {
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null')
  return only === undefined || others.length > 0 ? schema : { ...only, ...schema }
}

function fieldOf(key: string, schema: Schema): ConfigField {
  const text = schema.description ?? ''
  const [, byDefault = ''] = /Default: (.+?)\.?$/.exec(text) ?? []
  return {
    key,
    label: wordOf(key.split('.').at(-1) ?? key),
    help: text.replace(/ ?Default: .+$/, ''),
    byDefault: byDefault.replaceAll('`', ''),
    kind: kindOf(key, schema),
    choices: schema.enum ?? (key === 'log.level' ? LEVELS : []),
  }
}

const LEVELS = ['silent', 'error', 'warn', 'info', 'debug']

/** What is a map, or a secret, is edited in the file. */
function kindOf(key: string, { type, enum: choices, anyOf = [], properties }: Schema): ConfigField['kind'] {
  const types = [type ?? []].flat()
  const others = anyOf.map((one) => [one.type ?? []].flat())
  if (properties !== undefined || key === 'http.token' || (types.includes('object') && types.length === 1))
    return 'file'
  if (choices !== undefined || key === 'log.level') return 'choice'
  if (others.some((one) => one.includes('array'))) return 'list'
  if (types.includes('string')) return 'text'
  if (types.includes('integer') || types.includes('number')) return 'number'
  return types.includes('boolean') ? 'yes-no' : 'file'
}

function wordOf(name: string): string {
  const words = WORDS[name] ?? name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** As a field shows it; '' if the key isn't set. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? Object.keys(value).join(', ') : String(value)
}

/** As neo.yaml gets it; null removes the key. */
export function typedValue({ kind }: ConfigField, text: string): string | number | boolean | string[] | null {
  const given = text.trim()
  if (given === '') return null
  if (kind === 'list')
    return given
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  if (kind === 'yes-no') return given === 'true'
  return kind === 'number' && !Number.isNaN(Number(given)) ? Number(given) : given
}
