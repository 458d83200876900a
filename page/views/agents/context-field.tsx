/** Chooses what a question is about: a type, and what it names. */
import { Field } from '../../parts/controls.tsx'
import { CONTEXT_TYPES, type ContextRef } from './agent-types.ts'

interface ContextFieldProps {
  readonly value: ContextRef
  /** Suggested. */
  readonly known: readonly ContextRef[]
  readonly onChange: (value: ContextRef) => void
}

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
      <Field label="About">
        <select
          value={value.type}
          onChange={({ currentTarget }) => onChange({ ...value, type: currentTarget.value })}
        >
          {CONTEXT_TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </Field>
      <Field label="Name">
        <input
          value={value.identifier}
          list={names.length === 0 ? undefined : 'known-contexts'}
          autocomplete="off"
          placeholder={`such as ${EXAMPLES[value.type] ?? ''}`}
          onInput={({ currentTarget }) => onChange({ ...value, identifier: currentTarget.value })}
        />
      </Field>
      {names.length === 0 ? null : (
        <datalist id="known-contexts">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </div>
  )
}
