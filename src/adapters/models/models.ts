/**
 * Models: opens a model by its reference, `<provider>/<model>`, and asks whether it answers. Invariant 1: opening reads
 * nothing, sends nothing and loads no library; the first call does.
 */
import type { Model, Models, Provider } from '../../ports/model-port.ts'
import { anthropicModel, isAnthropicItself } from './anthropic.ts'
import { openaiModel } from './openai.ts'
import { IDLE_MS, type Setting } from './setting.ts'
import { textModel } from './text-model.ts'

/** Enough for a word, also if a model thinks before it. */
const PROBE_TOKENS = 64

/** `setting`: how long a server may be silent, and the time; for tests. */
export function openModels(setting: Partial<Setting> = {}): Models {
  const all: Setting = { idleMs: IDLE_MS, now: Date.now, ...setting }
  const open: Models['open'] = (ref, providers) => opened(ref, providers, all)
  return {
    open,
    async probe(ref, providers, signal) {
      const model = open(ref, providers)
      if ('wrong' in model) return model.wrong
      const messages = [{ role: 'user' as const, parts: [{ kind: 'text' as const, text: 'Say OK.' }] }]
      try {
        await model.call({ system: [], tools: [], messages, maxTokens: PROBE_TOKENS, signal })
        return null
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
  }
}

function opened(
  ref: string,
  providers: readonly Provider[],
  setting: Setting,
): Model | { readonly wrong: string } {
  const slash = ref.indexOf('/')
  const [name, model] = [ref.slice(0, slash), ref.slice(slash + 1)]
  if (slash <= 0 || model === '') return { wrong: `"${ref}" is no model: want <provider>/<model>` }
  const provider = providers.find((one) => one.name === name)
  if (provider === undefined) return { wrong: unknown(name, providers) }
  const wrong = missing(provider)
  if (wrong !== null) return { wrong }
  const target = { ref, model, provider }
  const inner = provider.api === 'anthropic' ? anthropicModel(target, setting) : openaiModel(target, setting)
  return provider.tools === 'text' ? textModel(inner) : inner
}

function unknown(name: string, providers: readonly Provider[]): string {
  const names = providers.map((one) => one.name).join(', ')
  const there = names === '' ? 'there are none' : `there are: ${names}`
  return `No provider is called "${name}" (${there}): add it under providers in neo.yaml`
}

function missing(provider: Provider): string | null {
  const { name, api, apiKey, baseUrl, headers } = provider
  const keyed =
    apiKey !== undefined || Object.keys(headers).some((one) => /^(?:authorization|x-api-key)$/i.test(one))
  if (keyed) return null
  if (api === 'anthropic' && isAnthropicItself(provider)) {
    return `No key for ${name}: set ${name === 'anthropic' ? 'ANTHROPIC_API_KEY, or ' : ''}providers.${name}.api_key in neo.yaml`
  }
  if (api === 'openai' && baseUrl === undefined) {
    return `Provider ${name} has neither base_url nor api_key: set providers.${name}.base_url for a server of your own, or api_key`
  }
  return null
}
