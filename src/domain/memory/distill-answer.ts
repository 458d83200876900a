/**
 * A model's answer to what is to be kept, read strictly. Invariant 1: an answer of another shape is wrong as a whole:
 * nothing is made of a part of it.
 */
export interface ModelAnswer {
  readonly summary: string
  readonly facts: readonly { readonly text: string; readonly from: readonly string[] }[]
  /** Names of known facts. */
  readonly outdated: readonly string[]
}

const MOST_FACTS = 60
const MOST_TEXT = 500
const MOST_SUMMARY = 8_000
const NAME = /^[fm]\d{1,4}$/

export function readAnswer(text: string): ModelAnswer | { readonly wrong: string } {
  const json = objectIn(text)
  if (json === null) return { wrong: 'the model returned no JSON object' }
  const { summary, facts = [], outdated = [] } = json
  if (typeof summary !== 'string' || summary.trim() === '' || summary.length > MOST_SUMMARY)
    return { wrong: 'the model returned no summary, or one that is too long' }
  if (!Array.isArray(facts) || facts.length > MOST_FACTS || !Array.isArray(outdated))
    return { wrong: 'the model returned no list of facts, or one that is too long' }
  const read = facts.map(factOf)
  if (read.includes(null)) return { wrong: 'the model returned a fact without text or sources' }
  if (!outdated.every(isName)) return { wrong: 'the model returned invalid numbers of outdated facts' }
  return { summary, facts: read.filter((one) => one !== null), outdated }
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')]
  if (from < 0 || to < from) return null
  try {
    const value: unknown = JSON.parse(text.slice(from, to + 1))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

function factOf(value: unknown): ModelAnswer['facts'][number] | null {
  if (typeof value !== 'object' || value === null) return null
  const { text, sources: from } = value as Readonly<Record<string, unknown>>
  if (typeof text !== 'string' || text.trim() === '' || text.length > MOST_TEXT) return null
  return Array.isArray(from) && from.length > 0 && from.every(isName) ? { text, from } : null
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value)
}
