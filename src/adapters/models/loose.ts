/** Reading what servers send, of which no shape is known, and estimating what they don't report. */
import { isMap } from '../../domain/text/is-map.ts'
import type { JsonObject, Usage } from '../../domain/agent/model-message.ts'

export type Loose = Readonly<Record<string, unknown>>

export function objectOf(value: unknown): Loose | null {
  return isMap(value) ? value : null
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A count; 0 for anything else. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

/** `flaw`: why it isn't the JSON of an object. An empty text counts as no arguments. */
export function argumentsOf(json: string): { readonly input: JsonObject; readonly flaw?: string } {
  if (json.trim() === '') return { input: {} }
  try {
    const value: unknown = JSON.parse(json)
    if (value === null) return { input: {} }
    const object = objectOf(value)
    if (object !== null) return { input: object as JsonObject }
    return { input: {}, flaw: 'The arguments are JSON, but not an object' }
  } catch (error) {
    return {
      input: {},
      flaw: `The arguments are not JSON: ${error instanceof Error ? error.message : error}`,
    }
  }
}

export const CUT_OFF = 'The reply was cut off at its limit inside this call; it was not run'

/** Four bytes a token: close for English and code, a little low for other scripts, whose signs have more bytes. */
const BYTES_PER_TOKEN = 4

function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

export function estimatedUsage(input: string, output: string): Usage {
  return {
    input: estimatedTokens(input),
    cacheRead: 0,
    cacheWrite: 0,
    output: estimatedTokens(output),
    source: 'estimated',
  }
}
