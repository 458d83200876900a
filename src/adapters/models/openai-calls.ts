/**
 * Gathers calls out of the pieces that servers of the OpenAI wire send. Seen in the wild: no index, the same index for
 * every call, no id, the same id twice, a name in every piece, arguments whole, empty, or as an object instead of a
 * text. Invariant 1: arguments that are not a JSON object are the flaw of their call, and nothing is guessed.
 */
import type { CallPart, JsonObject } from '../../domain/agent/model-message.ts'
import { argumentsOf, CUT_OFF, objectOf, textOf } from './loose.ts'

interface Call {
  readonly index: number | null
  id: string
  name: string
  json: string
  object: JsonObject | null
}

export interface Calls {
  readonly add: (piece: unknown) => void
  readonly count: () => number
  readonly read: (options: {
    readonly cut: boolean
    readonly callId: (told: string) => string
  }) => readonly CallPart[]
  /** All that came, to estimate tokens from. */
  readonly written: () => string
}

interface Piece {
  readonly index: number | null
  readonly id: string
  readonly name: string
  readonly args: unknown
}

export function gatherCalls(): Calls {
  const calls: Call[] = []
  return {
    add: (given) => {
      const piece = pieceOf(given)
      let call = callOf(calls, piece)
      if (call === undefined) {
        call = { index: piece.index, id: '', name: '', json: '', object: null }
        calls.push(call)
      }
      if (call.id === '') call.id = piece.id
      if (call.name === '') call.name = piece.name
      if (typeof piece.args === 'string') call.json += piece.args
      else if (objectOf(piece.args) !== null) call.object = piece.args as JsonObject
    },
    count: () => calls.length,
    read: ({ cut, callId }) =>
      calls.map((call, index) => partOf(call, { callId, cut: cut && index === calls.length - 1 })),
    written: () => calls.map(({ name, json, object }) => name + json + JSON.stringify(object ?? '')).join(''),
  }
}

function pieceOf(given: unknown): Piece {
  const piece = objectOf(given) ?? {}
  const named = objectOf(piece['function']) ?? piece
  const index = piece['index']
  return {
    index: typeof index === 'number' ? index : null,
    id: textOf(piece['id']),
    name: textOf(named['name']),
    args: named['arguments'],
  }
}

/** The call that a piece continues with; undefined if it begins one. */
function callOf(calls: readonly Call[], piece: Piece): Call | undefined {
  if (piece.index !== null) {
    const call = calls.findLast(({ index }) => index === piece.index)
    const another = call !== undefined && piece.id !== '' && piece.name !== '' && call.id !== piece.id
    return another ? undefined : call
  }
  const last = calls.at(-1)
  if (last === undefined) return undefined
  if (piece.id !== '' && piece.id !== last.id) return undefined
  if (piece.name !== '' && isWhole(last)) return undefined
  return last
}

function isWhole({ json, object }: Call): boolean {
  return object !== null || argumentsOf(json).flaw === undefined
}

function partOf(
  { id, name, json, object }: Call,
  { callId, cut }: { readonly callId: (told: string) => string; readonly cut: boolean },
): CallPart {
  const read = object === null ? argumentsOf(json) : { input: object }
  const given = 'flaw' in read && cut ? { ...read, flaw: CUT_OFF } : read
  return { kind: 'call', id: callId(id), name, ...given }
}
