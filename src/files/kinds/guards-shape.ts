/**
 * `guards:` of scopes and members: what looks at each message that comes in, and at each answer that goes out. Invariant
 * 1: a guard that is named and cannot be read is a problem of its file, never no guard.
 */
import type { Guard, Guards } from '../../domain/policy/scope-types.ts'
import { type CheckContext, addProblem } from '../values/check-value.ts'
import { nonEmptyText } from '../values/header-values.ts'
import { either, type Infer, onlyKeys, describe, textList } from '../values/shape.ts'

/** `[./check.sh]`, or `{ model: local/small, rule: "Nothing about …" }`. */
const guard = either(
  textList(nonEmptyText),
  onlyKeys({
    model: describe('Model that checks, as `provider/model`.', nonEmptyText),
    rule: describe('Rule in plain words, such as "No addresses".', nonEmptyText),
  }),
)
export const guardsShape = onlyKeys({
  in: describe(
    'Check of each incoming message: a command such as `[./check.sh]`, or a model with a rule.',
    guard,
  ),
  out: describe('Check of each answer: a command, or a model with a rule.', guard),
})

export function guardsOf(on: CheckContext, given: Infer<typeof guardsShape> | undefined): Guards {
  const before = guardOf(on, 'in', given?.in)
  const after = guardOf(on, 'out', given?.out)
  return { ...(before === null ? {} : { in: before }), ...(after === null ? {} : { out: after }) }
}

function guardOf(on: CheckContext, at: string, value: Infer<typeof guard> | undefined): Guard | null {
  if (value === undefined) return null
  if (Array.isArray(value)) {
    const [program, ...rest] = value as readonly string[]
    if (program !== undefined) return { kind: 'command', argv: [program, ...rest] }
  } else {
    const { model, rule } = value as { readonly model?: string; readonly rule?: string }
    if (model !== undefined && rule !== undefined) return { kind: 'model', model, rule }
  }
  addProblem(on, ['guards', at], {
    code: 'guard',
    message: 'incomplete guard',
    hint: 'Use a command such as [./check.sh], or both model and rule',
  })
  return null
}
