/** Reads neo.yaml with defaults, `${NAME}` and `NEO_` overrides. */
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { fileProblem, type Problem } from '../../domain/home/problem.ts'
import { conflictIn, decode, guardYaml } from '../header/header-limits.ts'
import { BOM, type Flaw, problemAt, type Read, readResult } from '../header/read-header.ts'
import { type Path, parseYaml } from '../header/yaml.ts'
import { addProblem, type CheckContext, check, nameOf } from '../values/check-value.ts'
import { bytesOf, msOf } from '../values/duration.ts'
import { parseWorker, providerOf } from '../values/header-values.ts'
import { nearestHint } from '../values/suggest.ts'
import { isZone } from '../values/times.ts'
import { agentConfig } from './config-agent.ts'
import { peerSections } from './config-peers.ts'
import { type Environment, withEnvironment } from './config-env.ts'
import { type ConfigGiven, configShape } from './config-shape.ts'

/** Far over any real configuration. */
const MAX_CONFIG_BYTES = 128 * 1024
const DEFAULT_RESCAN_MS = 30_000
const DEFAULT_CONCURRENCY = 2
const DEFAULT_DISK_LIMIT = 5e9

/**
 * The default time zone is `TZ` of `env`, else UTC; the default model is Claude if there is a key for it, else
 * `rules`.
 */
export function readConfig(file: string, bytes: Buffer | string | null, env: Environment): Read<HomeConfig> {
  const decoded = decode(bytes ?? '')
  if ('code' in decoded) return bad(file, '', [decoded])
  const from = decoded.text.startsWith(BOM) ? 1 : 0
  const source = decoded.text.slice(from)
  const conflict = conflictIn(decoded.text, decoded.text.length)
  if (conflict !== null) return bad(file, decoded.text, [conflict])
  const flaw = guardYaml(source, MAX_CONFIG_BYTES)
  const parsed = flaw === null ? parseYaml(source) : { flaws: [flaw] }
  if ('flaws' in parsed)
    return bad(
      file,
      decoded.text,
      parsed.flaws.map((one) => ({ ...one, offset: one.offset + from })),
    )
  const set = withEnvironment(parsed.data, configShape, env)
  const on: CheckContext = {
    file,
    text: decoded.text,
    source,
    from,
    problems: [],
    isFromEnvironment: set.variableAt,
  }
  for (const { name, meant } of set.strays)
    on.problems.push(fileProblem(file, 'warning', strayProblem(name, meant)))
  const known = check(on, configShape, set.data)
  return readResult(buildConfig(on, known ?? {}, env), on.problems)
}

function strayProblem(name: string, meant: string | null): Parameters<typeof fileProblem>[2] {
  const hint = meant === null ? 'Write NEO_DAEMON__NODE for daemon.node' : `Did you mean ${meant}?`
  return { code: 'variable', message: `the variable ${name} sets nothing`, hint }
}

export function defaultConfig(): HomeConfig {
  const read = readConfig('neo.yaml', null, {})
  if (read.kind !== 'ok') throw new Error('The default configuration is invalid')
  return read.value
}

function bad(file: string, text: string, flaws: readonly Flaw[]): Read<never> {
  const problems: Problem[] = flaws.map((flaw) => problemAt(file, text, flaw))
  return {
    kind: 'bad',
    problems: text === '' ? problems.map((one) => ({ ...one, line: null, column: null })) : problems,
  }
}

function buildConfig(on: CheckContext, known: ConfigGiven, env: Environment): HomeConfig {
  const { agent, access, ...others } = known
  const {
    timezone = zoneOf(env),
    model: _,
    daemon = {},
    transcripts,
    git = {},
    retention = {},
    log,
    ...rest
  } = others
  const { branch, node, settle, rescan, concurrency, disk_limit: limit, workspaces, ...more } = daemon
  const agents = agentConfig(known, env)
  checkNames(on, known, agents)
  return {
    timezone,
    ...agents,
    ...peerSections(on, { agent, access }, timezone),
    daemon: {
      branch: branch ?? null,
      node: node ?? null,
      settleMs: msOf(settle) ?? null,
      rescanMs: msOf(rescan) ?? DEFAULT_RESCAN_MS,
      concurrency: concurrency ?? DEFAULT_CONCURRENCY,
      diskLimitBytes: bytesOf(limit) ?? DEFAULT_DISK_LIMIT,
      workspaces: workspaces ?? [],
    },
    transcripts: transcripts ?? 'commit',
    git: { sign: git.sign ?? 'auto' },
    retention: retentionOf(retention),
    log: { level: levelOf(log?.level ?? 'info') },
    rest: { ...rest, ...(Object.keys(more).length === 0 ? {} : { daemon: more }) },
  }
}

/** What neo.yaml names in itself; rooms that it names: `engine/snapshot/validate-names.ts`. */
function checkNames(
  on: CheckContext,
  { model = 'none', agent }: ConfigGiven,
  { providers, workers }: Pick<HomeConfig, 'providers' | 'workers'>,
): void {
  const worker = parseWorker(agent?.work_ai ?? '')
  const named: readonly (readonly [path: Path, of: string, name: string, names: readonly string[]])[] = [
    ...providerOf(model).map(
      (name) => [['model'], 'provider', name, providers.map((one) => one.name)] as const,
    ),
    ...(worker?.kind === 'exec'
      ? [[['agent', 'work_ai'], 'worker', worker.name, Object.keys(workers)] as const]
      : []),
  ]
  for (const [path, of, name, names] of named) {
    if (names.includes(name)) continue
    const hint = nearestHint(name, names, `Use a name under ${of}s: ${names.join(', ') || 'none is set'}`)
    const message = `${nameOf(path)}: no ${of} "${name}"`
    addProblem(on, path, { code: 'name', severity: 'warning', message, hint })
  }
}

/** The names of levels in older files. */
function levelOf(level: string): string {
  return level === 'fatal' ? 'silent' : level === 'trace' ? 'debug' : level
}

const DAY_MS = 86_400_000

function retentionOf(given: NonNullable<ConfigGiven['retention']>): HomeConfig['retention'] {
  const { attempts, age, size, refs, transcripts, scheduled_tasks: scheduled, every } = given
  return {
    attempts: attempts ?? 3,
    ageMs: msOf(age) ?? 14 * DAY_MS,
    bytes: bytesOf(size) ?? 2e9,
    refsMs: msOf(refs) ?? 90 * DAY_MS,
    transcriptsMs: msOf(transcripts) ?? 90 * DAY_MS,
    scheduled: scheduled ?? 50,
    everyMs: msOf(every) ?? DAY_MS / 24,
  }
}

function zoneOf(env: Environment): string {
  const zone = env['TZ']?.replace(/^:/, '') ?? ''
  return zone !== '' && isZone(zone) ? zone : 'UTC'
}
