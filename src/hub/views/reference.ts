/**
 * The reference of the hub as markdown, made from the table.
 */
import { z } from 'zod'
import { FIXED_KEYS } from '../../domain/policy/policy-keys.ts'
import { HUB_CODES } from '../hub.ts'
import { askView, memoryView, roomView, sessionView, taskView } from './shapes.ts'
import { METHODS } from '../method-table.ts'

const HEAD = `# The hub

One API for every client: JSON-RPC 2.0 by method name, with parameters by name. This page is made from the table of
methods (\`npx tsx scripts/api-docs.mjs\`); do not edit it.

Rooms are named by their folder or their own id; tasks by id, path, \`room/name\` or unique name. Times are ISO 8601 UTC.
What is not known is null. In \`updates\`, null takes a field out.

## Errors
| code | when | data |
|---|---|---|
| ${HUB_CODES.method} | there is no such method | |
| ${HUB_CODES.params} | wrong parameters | \`{issues: [{path, message}]}\` |
| ${HUB_CODES.denied} | policy says no, or a person is asked | \`{rule, reason, ask?}\` |
| ${HUB_CODES.missing} | no such room, task, session, ask, memory | |
| ${HUB_CODES.busy} | it cannot be now: a file is being edited, git is busy, no daemon runs | |
| ${HUB_CODES.internal} | internal error (Neo, the disk or git) | |

## Who may
People may do everything. A room's Neo and its sessions act in their own room; Neo of the lobby sees all rooms, makes
rooms and passes messages. Of a task a model sets title, description, priority, worker, dependsOn, labels and due; of a
room name, description, concurrency and keep; everything else becomes an ask, and is carried out when a person approves.
A model in a person's editor (\`Neo-As: editor\`, and all of \`/mcp\`) acts in every room as its Neo does, and decides nothing.
\`id\`, \`roomId\`, \`sessionIds\` and the \`neo:\` block are set by nobody. \`task.complete\` by Neo or a session says
*finished* only: a session at work is told, and verify and review follow; where none works, a person is asked.

## Channels
\`subscribe {channel, since?}\` gives \`{channel, seq, data}\`: first \`{snapshot}\`, then \`{change}\` with growing
numbers; \`{resync: true, snapshot}\` where changes were missed; last \`{ended: why}\` where a member may not see it any more. Changes of \`lobby:rooms\`, \`room:<id>:state\` and
\`asks\` are \`{set: {section: {id: item}}, gone: {section: [id]}}\`.

| channel | holds |
|---|---|
| \`lobby:rooms\` | rooms with their tasks counted by status |
| \`room:<id>:state\` | room, tasks, open asks, sessions at work |
| \`room:<id>:neo\` | the conversation of its Neo; then what he says and does |
| \`session:<id>:state\` | \`{status, event?, at?, question?, summary?}\`; event: turn_completed, waiting_for_input, error or ended |
| \`session:<id>:transcript\` | its last entries; then each new one |
| \`asks\` | what waits for a person |
| \`audit\` | the last decisions; then each new one |

## Methods
`

/** The whole text. */
export function apiReference(): string {
  const rows = METHODS.map(
    ({ name, says, params, result, act }) =>
      `### ${name}\n${says}\n\n- parameters: ${shown(params, 'input')}\n- result: ${shown(result, 'output')}\n- policy: \`${act}\`\n`,
  )
  return `${HEAD}${rows.join('\n')}\n${shapes()}`.trimEnd().concat('\n')
}

const SHAPES = { Room: roomView, Task: taskView, Session: sessionView, Ask: askView, Memory: memoryView }

function shapes(): string {
  const rows = Object.entries(SHAPES).map(([name, schema]) => `- ${name}: \`${textOf(schema, 'output')}\`\n`)
  return `## Shapes\n${rows.join('')}\n`
}

function shown(schema: z.ZodType, io: 'input' | 'output'): string {
  const whole = textOf(schema, io)
  const text = Object.entries(SHAPES).reduce(
    (said, [name, shape]) => said.replaceAll(textOf(shape, 'output'), name),
    whole,
  )
  return text === '{}' ? 'none' : `\`${text}\``
}

function textOf(schema: z.ZodType, io: 'input' | 'output'): string {
  return typeText(z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema)
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
}

/** The type as one line: `{roomId: string, limit?: number}`. */
function typeText(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ')
  if (schema.enum !== undefined) return schema.enum.join(' or ')
  switch (schema.type) {
    case 'object':
      return objectText(schema)
    case 'array':
      return `${itemText(schema.items ?? {})}[]`
    case 'integer':
      return 'number'
    default:
      return typeof schema.type === 'string' ? schema.type : (schema.type?.join(' or ') ?? 'any')
  }
}

function itemText(items: Schema): string {
  const text = typeText(items)
  return text.includes(' or ') && !text.startsWith('{') ? `(${text})` : text
}

function objectText({ properties, required = [], additionalProperties }: Schema): string {
  if (properties === undefined)
    return typeof additionalProperties === 'object' ? `{<name>: ${typeText(additionalProperties)}}` : '{…}'
  const known = Object.entries(properties).filter(([key, schema]) => !isFixed(key, schema))
  const keys = known.map(([key, schema]) => `${key}${required.includes(key) ? '' : '?'}: ${typeText(schema)}`)
  return `{${keys.join(', ')}}`
}

/** Keys that are there to be refused by policy. */
function isFixed(key: string, schema: Schema): boolean {
  return FIXED_KEYS.includes(key) && schema.type === undefined && schema.anyOf === undefined
}
