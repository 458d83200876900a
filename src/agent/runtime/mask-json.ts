/** Masks secrets inside of values: what is written to a transcript holds texts at any depth. */
import type { Json } from '../../domain/agent/model-message.ts'
import { redact } from '../../domain/secrets/redact.ts'

/** The same value with every text in it masked. */
export function maskJson(value: Json): Json {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map(maskJson)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskJson(one)]))
}
