/** Edits a task: title and text with a preview, and the keys of its header with their descriptions. */
import { useEffect, useState } from 'preact/hooks'
import { Button, Field } from '../parts/controls.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { addressOf } from '../store/routes.ts'
import { call } from '../store/rpc.ts'
import { may } from '../store/session.ts'
import type { Task } from '../store/types.ts'

interface TaskEditProps {
  readonly task: Task
  readonly onDone: () => void
}

/** Keys that one line of text or a choice sets; the others are edited in the file. */
const KEYS = [
  'priority',
  'worker',
  'labels',
  'depends_on',
  'due',
  'model',
  'workspace',
  'review',
  'verify',
  'env',
] as const

export interface HeaderKey {
  readonly name: string
  readonly description: string
  /** Allowed values; empty: any text. */
  readonly values: readonly string[]
  readonly isList: boolean
}

export function TaskEdit({ task, onDone }: TaskEditProps) {
  const [title, setTitle] = useState(task.title)
  const [text, setText] = useState(task.description)
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({})
  const [isPreview, setPreview] = useState(false)
  const keys = useHeaderKeys()
  const save = async () => {
    const updates = {
      ...(title === task.title ? {} : { title }),
      ...(text === task.description ? {} : { description: text }),
      ...Object.fromEntries(Object.entries(changed).map(([name, value]) => updateOf(keys, name, value))),
    }
    if (Object.keys(updates).length > 0) await call('task.update', { taskId: task.id ?? task.path, updates })
    onDone()
  }
  return (
    <form class="stack" onSubmit={(event) => event.preventDefault()}>
      <Field label="Title">
        <input value={title} onInput={({ currentTarget }) => setTitle(currentTarget.value)} />
      </Field>
      <div class="row spread">
        <span class="field-label">Description</span>
        <button
          type="button"
          class="link small"
          aria-pressed={isPreview}
          onClick={() => setPreview(!isPreview)}
        >
          {isPreview ? 'Edit' : 'Preview'}
        </button>
      </div>
      {isPreview ? (
        <Markdown text={text} />
      ) : (
        <textarea
          aria-label="Description"
          class="mono"
          rows={12}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      <div class="fields">
        {keys.map((key) => (
          <KeyField
            key={key.name}
            header={key}
            value={changed[key.name] ?? textOf(task, key.name)}
            onChange={(value) => setChanged({ ...changed, [key.name]: value })}
          />
        ))}
      </div>
      <div class="row end">
        {may('change-home') ? <a href={addressOf('file', task.path)}>Edit the file</a> : null}
        <span class="grow" />
        <Button onClick={onDone}>Cancel</Button>
        <Button tone="primary" onClick={save}>
          Save
        </Button>
      </div>
    </form>
  )
}

interface KeyFieldProps {
  readonly header: HeaderKey
  readonly value: string
  readonly onChange: (value: string) => void
}

function KeyField({ header: { name, description, values, isList }, value, onChange }: KeyFieldProps) {
  return (
    <Field label={name} help={isList ? `${description} Separate with commas.` : description}>
      {values.length > 0 ? (
        <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">default</option>
          {values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <input value={value} onInput={({ currentTarget }) => onChange(currentTarget.value)} />
      )}
    </Field>
  )
}

function textOf(task: Task, name: string): string {
  const value = task[camel(name) as keyof Task]
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' ? value : ''
}

function updateOf(keys: readonly HeaderKey[], name: string, value: string): readonly [string, unknown] {
  const isList = keys.find((key) => key.name === name)?.isList === true
  const plain = value.trim()
  if (plain === '') return [camel(name), null]
  const items = plain.split(',').map((item) => item.trim())
  return [camel(name), isList ? items.filter((item) => item !== '') : plain]
}

function camel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

interface JsonSchema {
  readonly description?: string
  readonly enum?: readonly string[]
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

let known: readonly HeaderKey[] | null = null

/** From the schema of the header, so that a new key's description is the same here as everywhere. */
function useHeaderKeys(): readonly HeaderKey[] {
  const [keys, setKeys] = useState<readonly HeaderKey[]>(known ?? [])
  useEffect(() => {
    if (known !== null) return
    call<JsonSchema>('schema.get', { kind: 'task' }).then(
      ({ properties = {} }) => {
        known = KEYS.flatMap((name) => {
          const schema = properties[name]
          return schema === undefined ? [] : [keyOf(name, schema)]
        })
        setKeys(known)
      },
      () => {},
    )
  }, [])
  return keys
}

function keyOf(name: string, schema: JsonSchema): HeaderKey {
  const all = flat(schema)
  return {
    name,
    description: schema.description ?? '',
    values: all.find((one) => one.enum !== undefined)?.enum ?? [],
    isList: all.some(({ type }) => type === 'array'),
  }
}

function flat(schema: JsonSchema): readonly JsonSchema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(flat)]
}
