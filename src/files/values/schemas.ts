/**
 * The schema of every kind of file, as zod and as JSON Schema for editors. Imported only by commands that print
 * schemas: zod is slow to load.
 */
import { z } from 'zod'
import { askShape } from '../kinds/read-ask.ts'
import { configShape } from '../config/config-shape.ts'
import { memberShape } from '../kinds/read-member.ts'
import { memoryShape } from '../kinds/read-memory.ts'
import { roomShape } from '../kinds/read-room.ts'
import { scheduleShape } from '../kinds/read-schedule.ts'
import { scopeShape } from '../kinds/read-scope.ts'
import { sessionShape } from '../kinds/read-session.ts'
import type { Shape } from './shape.ts'
import { skillShape } from '../kinds/read-skill.ts'
import { taskShape } from '../kinds/read-task.ts'
import { templateShape } from '../kinds/read-template.ts'
import { zodOf } from './zod-of.ts'

export const SCHEMA_KINDS = [
  'task',
  'room',
  'memory',
  'schedule',
  'ask',
  'session',
  'transcript',
  'config',
  'member',
  'scope',
  'template',
  'skill',
] as const
export type SchemaKind = (typeof SCHEMA_KINDS)[number]

/** One line of a transcript. */
const transcript = z.looseObject({
  v: z.int(),
  id: z.string(),
  parent: z.string().nullish(),
  ts: z.iso.datetime(),
  session: z.string(),
  room: z.string(),
  task: z.string().nullish(),
  type: z.string(),
})

/** The header of each kind of file; for `config` the whole file. */
export const shapes: Readonly<Record<Exclude<SchemaKind, 'transcript'>, Shape<unknown>>> = {
  task: taskShape,
  room: roomShape,
  memory: memoryShape,
  schedule: scheduleShape,
  ask: askShape,
  session: sessionShape,
  config: configShape,
  member: memberShape,
  scope: scopeShape,
  template: templateShape,
  skill: skillShape,
}

/** For `transcript`, the schema of one line. */
export const schemas: Readonly<Record<SchemaKind, z.ZodType>> = {
  ...mapped(shapes),
  transcript,
}

function mapped<K extends string>(of: Readonly<Record<K, Shape<unknown>>>): Record<K, z.ZodType> {
  const entries = Object.entries<Shape<unknown>>(of).map(([kind, shape]) => [kind, zodOf(shape)])
  return Object.fromEntries(entries) as Record<K, z.ZodType>
}

/** JSON Schema, draft 7. */
export function jsonSchema(kind: SchemaKind): unknown {
  return z.toJSONSchema(schemas[kind], { target: 'draft-7', io: 'input' })
}
