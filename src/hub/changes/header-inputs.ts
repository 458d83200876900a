/**
 * Parameters from the keys of files: a key with a shape in `files/kinds/` is a field here, with the same description and
 * check, under its camelCase name. `not` lists the keys that no client sets this way.
 * And the text of a task before it is written. Invariant 1: a text that would not be read as a task, a runbook that cannot
 * run, a circle of dependencies and names that nobody has are refused, not written.
 */
import { z } from 'zod'
import { firstReason, type Problem, problemText, whereOf } from '../../domain/home/problem.ts'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import { findCycles, indexTasks } from '../../domain/task/depends.ts'
import type { Room } from '../../domain/room/room.ts'
import { REACHING, type Task } from '../../domain/task/task.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { lazily } from '../../domain/text/lazily.ts'
import { namesIn, unknownNames } from '../../engine/snapshot/validate-names.ts'
import { stepsOf } from '../../files/body/runbook.ts'
import type { Keys } from '../../files/edit/edit-header.ts'
import { readTask, taskShape } from '../../files/kinds/read-task.ts'
import { type Camel, camelCase, parseWorker } from '../../files/values/header-values.ts'
import type { Shape } from '../../files/values/shape.ts'
import type { HubEnv } from '../env.ts'
import { badParams, HUB_CODES, HubError } from '../hub.ts'
import { lineText } from '../views/shapes.ts'

type Value<V> = V extends readonly (infer I)[]
  ? readonly Value<I>[]
  : V extends object
    ? { readonly [K in keyof V & string as Camel<K>]?: Value<NonNullable<V[K]>> | null | undefined }
    : V
type Type<V> = z.ZodType<Value<V>, Value<V>>
type Named<K extends string, N> = K extends keyof N ? N[K] & string : Camel<K>

interface HeaderInputs<T, X extends keyof T, N> {
  readonly fields: {
    readonly [K in Exclude<keyof T & string, X> as Named<K, N>]: z.ZodOptional<Type<NonNullable<T[K]>>>
  }
  /** `null` removes the key. */
  readonly nullable: {
    readonly [K in Exclude<keyof T & string, X> as Named<K, N>]: z.ZodOptional<
      z.ZodNullable<Type<NonNullable<T[K]>>>
    >
  }
  /** The header's keys that given fields set, those of `not` too; undefined removes one. */
  header(given: Readonly<Record<string, unknown>>): Keys
}

/** @param names fields that have another name than their key */
export function headerInputs<
  T extends object,
  const X extends keyof T & string,
  const N extends Readonly<Record<string, string>> = Readonly<Record<never, string>>,
>(
  shape: Shape<T>,
  { not, names }: { readonly not: readonly X[]; readonly names?: N },
): HeaderInputs<T, X, N> {
  const rows = Object.entries(keysIn(shape)).map(([key, of]) => ({
    key,
    of,
    field: names?.[key] ?? camelCase(key),
  }))
  const settable = rows.filter(({ key }) => !(not as readonly string[]).includes(key))
  const built = (wrap: (type: z.ZodType) => z.ZodType) =>
    lazily(() => {
      const pairs = settable.map(({ field, of }) => [field, wrap(typeOf(of)).describe(of.description ?? '')])
      return Object.fromEntries(pairs)
    })
  const [fields, nullable] = [built((type) => type.optional()), built((type) => type.nullish())]
  return {
    get fields() {
      return fields()
    },
    get nullable() {
      return nullable()
    },
    header: (given) => {
      const set = rows.filter(({ field }) => given[field] !== undefined)
      return Object.fromEntries(
        set.map(({ key, of, field }) => [key, fileValue(of, given[field]) as Keys[string]]),
      )
    },
  }
}

/** Without the keys that are undefined. */
export function defined<V>(keys: Readonly<Record<string, V | undefined>>): Record<string, V> {
  return Object.fromEntries(
    Object.entries(keys).filter((entry): entry is [string, V] => entry[1] !== undefined),
  )
}

/** Keys that an update sets, for policy. */
export function keysOf(updates: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(defined(updates))
}

const MOST_ITEMS = 100
const freeText = z.string().trim().max(2_000)

function typeOf(shape: Shape<unknown>): z.ZodType {
  switch (shape.kind) {
    case 'any':
      return z.unknown()
    case 'text':
      return textOf(shape)
    case 'choice':
      return z.enum(shape.of)
    case 'number':
      return (shape.isInteger ? z.int() : z.number()).min(shape.min).max(shape.max)
    case 'flag':
      return z.boolean()
    case 'list': {
      const item = typeOf(shape.of)
      return z.array(item === freeText ? lineText : item).max(MOST_ITEMS)
    }
    case 'map':
      return z.record(
        lineText,
        shape.of.kind === 'keys' ? z.looseObject(objectOf(shape.of)) : typeOf(shape.of),
      )
    case 'keys':
      return z.strictObject(objectOf(shape))
    case 'either':
      return z.union(shape.of.map(typeOf))
  }
}

function textOf({ accepts, expected }: Shape<unknown> & { kind: 'text' }): z.ZodType {
  if (accepts === undefined) return freeText
  return lineText.refine((value) => value === '' || accepts(value), { error: `use ${expected}` })
}

function objectOf({ keys }: Shape<unknown> & { kind: 'keys' }): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(keys).map(([key, of]) => [
      camelCase(key),
      typeOf(of)
        .nullish()
        .describe(of.description ?? ''),
    ]),
  )
}

const ANY: Shape<unknown> = { kind: 'any' }

/** Names that a person chose, of servers, stay as they are. A map without a value is taken out. */
function fileValue(shape: Shape<unknown>, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? undefined
  const known = Object.entries(keysIn(shape))
  const entries = Object.entries(value).map(([name, item]) => {
    const row = known.find(([key]) => camelCase(key) === name)
    const [key, of] = row ?? [name, shape.kind === 'map' ? shape.of : ANY]
    return [key, fileValue(of, item)] as const
  })
  const set = defined(Object.fromEntries(entries))
  return Object.keys(set).length === 0 ? undefined : set
}

function keysIn(shape: Shape<unknown>): Readonly<Record<string, Shape<unknown>>> {
  if (shape.kind === 'keys') return shape.keys
  return shape.kind === 'either' ? Object.assign({}, ...shape.of.map(keysIn)) : {}
}

export const DESCRIPTION =
  'Markdown: what is wanted, in full, for whoever does it. A checklist (`- [ ]`) is its plan'

/** What a task can be given; title, status and text have a rule of their own. */
export const taskInputs = headerInputs(taskShape, { not: ['title', 'status', 'params', 'neo'] })

/** Reads the text of a task at a path. Throws HubError `params`. */
export function readBack(
  env: HubEnv,
  path: string,
  { text, snapshot }: { readonly text: string; readonly snapshot: Snapshot },
): Task {
  const read = readTask(path, text, snapshot.config.timezone)
  if (read.kind === 'unfinished') throw badParams(['description'], read.why)
  if (read.kind === 'bad') throw unreadable(read.problems)
  const task = read.value
  if (task.worker?.kind === 'shell') {
    const steps = stepsOf(task)
    if ('wrong' in steps) throw badParams(['description'], `line ${steps.line}: ${steps.wrong}`)
  }
  refuseCircle(path, task, snapshot)
  const [, room = ''] = path.split('/')
  refuseUnknown(env, 'task', { room, snapshot, before: snapshot.tasks.get(path)?.task, after: task })
  return task
}

interface Change<T> {
  /** Folder name of the room, or of that of the task. */
  readonly room: string
  readonly snapshot: Snapshot
  readonly before: T | undefined
  readonly after: T
}

/** Refuses names of members, personas and workers that don't exist, if the file doesn't have them already. */
export function refuseUnknown<T extends Task | Room>(
  { context }: HubEnv,
  kind: 'task' | 'room',
  { room: roomName, snapshot, before, after }: Change<T>,
): void {
  const room = kind === 'room' ? (after as Room) : (snapshot.rooms.get(roomName)?.room ?? null)
  const place = { names: namesIn(context), config: snapshot.config, roomName, room }
  const old = unknownNames(kind, before ?? {}, place).map(({ message }) => message)
  const news = unknownNames(kind, after, place).find(({ message }) => !old.includes(message))
  if (news !== undefined) throw badParams([news.field], problemText({ ...news, line: null }))
}

type Unread =
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] }
  | { readonly kind: 'unfinished'; readonly why: string }

/** Of a text that was to be written, and would not be read again. */
export function badText(path: readonly string[], read: Unread): HubError {
  return badParams(
    path,
    read.kind === 'bad' ? (firstReason(read.problems) ?? 'the file is invalid') : read.why,
  )
}

/** Texts of files end with a line end. */
export function asBody<T extends string | undefined>(text: T): T | string {
  return text === undefined || text === '' || text.endsWith('\n') ? text : `${text}\n`
}

function unreadable([first]: readonly Problem[]): HubError {
  const message = first === undefined ? 'it would not be a task' : `${whereOf(first)}: ${first.message}`
  const next = first === undefined || first.hint === '' ? {} : { next: first.hint }
  const issues = [{ path: [], message }]
  return new HubError(HUB_CODES.params, `Cannot write the task: ${message}`, { issues, ...next })
}

function refuseCircle(path: string, task: Task, snapshot: Snapshot): void {
  if (task.dependsOn.length === 0) return
  const [, room = '', , ...rest] = path.split('/')
  const name = rest.join('/').slice(0, -3)
  const own: TaskFile = { path, room, name, hash: '', gitStatus: 'same', committedStatus: null, task }
  const tasks = new Map([...snapshot.tasks, [path, own]])
  const circle = findCycles(tasks, indexTasks(tasks.values())).find((paths) => paths.includes(path))
  if (circle !== undefined)
    throw badParams(['dependsOn'], `the tasks would depend on each other: ${circle.join(' → ')}`)
}

/** Who would run the task: of the worker before and the one after the one that reaches further, so that policy sees it. */
export function workerIn(
  snapshot: Snapshot,
  room: string,
  of: { task?: Task; worker?: string | null | undefined },
): string {
  const inRoom = snapshot.rooms.get(room)?.room ?? null
  const before = of.task === undefined ? undefined : settingsOf(of.task, inRoom, snapshot.config).worker
  const said = of.worker ?? undefined
  const after = said === undefined ? (inRoom?.worker ?? { kind: 'agent' as const }) : parseWorker(said)
  const isGiven = of.task === undefined || of.worker !== undefined
  const kinds = [before, isGiven ? after : before].flatMap((worker) => worker?.kind ?? [])
  return REACHING.find((kind) => kinds.includes(kind)) ?? kinds[0] ?? 'agent'
}
