/** The shape of every kind of file, and its JSON Schema for editors. */
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
import { restrains } from './unknown-key.ts'

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
export const SCHEMA_KINDS = [...Object.keys(shapes), 'transcript'] as readonly SchemaKind[]

type Schema = Readonly<Record<string, unknown>>

const string = { type: 'string' }
const maybe = { anyOf: [string, { type: 'null' }] }

/** One line of a transcript. */
const TRANSCRIPT: Schema = {
  type: 'object',
  properties: {
    v: { type: 'integer' },
    ...{ id: string, parent: maybe, ts: { ...string, format: 'date-time' }, session: string },
    ...{ room: string, task: maybe, type: string },
  },
  required: ['v', 'id', 'ts', 'session', 'room', 'type'],
}

/** JSON Schema, draft 7; for `transcript`, of one line. It allows all that Neo reads, and says less than Neo checks. */
export function jsonSchema(kind: SchemaKind): Schema {
  const schema = kind === 'transcript' ? TRANSCRIPT : described(shapes[kind], formOf(shapes[kind]))
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema }
}

function described({ description }: Shape<unknown>, form: Schema): Schema {
  return description === undefined ? form : { description, ...form }
}

function schemaOf(shape: Shape<unknown>): Schema {
  return described(shape, formOf(shape))
}

function orNull(shape: Shape<unknown>): Schema {
  return described(shape, { anyOf: [formOf(shape), { type: 'null' }] })
}

function formOf(shape: Shape<unknown>): Schema {
  switch (shape.kind) {
    case 'any':
      return {}
    case 'text':
      return { type: ['string', 'number', ...(shape.refusesFlags === true ? [] : ['boolean'])] }
    case 'choice':
      return { ...string, enum: shape.of }
    case 'number':
      return { type: shape.isInteger ? 'integer' : 'number', minimum: shape.min, maximum: shape.max }
    case 'flag':
      return { type: 'boolean' }
    case 'list': {
      const least = shape.isFilled === true ? { minItems: 1 } : {}
      const items = { type: 'array', items: orNull(shape.of), ...least }
      return shape.acceptsSingle ? { anyOf: [items, schemaOf(shape.of)] } : items
    }
    case 'map':
      return { type: 'object', additionalProperties: orNull(shape.of) }
    case 'keys': {
      const keys = Object.entries(shape.keys)
      const form = (key: string, of: Shape<unknown>) => (restrains(key, shape) ? schemaOf(of) : orNull(of))
      return {
        type: 'object',
        properties: Object.fromEntries(keys.map(([key, of]) => [key, form(key, of)])),
      }
    }
    case 'either':
      return { anyOf: shape.of.map(schemaOf) }
  }
}
