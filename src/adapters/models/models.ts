/**
 * Models: opens a model by its reference, `<provider>/<model>`, and asks whether it answers. Invariant 1: opening reads
 * nothing, sends nothing and loads no library; the first call does.
 */
import type { Model, Models, Provider } from '../../ports/model-port.ts'
import { ANTHROPIC_API } from './anthropic.ts'
import type { Api, Setting } from './model-call.ts'
import { OPENAI_API } from './openai.ts'
import { textModel } from './text-model.ts'

/** By the `api:` of a provider. */
const APIS: Readonly<Record<Provider['api'], Api>> = {
  anthropic: ANTHROPIC_API,
  openai: OPENAI_API,
}

/** Servers ping every few seconds; local ones may be silent while they read a long prompt. */
const IDLE_MS = 120_000
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
  if (!Object.hasOwn(APIS, provider.api))
    return { wrong: `Provider ${name} has the api "${provider.api}": want ${Object.keys(APIS).join(' or ')}` }
  const api = APIS[provider.api]
  const lacks = hasKey(provider) ? null : api.lacks(provider)
  if (lacks !== null) return { wrong: lacks }
  const inner = api.open({ ref, model, provider }, setting)
  return provider.tools === 'text' ? textModel(inner) : inner
}

function unknown(name: string, providers: readonly Provider[]): string {
  const names = providers.map((one) => one.name).join(', ')
  const there = names === '' ? 'there are none' : `there are: ${names}`
  return `No provider is called "${name}" (${there}): add it under providers in neo.yaml`
}

function hasKey({ apiKey, headers }: Provider): boolean {
  return (
    apiKey !== undefined || Object.keys(headers).some((one) => /^(?:authorization|x-api-key)$/i.test(one))
  )
}
