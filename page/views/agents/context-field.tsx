/** Chooses what a question is about: a type, and what it names. */
import { ChoiceField, TextField } from './agent-fields.tsx'
import { CONTEXT_TYPES, type ContextRef } from './agent-types.ts'

interface ContextFieldProps {
  readonly value: ContextRef
  /** Suggested. */
  readonly known: readonly ContextRef[]
  readonly onChange: (value: ContextRef) => void
}

const CHOICES = Object.fromEntries(CONTEXT_TYPES.map((type) => [type, type]))
const EXAMPLES: Readonly<Record<string, string>> = {
  repository: 'acme/webapp',
  folder: 'acme/webapp/src',
  file: 'acme/webapp/src/login.ts',
  issue: 'acme/webapp#12',
}

export function ContextField({ value, known, onChange }: ContextFieldProps) {
  const names = known.filter(({ type }) => type === value.type).map(({ identifier }) => identifier)
  return (
    <div class="row fields-row">
      <ChoiceField
        label="About"
        value={value.type}
        choices={CHOICES}
        onChange={(type) => onChange({ ...value, type })}
      />
      <TextField
        label="Name"
        value={value.identifier}
        example={EXAMPLES[value.type] ?? ''}
        known={names}
        onChange={(identifier) => onChange({ ...value, identifier })}
      />
    </div>
  )
}
