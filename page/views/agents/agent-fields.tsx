/** A line of text, and a choice, as the forms about agents have them. */
import { useId } from 'preact/hooks'
import { Field } from '../../parts/controls.tsx'

interface TextFieldProps {
  readonly label: string
  readonly value: string
  /** Shown as `such as …`. */
  readonly example: string
  readonly help?: string
  readonly isUrl?: boolean
  /** Suggested. */
  readonly known?: readonly string[]
  readonly onChange: (value: string) => void
}

export function TextField({ label, value, example, known = [], onChange, ...more }: TextFieldProps) {
  const { help, isUrl = false } = more
  const list = useId()
  return (
    <>
      <Field label={label} {...(help === undefined ? {} : { help })}>
        <input
          value={value}
          list={known.length === 0 ? undefined : list}
          autocomplete="off"
          inputMode={isUrl ? 'url' : 'text'}
          placeholder={`such as ${example}`}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </Field>
      {known.length === 0 ? null : (
        <datalist id={list}>
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </>
  )
}

interface ChoiceFieldProps<T extends string> {
  readonly label: string
  readonly value: T
  /** Words by value. */
  readonly choices: Readonly<Record<T, string>>
  readonly onChange: (value: T) => void
}

export function ChoiceField<T extends string>({ label, value, choices, onChange }: ChoiceFieldProps<T>) {
  return (
    <Field label={label}>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as T)}>
        {Object.entries<string>(choices).map(([choice, words]) => (
          <option key={choice} value={choice}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  )
}
