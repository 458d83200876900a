/**
 * docs/api.md as text, from the table of methods.
 * Takes nothing; scripts/api-docs.mjs writes it, test/hub/table.test.ts compares it.
 */
import { z } from 'zod'
import { FIXED_KEYS } from '../src/domain/policy/policy-member.ts'
import type { Method } from '../src/hub/env.ts'
import { HUB_CODES } from '../src/hub/hub.ts'
import { METHODS } from '../src/hub/method-table.ts'
import { sessionDetail, sessionMore, taskDetail, taskMore } from '../src/hub/views/detail-shapes.ts'
import { askView, memoryView, roomView, sessionView, taskView } from '../src/hub/views/shapes.ts'

const HEAD = `# API reference

Everything that a client can do with Neo Rooms is a method of one API: JSON-RPC 2.0, with parameters by name. The CLI, the web page,
Telegram and editors use the same methods. This page is generated from the program: \`npx tsx scripts/api-docs.mjs\`.

## Call a method

| transport | how |
|---|---|
| command line | \`neo rpc METHOD 'PARAMETERS'\` |
| standard input and output | \`neo rpc --stdio\`, one message a line |
| HTTP | \`POST /rpc\` |
| WebSocket | \`GET /hub\`, one message a frame |

\`\`\`sh
neo rpc task.create '{"roomId": "shop", "title": "Fix the login redirect", "description": "Go back to the page that was asked for."}'
\`\`\`

[http.md](http.md) describes the server, its token and its limits. [mcp.md](mcp.md) describes the tools that editors get.

- A room is named by its folder or its id, a task by its id, its path, \`room/name\`, or a name that only one task has.
- Times are ISO 8601 in UTC. Unknown values are \`null\`.
- In \`updates\`, \`null\` removes a field, and a field that you leave out stays as it is.

## Errors

| code | meaning | data |
|---|---|---|
| ${HUB_CODES.parse} | the message is invalid JSON | |
| ${HUB_CODES.request} | the message is not a valid request | \`{why}\` |
| ${HUB_CODES.method} | unknown method | |
| ${HUB_CODES.params} | invalid parameters | \`{issues: [{path, message}]}\` |
| ${HUB_CODES.denied} | permission denied, or a person has to approve the call first | \`{rule, reason, ask?}\`; \`ask\` is the id of the request |
| ${HUB_CODES.missing} | not found | |
| ${HUB_CODES.busy} | not possible now: a file is being edited, git is busy, no daemon runs, or too many calls wait; send the call again later | |
| ${HUB_CODES.internal} | internal error | |

## Permissions

The credential decides who calls. The owner can call every method. Members can call what their role and rooms allow.

Models have fewer permissions. The Neo of a room and its sessions act in that room only. The Neo of the lobby sees all rooms, creates
rooms and sends messages. If a model sets a field that it may not set, Neo creates an approval request. It makes the change when a person
approves it. An AI assistant in an editor has, in each room, the permissions of the Neo of this room. It uses the header
\`Neo-As: editor\`, or \`/mcp\`.
Nobody sets \`id\`, \`roomId\`, \`sessionIds\` or the \`neo:\` block.

## Subscriptions

\`subscribe {channel, since?}\` and \`unsubscribe {channel}\` work over WebSocket and standard input and output; \`GET /events\` gives
the same events over HTTP. Each event is \`{channel, seq, data}\`. The first one holds \`{snapshot}\`, the next ones \`{change}\`, with
growing numbers. \`since\` is the last \`seq\` that you got; then only later events come. \`{resync: true, snapshot}\` means that you missed changes, \`{ended: why}\` that you lost access.

Changes of \`lobby:rooms\`, \`room:ID:state\`, \`room:ID:tasks\`, \`inbox\`, \`schedules\`, \`activity\`, \`memory\` and \`asks\` are \`{set: {section: {id: item}}, gone: {section: [id]}}\`.

| channel | content |
|---|---|
| \`lobby:rooms\` | rooms, with their tasks counted by status |
| \`room:ID:state\` | the room, its tasks, open requests and sessions at work |
| \`room:ID:tasks\` | the room, its tasks without their texts (what is empty, or \`normal\`, is left out), and \`costs\` by task |
| \`inbox\` | what needs you: \`home\` (what keeps the home from going on), \`requests\`, \`reviews\`, \`yours\`, \`blocked\`, \`failed\`, \`problems\` |
| \`task:ID:state\` | a value that changes with the task, its requests, its cost, or what it waits for; then call \`task.get\` |
| \`room:ID:neo\` | the conversation with the Neo of the room, then what it says and does |
| \`session:ID:state\` | \`{status, event?, at?, question?, summary?}\`; \`event\` is \`turn_completed\`, \`waiting_for_input\`, \`error\` or \`ended\` |
| \`session:ID:transcript\` | the last entries of the transcript, then each new one |
| \`session:ID:output\` | \`{step, text, skipped}\`: the end of what each running command has written, then each new piece |
| \`asks\` | requests that wait for a person |
| \`schedules\` | the schedules of the rooms that you see, as in \`schedule.list\`, and files of schedules that can't be read |
| \`activity\` | a value that changes when \`audit.timeline\` has a new entry |
| \`memory\` | a value for each room that changes with its memory |
| \`audit\` | the last decisions, then each new one |
| \`members\` | the people of the home, without the ids of their accounts; only for callers who may see the home |
| \`agents\` | a change of agents of other homes, their presence, requests or answers; then call \`agent.list\`, \`agent.requests\` or \`agent.asked\` |
| \`health\` | the state of each part of Neo, since when, and what to do; only for callers who may see the home |
`

const OBJECTS = {
  Task: taskView,
  TaskDetail: taskDetail,
  Room: roomView,
  Session: sessionView,
  SessionDetail: sessionDetail,
  Request: askView,
  Memory: memoryView,
}
/** Objects that are another one and more. */
const MORE: Readonly<Record<string, readonly [than: string, shape: z.ZodType]>> = {
  TaskDetail: ['Task', taskMore],
  SessionDetail: ['Session', sessionMore],
}

export function apiReference(): string {
  const rows = METHODS as unknown as readonly Method[]
  const index = [...new Set(rows.map(({ name }) => nounOf(name)))].map((noun) => {
    const own = rows.filter(({ name }) => nounOf(name) === noun)
    return `- ${own.map(({ name }) => `[${name}](#${name.replaceAll('.', '').toLowerCase()})`).join(' · ')}\n`
  })
  const methods = rows.map(methodText)
  const objects = Object.entries(OBJECTS).map(([name, shape]) => {
    const [than, more] = MORE[name] ?? [null, shape]
    const begin = than === null ? '' : `A [${than}](#${than.toLowerCase()}) with more fields.\n\n`
    return `### ${name}\n\n${begin}${fieldTable(more)}`
  })
  return [HEAD, `## Methods\n\n${index.join('')}`, ...methods, '## Objects\n', ...objects].join('\n')
}

/** Parameters that say nothing about themselves, and whose type does not either. */
export function undescribedParameters(): readonly string[] {
  return (METHODS as unknown as readonly Method[]).flatMap(({ name, params }) =>
    rowsOf(schemaOf(params, 'input'), '')
      .filter(({ says, type }) => says === '' && !type.includes(' or '))
      .map(({ key }) => `${name} ${key}`),
  )
}

function nounOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

function methodText({ name, summary, details, params, result, act }: Method): string {
  const found = rowsOf(schemaOf(params, 'input'), '')
  const rows = [...found.filter(isNeeded), ...found.filter((row) => !isNeeded(row))].map(
    ({ key, type, says, isRequired }) =>
      `| \`${key}\` | ${escaped(type)} | ${escaped([isRequired ? 'Required.' : '', says].filter(Boolean).join(' '))} |`,
  )
  const table =
    rows.length === 0 ? 'No parameters.\n' : `| parameter | type | description |\n|---|---|---|\n${rows.join('\n')}\n`
  const text = [`${summary}.`, details].filter((part) => part !== undefined).join(' ')
  return `### ${name}\n\n${text}\n\n${table}\nReturns ${returned(result)}. Permission: \`${act}\`.\n`
}

function isNeeded({ key, isRequired }: Row): boolean {
  return isRequired && !key.includes('.')
}

function fieldTable(shape: z.ZodType): string {
  const rows = rowsOf(schemaOf(shape, 'output'), '').map(
    ({ key, type, says }) => `| \`${key}\` | ${escaped(type)} | ${escaped(says)} |`,
  )
  return `| field | type | description |\n|---|---|---|\n${rows.join('\n')}\n`
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|')
}

function returned(schema: z.ZodType): string {
  const item = schema instanceof z.ZodArray ? schema.element : null
  const name = nameOf(schema) ?? nameOf(item)
  if (name !== null) return `${item === null ? 'a' : 'a list of'} [${name}](#${name.toLowerCase()})`
  if (schema instanceof z.ZodNull) return '`null`'
  const whole = typeText(schemaOf(schema, 'output'))
  const text = Object.entries(OBJECTS).reduce(
    (said, [object, shape]) => said.replaceAll(typeText(schemaOf(shape, 'output')), object),
    whole,
  )
  return `\`${text}\``
}

function nameOf(schema: unknown): string | null {
  return Object.entries(OBJECTS).find(([, shape]) => shape === schema)?.[0] ?? null
}

interface Row {
  /** `updates.title` */
  readonly key: string
  readonly type: string
  readonly says: string
  readonly isRequired: boolean
}

function rowsOf({ properties = {}, required = [] }: Schema, at: string): readonly Row[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    if (isFixed(name, schema)) return []
    const key = `${at}${name}`
    const inner = objectIn(schema)
    const standard = schema.default === undefined ? '' : `Default: \`${String(schema.default)}\`.`
    const says = [sentence(schema.description), standard].filter(Boolean).join(' ')
    const row = { key, type: rowType(schema), says, isRequired: required.includes(name) }
    return inner === null ? [row] : [row, ...rowsOf(inner, `${key}.`)]
  })
}

function sentence(text = ''): string {
  return text === '' || text.endsWith('.') ? text : `${text}.`
}

/** The object that a field holds or may hold. */
function objectIn(schema: Schema): Schema | null {
  if (schema.properties !== undefined) return schema
  return schema.anyOf?.map(objectIn).find((one) => one !== null) ?? null
}

/** For a table: the fields of an object have rows of their own, and null is said once for all. */
function rowType(schema: Schema): string {
  if (schema.properties !== undefined) return 'object'
  const { minimum: least, maximum: most, type } = schema
  if (schema.anyOf !== undefined) {
    const types = schema.anyOf.filter((one) => one.type !== 'null').map(rowType)
    return [...new Set(types)].join(' or ')
  }
  const plain = Array.isArray(type) ? type.filter((one) => one !== 'null') : type
  const bounded = least !== undefined && most !== undefined && most < 1_000_000 && least > -1_000_000
  return `${typeText({ ...schema, ...(plain === undefined ? {} : { type: plain }) })}${bounded ? `, ${least} to ${most}` : ''}`
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
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
  if (schema.enum !== undefined) return schema.enum.filter((one) => one !== null).join(' or ')
  switch (schema.type) {
    case 'object':
      return objectText(schema)
    case 'array':
      return `${itemText(schema.items ?? {})}[]`
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
