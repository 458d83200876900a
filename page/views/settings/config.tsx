/** neo.yaml as fields. Changes are collected, checked as typed, and saved together; comments of the file stay. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Empty, say } from '../../parts/controls.tsx'
import { Icon } from '../../parts/icons.tsx'
import { count, visible } from '../../parts/text.ts'
import { addressOf } from '../../store/routes.ts'
import { call } from '../../store/rpc.ts'
import { may } from '../../store/session.ts'
import { type ConfigField, type ConfigGroup, groupsOf, shownValue, typedValue } from './config-fields.ts'
import { type FileProblem, type Preview, TrustNote, useSaving } from '../file/save-source.tsx'

const PATH = 'neo.yaml'
type Typed = Readonly<Record<string, string>>

export function Config() {
  const [groups, setGroups] = useState<readonly ConfigGroup[] | null>(null)
  const [file, setFile] = useState<Preview | null>(null)
  const [error, setError] = useState<string | null>(null)
  const load = () =>
    call<Preview>('source.preview', { path: PATH }).then(setFile, (failure: Error) =>
      setError(failure.message),
    )
  useEffect(() => {
    if (!may('change-home')) return setError('Only the owner sees the configuration.')
    void load()
    call('schema.get', { kind: 'config' }).then(
      (schema) => setGroups(groupsOf(schema)),
      (failure: Error) => setError(failure.message),
    )
  }, [])
  if (error !== null) return <Empty title={error} />
  if (groups === null || file === null) return <div aria-busy="true" />
  return <Fields groups={groups} file={file} onSaved={load} />
}

interface FieldsProps {
  readonly groups: readonly ConfigGroup[]
  readonly file: Preview
  readonly onSaved: () => Promise<void>
}

function Fields({ groups, file, onSaved }: FieldsProps) {
  const [typed, setTyped] = useState<Typed>({})
  const fields = groups.flatMap((group) => group.fields)
  const changed = fields.filter(({ key }) => typed[key] !== undefined && typed[key] !== shownAt(file, key))
  const set = Object.fromEntries(
    changed.map((field) => [field.key, typedValue(field, typed[field.key] ?? '')]),
  )
  const problems = useChecked(file, set)
  const saving = useSaving(
    ({ problems: found }) => {
      setTyped({})
      say(found.some(({ code }) => code === 'untrusted') ? 'Saved, but not in force yet.' : 'Saved.')
      void onSaved()
    },
    (failure) => {
      throw failure
    },
  )
  const save = async () => saving.save(file, await call<Preview>('source.preview', { path: PATH, set }))
  return (
    <div class="config">
      <Head file={file} />
      {groups.map((group) => (
        <Group key={group.name} group={group} file={file} typed={typed} onTyped={setTyped} />
      ))}
      {changed.length === 0 ? null : (
        <div class="save-bar">
          <ProblemList problems={problems} />
          <div class="row">
            <span class="grow">{count(changed.length, 'change')}</span>
            <Button onClick={() => setTyped({})}>Discard</Button>
            <Button tone="primary" disabled={problems.some(isError)} onClick={save}>
              Save
            </Button>
          </div>
        </div>
      )}
      {saving.dialog}
    </div>
  )
}

function isError({ severity }: FileProblem): boolean {
  return severity === 'error'
}

function Head({ file: { problems } }: { readonly file: Preview }) {
  return (
    <>
      <p class="row spread wrap-row">
        <span class="soft small">These are the keys of neo.yaml. An empty field means the default.</span>
        <a class="button" href={addressOf('file', PATH)}>
          Edit as text
        </a>
      </p>
      {problems.some(({ code }) => code === 'untrusted') ? <TrustNote /> : null}
      <ProblemList problems={problems} />
    </>
  )
}

function ProblemList({ problems }: { readonly problems: readonly FileProblem[] }) {
  if (problems.length === 0) return null
  return (
    <ul class="plain-list" aria-label="Problems">
      {problems.map(({ line, message, hint, severity }) => (
        <li key={`${line} ${message}`} class={severity === 'error' ? 'bad-text' : 'wait-text'}>
          <Icon name="warning" />{' '}
          {line === null ? null : <a href={`${addressOf('file', PATH)}?line=${line}`}>line {line}</a>}{' '}
          {visible(message)} <span class="soft">{visible(hint)}</span>
        </li>
      ))}
    </ul>
  )
}

interface GroupProps {
  readonly group: ConfigGroup
  readonly file: Preview
  readonly typed: Typed
  readonly onTyped: (typed: Typed) => void
}

function Group({ group: { name, help, fields }, file, typed, onTyped }: GroupProps) {
  return (
    <section class="config-group" aria-label={name}>
      <h2>{name}</h2>
      {help === '' ? null : <p class="soft small">{help}</p>}
      {fields.map((field) => {
        const { key } = field
        const value = typed[key] ?? shownAt(file, key)
        return (
          <FieldRow
            key={key}
            field={field}
            value={value}
            onChange={(text) => onTyped({ ...typed, [key]: text })}
          />
        )
      })}
    </section>
  )
}

interface FieldRowProps {
  readonly field: ConfigField
  readonly value: string
  readonly onChange: (text: string) => void
}

function FieldRow({ field, value, onChange }: FieldRowProps) {
  const { key, label, help, byDefault, kind } = field
  const id = `config-${key}`
  return (
    <div class="config-row">
      <div class="min0">
        <label for={id} class="strong">
          {label}
        </label>{' '}
        <code class="soft small">{key}</code>
        <p class="soft small" id={`${id}-help`}>
          {help.replaceAll('`', '')}
          {byDefault === '' || kind === 'file' ? '' : ` Default: ${byDefault}.`}
        </p>
      </div>
      <Control id={id} field={field} value={value} onChange={onChange} />
    </div>
  )
}

function Control({ id, field, value, onChange }: FieldRowProps & { readonly id: string }) {
  const { key, kind, choices, byDefault } = field
  const described = { id, 'aria-describedby': `${id}-help` }
  if (kind === 'file') return <InFile id={id} field={field} value={value} />
  if (kind === 'choice' || kind === 'yes-no') {
    const all = kind === 'choice' ? choices : ['true', 'false']
    return (
      <select {...described} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">Default{byDefault.length > 12 || byDefault === '' ? '' : ` (${byDefault})`}</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {one === 'true' ? 'yes' : one === 'false' ? 'no' : one}
          </option>
        ))}
      </select>
    )
  }
  return (
    <input
      {...described}
      name={key}
      value={value}
      placeholder={byDefault.length > 24 ? 'default' : byDefault}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

function InFile({
  id,
  field: { key, label },
  value,
}: Omit<FieldRowProps, 'onChange'> & { readonly id: string }) {
  const shown =
    key === 'http.token' ? (value === '' ? 'a random token' : 'set') : value === '' ? 'not set' : value
  return (
    <p class="row">
      <output id={id} class="grow wrap">
        {visible(shown)}
      </output>
      <a href={addressOf('file', PATH)} aria-label={`Edit ${label} in the file`}>
        Edit
      </a>
    </p>
  )
}

function shownAt({ values }: Preview, key: string): string {
  const found = key
    .split('.')
    .reduce<unknown>(
      (at, part) => (typeof at === 'object' && at !== null ? Reflect.get(at, part) : undefined),
      values,
    )
  return shownValue(found)
}

const CHECK_AFTER_MS = 300

/** Problems that the file would have with these keys. */
function useChecked(file: Preview, set: Readonly<Record<string, unknown>>): readonly FileProblem[] {
  const [problems, setProblems] = useState<readonly FileProblem[]>([])
  const text = JSON.stringify(set)
  useEffect(() => {
    if (text === '{}') return setProblems([])
    const stop = new AbortController()
    const timer = setTimeout(() => {
      const checked = call<Preview>('source.preview', { path: PATH, set: JSON.parse(text) }, stop.signal)
      checked.then(
        (found) => setProblems(found.problems),
        (failure: Error) => stop.signal.aborted || setProblems([refusal(failure)]),
      )
    }, CHECK_AFTER_MS)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [text, file])
  return problems
}

function refusal({ message }: Error): FileProblem {
  return { code: 'refused', line: null, column: null, severity: 'error', message, hint: '' }
}
