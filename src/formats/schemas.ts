/**
 * The schema of every kind of file, as zod and as JSON Schema for editors.
 * Leaves to the kinds' own files: their shapes. Only commands that print or need schemas import this: zod is heavy.
 */
import { z } from 'zod'
import { agentShape } from './agent.ts'
import { askShape } from './ask.ts'
import { configShape } from './config-shape.ts'
import { memberShape } from './member.ts'
import { memoryShape } from './memory.ts'
import { roomShape } from './room.ts'
import { scheduleShape } from './schedule.ts'
import { scopeShape } from './scope.ts'
import { sessionShape } from './session.ts'
import { skillShape } from './skill.ts'
import { taskShape } from './task.ts'
import { templateShape } from './template.ts'
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
  'agent',
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

/** The header of each kind; for `config` the whole file, for `transcript` one line. */
export const schemas: Readonly<Record<SchemaKind, z.ZodType>> = {
  task: zodOf(taskShape),
  room: zodOf(roomShape),
  memory: zodOf(memoryShape),
  schedule: zodOf(scheduleShape),
  ask: zodOf(askShape),
  session: zodOf(sessionShape),
  transcript,
  config: zodOf(configShape),
  member: zodOf(memberShape),
  agent: zodOf(agentShape),
  scope: zodOf(scopeShape),
  template: zodOf(templateShape),
  skill: zodOf(skillShape),
}

/** JSON Schema, draft 7, of what a file may say. */
export function jsonSchema(kind: SchemaKind): unknown {
  return z.toJSONSchema(schemas[kind], { target: 'draft-7', io: 'input' })
}
