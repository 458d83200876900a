/**
 * What a call of a model will use, before it is made: counted until the server has told, and for good if a kill or a
 * cut connection keeps it from telling. Invariant 1: no call counts as nothing.
 */
import type { Message, ToolSpec, Usage } from '../agent/model-message.ts'
import type { ModelErrorKind } from '../agent/model-error.ts'

/** Close for English and code. */
const LETTERS_PER_TOKEN = 4
/** Of an answer that nobody saw: what most answers of workers stay below. */
const UNSEEN_OUTPUT = 1_000

export interface Asking {
  readonly system: readonly string[]
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
}

export function estimateOf({ system, tools, messages }: Asking): Usage {
  const standing = JSON.stringify(tools).length + system.reduce((sum, text) => sum + text.length, 0)
  const letters = messages.reduce((sum, message) => sum + lettersOf(message), standing)
  const input = Math.ceil(letters / LETTERS_PER_TOKEN)
  return { input, cacheRead: 0, cacheWrite: 0, output: UNSEEN_OUTPUT, source: 'estimated' }
}

/** As many as a picture of a common size costs. */
const IMAGE_LETTERS = 6_400

function lettersOf({ parts }: Message): number {
  return parts.reduce((sum, part) => {
    if (part.kind === 'image') return sum + IMAGE_LETTERS
    return sum + (part.kind === 'call' ? JSON.stringify(part.input).length : part.text.length)
  }, 0)
}

const MAY_HAVE_USED: readonly ModelErrorKind[] = ['cut', 'silent', 'aborted']

/** False if the server turned the call away: then it used nothing. */
export function mayHaveUsed(kind: ModelErrorKind): boolean {
  return MAY_HAVE_USED.includes(kind)
}
