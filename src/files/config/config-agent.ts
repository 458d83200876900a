/** The sections of neo.yaml about models and agents: providers, prices, workers, budget, sync. */
import type { ExecWorker, HomeConfig, Limits, Price, ProviderConfig } from '../../domain/home/home-config.ts'
import { bytesOf, msOf } from '../values/duration.ts'
import { modelOf, withoutUndefined } from '../values/header-values.ts'
import type { Environment } from './config-env.ts'
import type { ConfigGiven } from './config-shape.ts'

type AgentPart = Pick<
  HomeConfig,
  'model' | 'providers' | 'prices' | 'workers' | 'budget' | 'sandboxRead' | 'sandboxLimits' | 'syncMs'
>

/** Enough for a model to write a whole file. */
const DEFAULT_MAX_TOKENS = 8192
/** Used by homes that configure only a key. */
const DEFAULT_MODEL = 'anthropic/claude-sonnet-5-5'

export function agentConfig(given: ConfigGiven, env: Environment): AgentPart {
  const providers = providersOf(given.providers ?? {}, env)
  const { usd_per_day: usd, tokens_per_day: tokens } = given.budget ?? {}
  const sync = given.daemon?.sync
  return {
    model: modelOf(given.model) ?? (providers.some(isAnthropicWithKey) ? DEFAULT_MODEL : 'rules'),
    providers,
    prices: pricesOf(given.prices ?? {}),
    workers: workersOf(given.workers ?? {}),
    budget: withoutUndefined<HomeConfig['budget']>({ usdPerDay: usd, tokensPerDay: tokens }),
    sandboxRead: given.sandbox?.read ?? [],
    sandboxLimits: withoutUndefined<Partial<Limits>>({
      processes: given.sandbox?.processes,
      memory: bytesOf(given.sandbox?.memory),
      disk: bytesOf(given.sandbox?.disk),
    }),
    syncMs: sync === undefined || sync === 'off' ? null : (msOf(sync) ?? null),
  }
}

function isAnthropicWithKey({ name, apiKey }: ProviderConfig): boolean {
  return name === 'anthropic' && apiKey !== undefined
}

/** Those of neo.yaml, and `anthropic` from the environment if neo.yaml doesn't have it. */
function providersOf(
  given: NonNullable<ConfigGiven['providers']>,
  env: Environment,
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
    ...withoutUndefined<Partial<ProviderConfig>>({ apiKey: apiKey || undefined, baseUrl, temperature }),
    maxTokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    tools: tools ?? 'native',
    headers: withoutUndefined<Record<string, string>>(headers ?? {}),
    flags: withoutUndefined<Record<string, string | number | boolean>>(one.flags ?? {}),
  }
}

function withKey(one: ProviderConfig, env: Environment): ProviderConfig {
  if (one.name !== 'anthropic') return one
  const apiKey = env['ANTHROPIC_API_KEY'] || undefined
  const baseUrl = env['ANTHROPIC_BASE_URL'] || undefined
  return { ...withoutUndefined<Partial<ProviderConfig>>({ apiKey, baseUrl }), ...one }
}

function pricesOf(given: NonNullable<ConfigGiven['prices']>): Readonly<Record<string, Price>> {
  const prices: Record<string, Price> = {}
  for (const [ref, one] of Object.entries(given)) {
    if (one === undefined || typeof one === 'string') continue
    const { input, output, cache_read: cacheRead, cache_write: cacheWrite } = one
    if (input === undefined || output === undefined) continue
    prices[ref] = { input, output, ...withoutUndefined<Partial<Price>>({ cacheRead, cacheWrite }) }
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
