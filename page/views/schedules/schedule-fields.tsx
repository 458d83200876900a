/** The other fields of a schedule's form. */
import { Field } from '../../parts/controls.tsx'
import type { Form } from './schedule-edit.tsx'

interface FieldsProps {
  readonly form: Form
  readonly onChange: (part: Partial<Form>) => void
}

/** What can't change later. */
export function NewFields({ form, rooms, onChange }: FieldsProps & { readonly rooms: readonly string[] }) {
  return (
    <div class="row fields-row">
      <Field label="Name">
        <input
          value={form.name}
          placeholder="such as daily-report"
          onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
        />
      </Field>
      <Field label="Room">
        <select value={form.room} onChange={({ currentTarget }) => onChange({ room: currentTarget.value })}>
          {rooms.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Choice
        label="Creates"
        value={form.makes}
        words={{ task: 'a task', message: 'a message to Neo' }}
        onChange={(makes) => onChange({ makes })}
      />
    </div>
  )
}

/** What becomes of runs that can't start in time. */
export function RuleFields({ form, onChange }: FieldsProps) {
  return (
    <details class="rules">
      <summary>If a run can't start in time</summary>
      <div class="row fields-row">
        <Choice
          label="If Neo was not running"
          value={form.catchUp}
          words={{ latest: 'start the latest missed run', all: 'start all, at most 100', none: 'skip them' }}
          onChange={(catchUp) => onChange({ catchUp })}
        />
        <Choice
          label="If the previous run hasn't ended"
          value={form.overlap}
          words={{ skip: 'skip this run', queue: 'wait for its end', all: 'start anyway' }}
          onChange={(overlap) => onChange({ overlap })}
        />
      </div>
    </details>
  )
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly words: Readonly<Record<T, string>>
  readonly onChange: (value: T) => void
}

function Choice<T extends string>({ label, value, words, onChange }: ChoiceProps<T>) {
  return (
    <Field label={label}>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value as T)}>
        {(Object.entries(words) as [T, string][]).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  )
}
