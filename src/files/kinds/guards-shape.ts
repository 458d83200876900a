/**
 * `guards:` of scopes and members: what looks at each message that comes in, and at each answer that goes out. Invariant
 * 1: a guard that is named and cannot be read is a problem of its file, never no guard.
 */
import type { Guard, Guards } from '../../domain/policy/scope-types.ts'
import { type Checked, note } from '../values/check-value.ts'
import { filled } from '../values/header-values.ts'
import { either, type Given, onlyKeys, said, texts } from '../values/shape.ts'

/** `[./check.sh]`, or `{ model: local/small, rule: "Nothing about …" }`. */
const guard = either(
  texts(filled),
  onlyKeys({
    model: said('The model that is asked.', filled),
    rule: said('What it looks for, in your words.', filled),
  }),
)
export const guardsShape = onlyKeys({
  in: said('What looks at each message: a command, or a model with a rule.', guard),
  out: said('What looks at each answer.', guard),
})

export function guardsOf(on: Checked, given: Given<typeof guardsShape> | undefined): Guards {
  const before = guardOf(on, 'in', given?.in)
  const after = guardOf(on, 'out', given?.out)
  return { ...(before === null ? {} : { in: before }), ...(after === null ? {} : { out: after }) }
}

function guardOf(on: Checked, at: string, value: Given<typeof guard> | undefined): Guard | null {
  if (value === undefined) return null
  if (Array.isArray(value)) {
    const [program, ...rest] = value as readonly string[]
    if (program !== undefined) return { kind: 'command', argv: [program, ...rest] }
  } else {
    const { model, rule } = value as { readonly model?: string; readonly rule?: string }
    if (model !== undefined && rule !== undefined) return { kind: 'model', model, rule }
  }
  note(on, ['guards', at], {
    code: 'guard',
    message: 'a guard is a command such as [./check.sh], or has both model and rule',
    hint: 'write guards: { in: [./check.sh] }, or { model: local/small, rule: "No addresses" }',
  })
  return null
}
