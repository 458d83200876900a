/** The sections of neo.yaml about models and agents: providers, prices, workers, budget, sync. */
import type { ExecWorker, HomeConfig, Limits, Price, ProviderConfig } from '../../domain/home/home-config.ts'
import { msOf, sizeBytes } from '../values/duration.ts'
import { modelOf } from '../values/header-values.ts'
import type { ConfigGiven } from './config-shape.ts'

type AgentPart = Pick<
  HomeConfig,
  'model' | 'providers' | 'prices' | 'workers' | 'budget' | 'sandboxRead' | 'sandboxLimits' | 'syncMs'
>

/** Enough for a model to write a whole file. */
const DEFAULT_MAX_TOKENS = 8192
/** Used by homes that configure only a key. */
const DEFAULT_MODEL = 'anthropic/claude-sonnet-5-5'

export function agentConfig(
  given: ConfigGiven,
  env: Readonly<Record<string, string | undefined>>,
): AgentPart {
  const providers = providersOf(given.providers ?? {}, env)
  const { usd_per_day: usd, tokens_per_day: tokens } = given.budget ?? {}
  const sync = given.daemon?.sync
  return {
    model: modelOf(given.model) ?? (providers.some(isAnthropicWithKey) ? DEFAULT_MODEL : 'rules'),
    providers,
    prices: pricesOf(given.prices ?? {}),
    workers: workersOf(given.workers ?? {}),
    budget: {
      ...(usd === undefined ? {} : { usdPerDay: usd }),
      ...(tokens === undefined ? {} : { tokensPerDay: tokens }),
    },
    sandboxRead: given.sandbox?.read ?? [],
    sandboxLimits: limitsOf(given.sandbox ?? {}),
    syncMs: sync === undefined || sync === 'off' ? null : (msOf(sync) ?? null),
  }
}

function limitsOf({ processes, memory, disk }: NonNullable<ConfigGiven['sandbox']>): Partial<Limits> {
  const [memoryBytes, diskBytes] = [memory, disk].map((value) =>
    value === undefined ? null : sizeBytes(value),
  )
  return {
    ...(processes === undefined ? {} : { processes }),
    ...(typeof memoryBytes === 'number' ? { memory: memoryBytes } : {}),
    ...(typeof diskBytes === 'number' ? { disk: diskBytes } : {}),
  }
}

function isAnthropicWithKey({ name, apiKey }: ProviderConfig): boolean {
  return name === 'anthropic' && apiKey !== undefined
}

/** Those of neo.yaml, and `anthropic` from the environment if neo.yaml doesn't have it. */
function providersOf(
  given: NonNullable<ConfigGiven['providers']>,
  env: Readonly<Record<string, string | undefined>>,
): readonly ProviderConfig[] {
  const named = Object.entries(given).map(([name, one]) => providerOf(name, one ?? {}))
  if (named.some(({ name }) => name === 'anthropic')) return named.map((one) => withKey(one, env))
  return [...named, withKey(providerOf('anthropic', {}), env)]
}

function providerOf(
  name: string,
  one: NonNullable<NonNullable<ConfigGiven['providers']>[string]>,
): ProviderConfig {
  const { api, api_key: apiKey, base_url: baseUrl, max_tokens: maxTokens, tools, temperature, headers } = one
  return {
    name,
    api: api ?? (name === 'anthropic' ? 'anthropic' : 'openai'),
    ...(apiKey === undefined || apiKey === '' ? {} : { apiKey }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    maxTokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    tools: tools ?? 'native',
    ...(temperature === undefined ? {} : { temperature }),
    headers: defined(headers ?? {}),
    flags: defined(one.flags ?? {}),
  }
}

function withKey(one: ProviderConfig, env: Readonly<Record<string, string | undefined>>): ProviderConfig {
  if (one.name !== 'anthropic') return one
  const key = env['ANTHROPIC_API_KEY'] ?? ''
  const base = env['ANTHROPIC_BASE_URL'] ?? ''
  return {
    ...one,
    ...(one.apiKey === undefined && key !== '' ? { apiKey: key } : {}),
    ...(one.baseUrl === undefined && base !== '' ? { baseUrl: base } : {}),
  }
}

function pricesOf(given: NonNullable<ConfigGiven['prices']>): Readonly<Record<string, Price>> {
  const prices: Record<string, Price> = {}
  for (const [ref, one] of Object.entries(given)) {
    if (one === undefined || typeof one === 'string') continue
    const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = one
    if (input === undefined || output === undefined) continue
    prices[ref] = {
      input,
      output,
      ...(cacheRead === undefined ? {} : { cacheRead }),
      ...(cacheWrite === undefined ? {} : { cacheWrite }),
    }
  }
  return prices
}

function workersOf(given: NonNullable<ConfigGiven['workers']>): Readonly<Record<string, ExecWorker>> {
  const workers: Record<string, ExecWorker> = {}
  for (const [name, one] of Object.entries(given)) {
    const [first, ...more] = one?.command ?? []
    if (first === undefined) continue
    workers[name] = {
      command: [first, ...more],
      prompt: one?.prompt ?? 'stdin',
      env: one?.env ?? [],
      read: one?.read ?? [],
      write: one?.write ?? [],
      network: one?.network ?? 'deny',
    }
  }
  return workers
}

function defined<T>(given: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, one]) => (one === undefined ? [] : [[key, one]])),
  )
}
