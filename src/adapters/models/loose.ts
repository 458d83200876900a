/**
 * Reading values of which nothing is known: what servers send is looked at, never trusted to have a shape.
 */
import type { Json, JsonObject } from '../../domain/agent/model-message.ts'

export type Loose = Readonly<Record<string, unknown>>

export function objectOf(value: unknown): Loose | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : null
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A count; 0 for what is none. */
export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

/** What came out of JSON.parse, as Json. */
export function jsonOf(value: unknown): Json {
  return value as Json
}

/** JSON of an object; a text says why it is none. Nothing at all counts as no arguments. */
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
