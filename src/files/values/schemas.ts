/**
 * The schema of every kind of file, as zod and as JSON Schema for editors. Imported only by commands that print
 * schemas: zod is slow to load.
 */
import { z } from 'zod'
import { configShape } from '../config/config-shape.ts'
import { agentShape } from '../kinds/read-agent.ts'
import { askShape } from '../kinds/read-ask.ts'
import { memberShape } from '../kinds/read-member.ts'
import { memoryShape } from '../kinds/read-memory.ts'
import { roomShape } from '../kinds/read-room.ts'
import { scheduleShape } from '../kinds/read-schedule.ts'
import { scopeShape } from '../kinds/read-scope.ts'
import { sessionShape } from '../kinds/read-session.ts'
import { skillShape } from '../kinds/read-skill.ts'
import { taskShape } from '../kinds/read-task.ts'
import { templateShape } from '../kinds/read-template.ts'
import type { Shape } from './shape.ts'
import { type KeysShape, mapAround, unknownKey } from './unknown-key.ts'

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
export const shapes = {
  task: taskShape,
  room: roomShape,
  memory: memoryShape,
  schedule: scheduleShape,
  ask: askShape,
  session: sessionShape,
  config: configShape,
  member: memberShape,
  agent: agentShape,
  scope: scopeShape,
  template: templateShape,
  skill: skillShape,
} satisfies Readonly<Record<string, Shape<unknown>>>

export type SchemaKind = keyof typeof shapes | 'transcript'

/** For `transcript`, the schema of one line. */
export const schemas: Readonly<Record<SchemaKind, z.ZodType>> = {
  ...(Object.fromEntries(
    Object.entries<Shape<unknown>>(shapes).map(([kind, shape]) => [kind, zodOf(shape)]),
  ) as Record<keyof typeof shapes, z.ZodType>),
  transcript,
}

export const SCHEMA_KINDS = Object.keys(schemas) as readonly SchemaKind[]

/** JSON Schema, draft 7. */
export function jsonSchema(kind: SchemaKind): unknown {
  return z.toJSONSchema(schemas[kind], { target: 'draft-7', io: 'input' })
}

/** @param around the map that has this one */
function zodOf(shape: Shape<unknown>, around?: KeysShape): z.ZodType {
  const schema = undescribed(shape, around)
  return shape.description === undefined ? schema : schema.describe(shape.description)
}

function undescribed(shape: Shape<unknown>, around: KeysShape | undefined): z.ZodType {
  switch (shape.kind) {
    case 'any':
      return z.unknown()
    case 'text':
      return textOf(shape)
    case 'choice':
      return z.enum(shape.of)
    case 'number':
      return numberOf(shape)
    case 'flag':
      return z.boolean()
    case 'list': {
      const items = z.array(zodOf(shape.of).nullable())
      return shape.acceptsSingle ? z.union([items, zodOf(shape.of)]) : items
    }
    case 'map':
      return z.record(z.string(), zodOf(shape.of).nullable())
    case 'keys':
      return keysOf(shape, around)
    case 'either':
      return z.union(shape.of.map((one) => zodOf(one, around)))
  }
}

function keysOf(shape: KeysShape, around: KeysShape | undefined): z.ZodType {
  const loose = z.looseObject(
    Object.fromEntries(
      Object.entries(shape.keys).map(([key, of]) => {
        const value = zodOf(of, mapAround(key, shape)).nullish()
        return [key, of.description === undefined ? value : value.describe(of.description)]
      }),
    ),
  )
  const isError = (key: string): boolean =>
    !Object.hasOwn(shape.keys, key) && unknownKey(key, shape, { name: key, around })?.severity === 'error'
  return loose.refine((value) => !Object.keys(value).some(isError), 'unknown key')
}

function textOf(shape: Shape<unknown> & { kind: 'text' }): z.ZodType {
  const { accepts, refusesFlags } = shape
  const plain = refusesFlags === true ? [z.string(), z.number()] : [z.string(), z.number(), z.boolean()]
  const any = z.union(plain).describe(shape.expected)
  return accepts === undefined
    ? any
    : any.refine((value) => accepts(String(value)), `expected ${shape.expected}`)
}

function numberOf(shape: Shape<unknown> & { kind: 'number' }): z.ZodType {
  const number = shape.isInteger ? z.int() : z.number()
  return number.min(shape.min).max(shape.max)
}
