/** The keys of a task's header as fields, each with the description of the schema. */
import { useEffect, useState } from 'preact/hooks'
import { Field } from '../../parts/controls.tsx'
import { visible } from '../../parts/text.ts'
import { call } from '../../store/rpc.ts'
import type { WholeTask } from '../../store/types.ts'

/** How the value of a key is typed: `lines`, one a line, for commands, which may have commas. */
type Way = 'text' | 'list' | 'lines' | 'number'

interface Key {
  readonly way: Way
  /** As it is typed; '' if the task doesn't set it. */
  read(task: WholeTask): string
  /** The `updates` of task.update; `null` removes the key. */
  write(value: string, task: WholeTask): Readonly<Record<string, unknown>>
  /** What holds if the task doesn't set it. */
  readonly otherwise?: (settings: WholeTask['settings']) => string
}

const lines = (value: string, at: RegExp): readonly string[] | null => {
  const items = value
    .split(at)
    .map((item) => item.trim())
    .filter((item) => item !== '')
  return items.length === 0 ? null : items
}
const orNull = (value: string): string | null => (value.trim() === '' ? null : value.trim())
const plain = (name: 'priority' | 'onInterrupt' | 'due' | 'persona'): Key => ({
  way: 'text',
  read: (task) => task[name] ?? '',
  write: (value) => ({ [name]: orNull(value) }),
})
const inherited = (name: 'worker' | 'model' | 'workspace' | 'review'): Key => ({
  way: 'text',
  read: (task) => task[name] ?? '',
  write: (value) => ({ [name]: orNull(value) }),
  otherwise: (settings) => settings[name],
})
const list = (name: 'labels' | 'dependsOn' | 'env'): Key => ({
  way: 'list',
  read: (task) => task[name].join(', '),
  write: (value) => ({ [name]: lines(value, /,/) }),
})
const spending = (name: 'usd' | 'tokens' | 'turns'): Key => ({
  way: 'number',
  read: ({ budget }) => String(budget?.[name] ?? ''),
  write: (value, { budget }) => {
    const next = { ...budget, [name]: value.trim() === '' ? null : Number(value) }
    const set = Object.entries(next).filter(([, amount]) => amount !== null)
    return { budget: set.length === 0 ? null : Object.fromEntries(set) }
  },
})

/** By the name in the file; `budget.usd` is a part of `budget`. */
const KEYS: Readonly<Record<string, Key>> = {
  priority: plain('priority'),
  worker: inherited('worker'),
  labels: list('labels'),
  depends_on: list('dependsOn'),
  due: plain('due'),
  model: inherited('model'),
  persona: plain('persona'),
  workspace: inherited('workspace'),
  review: inherited('review'),
  verify: {
    way: 'lines',
    read: ({ verify }) => (verify ?? []).join('\n'),
    write: (value) => ({ verify: lines(value, /\n/) }),
    otherwise: ({ verify }) => verify.join('\n'),
  },
  timeout: {
    way: 'text',
    read: ({ timeoutMs }) => (timeoutMs === null ? '' : durationOf(timeoutMs)),
    write: (value) => ({ timeout: orNull(value) }),
  },
  retry: {
    way: 'number',
    read: ({ retry }) => (retry.max === 0 ? '' : String(retry.max)),
    write: (value, { retry }) =>
      value.trim() === ''
        ? { retry: null }
        : { retry: { max: Number(value), backoff: durationOf(retry.backoffMs) } },
  },
  on_interrupt: plain('onInterrupt'),
  'budget.usd': spending('usd'),
  'budget.tokens': spending('tokens'),
  'budget.turns': spending('turns'),
  env: list('env'),
}

/** `90s`, `30m`, `1h`, as files say it. */
function durationOf(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${Math.round(ms / 1_000)}s`
}

export type Changed = Readonly<Record<string, string>>

/** What task.update is called with for the fields that were changed. */
export function updatesOf(changed: Changed, task: WholeTask): Readonly<Record<string, unknown>> {
  let now = task
  let updates: Readonly<Record<string, unknown>> = {}
  for (const [name, value] of Object.entries(changed)) {
    const own = KEYS[name]?.write(value, now) ?? {}
    updates = { ...updates, ...own }
    // The parts of a budget are sent together.
    if ('budget' in own) now = { ...now, budget: { ...NO_BUDGET, ...(own['budget'] as object | null) } }
  }
  return updates
}

const NO_BUDGET = { usd: null, tokens: null, turns: null }

interface TaskFieldsProps {
  readonly task: WholeTask
  readonly changed: Changed
  readonly onChange: (changed: Changed) => void
}

export function TaskFields({ task, changed, onChange }: TaskFieldsProps) {
  const described = useDescriptions()
  return (
    <div class="fields">
      {Object.entries(KEYS).map(([name, key]) => (
        <KeyField
          key={name}
          name={name}
          of={{ key, task, described: described[name] }}
          value={changed[name] ?? key.read(task)}
          onChange={(value) => onChange({ ...changed, [name]: value })}
        />
      ))}
    </div>
  )
}

interface KeyFieldProps {
  readonly name: string
  readonly of: { readonly key: Key; readonly task: WholeTask; readonly described: Described | undefined }
  readonly value: string
  readonly onChange: (value: string) => void
}

const HOW: Readonly<Record<Way, string>> = {
  text: '',
  number: '',
  list: ' Separate with commas.',
  lines: ' One a line.',
}

function KeyField({ name, of: { key, task, described }, value, onChange }: KeyFieldProps) {
  const otherwise = key.otherwise?.(task.settings) ?? ''
  const help = `${described?.text ?? ''}${HOW[key.way]}`
  if ((described?.values.length ?? 0) > 0)
    return (
      <Field label={name} help={help}>
        <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">{otherwise === '' ? 'default' : `default (${otherwise})`}</option>
          {described?.values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </Field>
    )
  const shared = { value, placeholder: visible(otherwise) }
  return (
    <Field label={name} help={help}>
      {key.way === 'lines' ? (
        <textarea
          {...shared}
          class="mono"
          rows={3}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      ) : (
        <input
          {...shared}
          inputMode={key.way === 'number' ? 'decimal' : 'text'}
          list={name === 'worker' ? 'task-workers' : undefined}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  )
}

interface Described {
  readonly text: string
  /** Allowed values; empty: any. */
  readonly values: readonly string[]
}

interface JsonSchema {
  readonly description?: string
  readonly enum?: readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

let known: Readonly<Record<string, Described>> | null = null

/** From the schema of the header, so that a key's description is the same here as everywhere. */
function useDescriptions(): Readonly<Record<string, Described>> {
  const [found, setFound] = useState(known ?? {})
  useEffect(() => {
    if (known !== null) return
    call<JsonSchema>('schema.get', { kind: 'task' }).then(
      (schema) => {
        known = Object.fromEntries(Object.keys(KEYS).map((name) => [name, describedIn(schema, name)]))
        setFound(known)
      },
      () => {},
    )
  }, [])
  return found
}

function describedIn(schema: JsonSchema, name: string): Described {
  const at = name.split('.').reduce<readonly JsonSchema[]>(
    (all, part) =>
      all.flatMap((one) => {
        const inner = one.properties?.[part]
        return inner === undefined ? [] : flat(inner)
      }),
    flat(schema),
  )
  return {
    // The page shows no markdown here.
    text: (at.find(({ description }) => description !== undefined)?.description ?? '').replaceAll('`', ''),
    values: at.find((one) => one.enum !== undefined)?.enum ?? [],
  }
}

function flat(schema: JsonSchema): readonly JsonSchema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(flat)]
}
