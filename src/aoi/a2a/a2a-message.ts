/** What a client sends with SendMessage and SendStreamingMessage, checked: a question as text, or a task as data. */
import { isMap } from '../../domain/text/is-map.ts'
import { CONTEXT_TYPES, type ContextRef, PEER_PRIORITIES, type PeerPriority } from '../../domain/peer/peer.ts'
import { A2A_CODES, A2aError, badField } from './a2a-error.ts'
import { ProtoFields } from './proto-fields.ts'

export type Content =
  | { readonly kind: 'query'; readonly text: string }
  | {
      readonly kind: 'execute'
      readonly taskType: string
      readonly taskParams: Readonly<Record<string, unknown>>
    }

export interface Sent {
  readonly messageId: string
  /** Empty: a new one. */
  readonly contextId: string
  /** Of the task that it belongs to; empty: a new one. */
  readonly taskId: string
  readonly content: Content
  readonly scope: readonly ContextRef[]
  readonly priority: PeerPriority
  readonly returnImmediately: boolean
  /** Undefined: all messages. */
  readonly historyLength: number | undefined
  /** The parts as they were sent, for the history of the task. */
  readonly parts: readonly object[]
}

const ID = 200
/** As in AOI: characters of a question, contexts, characters of a name. */
const TEXT = 4_000
const SCOPE = 20
const IDENTIFIER = 512
const PARTS = 32
const TASK_TYPE = /^[A-Za-z0-9][\w-]{0,79}$/
const PARAMETER = { name: 100, text: 20_000 }
export const HISTORY: readonly [number, number] = [0, 10_000]

/** Throws A2aError. */
export function readSent(params: unknown): Sent {
  const fields = ProtoFields.of(params, '')
  const message = ProtoFields.of(fields.raw('message'), 'message')
  const configuration = fields.object('configuration')
  if (configuration !== null) checkConfiguration(configuration)
  const messageId = message.text('messageId', ID)
  if (messageId === '') throw badField('message.messageId', 'is missing')
  checkRole(message)
  const parts = message.list('parts', PARTS).map((part, at) => readPart(part, `message.parts[${at}]`))
  return {
    messageId,
    contextId: message.text('contextId', ID),
    taskId: message.text('taskId', ID),
    content: contentOf(parts),
    ...metadataOf(message),
    returnImmediately: configuration?.isTrue('returnImmediately') ?? false,
    historyLength: configuration?.whole('historyLength', HISTORY),
    parts: parts.map(({ sent }) => sent),
  }
}

function checkConfiguration(configuration: ProtoFields): void {
  if (configuration.raw('taskPushNotificationConfig') !== undefined) throw noPush()
  const modes = configuration.list('acceptedOutputModes', PARTS)
  if (modes.length === 0 || modes.some((mode) => typeof mode === 'string' && isOurs(mode))) return
  throw new A2aError(
    A2A_CODES.contentType,
    'Answers are text/plain and application/json: accept one of them in acceptedOutputModes',
    { reason: 'CONTENT_TYPE_NOT_SUPPORTED' },
  )
}

function isOurs(mode: string): boolean {
  return ['text/plain', 'application/json', 'text/*', 'text', 'application/*', '*/*'].includes(
    mode.split(';')[0]?.trim().toLowerCase() ?? '',
  )
}

export function noPush(): A2aError {
  return new A2aError(
    A2A_CODES.pushNotSupported,
    'Push notifications are not supported: use SubscribeToTask or GetTask',
    { reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' },
  )
}

function checkRole(message: ProtoFields): void {
  const role = message.raw('role')
  if (role !== 'ROLE_USER' && role !== 1) throw badField('message.role', 'must be ROLE_USER')
}

interface ReadPart {
  readonly text?: string
  readonly data?: Readonly<Record<string, unknown>>
  readonly sent: object
}

function readPart(value: unknown, path: string): ReadPart {
  const part = ProtoFields.of(value, path)
  const kinds = ['text', 'data', 'raw', 'url'].filter((kind) => part.raw(kind) !== undefined)
  const [kind] = kinds
  if (kinds.length !== 1) throw badField(path, 'must have one of text, data')
  if (kind === 'text') {
    const text = part.text('text', TEXT)
    return { text, sent: { text } }
  }
  if (kind !== 'data')
    throw new A2aError(A2A_CODES.contentType, `Files are not supported: ${path} must be text or data`, {
      reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    })
  const data = part.raw('data')
  if (!isMap(data)) throw badField(`${path}.data`, 'must be an object with task_type and task_params')
  return { data, sent: { data } }
}

function contentOf(parts: readonly ReadPart[]): Content {
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]))
  const [data, ...more] = parts.flatMap(({ data }) => (data === undefined ? [] : [data]))
  if (data === undefined) {
    const text = texts.join('\n\n').trim()
    if (text === '') throw badField('message.parts', 'must have text, or data with task_type')
    if (text.length > TEXT) throw badField('message.parts', `must have at most ${TEXT} characters`)
    return { kind: 'query', text }
  }
  if (more.length > 0 || texts.length > 0)
    throw badField('message.parts', 'must be either text (a question) or one data part (a task)')
  return taskOf(data)
}

function taskOf(data: Readonly<Record<string, unknown>>): Content {
  const { task_type: taskType, task_params: taskParams = {} } = data
  if (typeof taskType !== 'string' || !TASK_TYPE.test(taskType))
    throw badField('message.parts.data.task_type', 'must be the name of a task type')
  if (!isMap(taskParams) || !Object.entries(taskParams).every(isParameter))
    throw badField(
      'message.parts.data.task_params',
      `must be an object of texts, numbers and booleans, each at most ${PARAMETER.text} characters`,
    )
  return { kind: 'execute', taskType, taskParams }
}

function isParameter([name, value]: readonly [string, unknown]): boolean {
  if (name.length > PARAMETER.name) return false
  return typeof value === 'string'
    ? value.length <= PARAMETER.text
    : typeof value === 'number' || typeof value === 'boolean'
}

function metadataOf(message: ProtoFields): Pick<Sent, 'scope' | 'priority'> {
  const metadata = message.object('metadata')
  const priority = metadata?.raw('priority') ?? 'normal'
  if (!isOneOf(priority, PEER_PRIORITIES))
    throw badField('message.metadata.priority', `must be one of ${PEER_PRIORITIES.join(', ')}`)
  const scope = metadata?.list('context_scope', SCOPE) ?? []
  if (scope.length === 0)
    throw badField(
      'message.metadata.context_scope',
      'is missing: say which work it is about, such as [{"type": "repository", "identifier": "acme/webapp"}]',
    )
  return { priority, scope: scope.map((one, at) => readContext(one, at)) }
}

function readContext(value: unknown, at: number): ContextRef {
  const fields = ProtoFields.of(value, `message.metadata.context_scope[${at}]`)
  const type = fields.raw('type')
  if (!isOneOf(type, CONTEXT_TYPES))
    throw badField(fields.pathOf('type'), `must be one of ${CONTEXT_TYPES.join(', ')}`)
  const identifier = fields.text('identifier', IDENTIFIER)
  if (identifier === '') throw badField(fields.pathOf('identifier'), 'is missing')
  return { type, identifier }
}

function isOneOf<T extends string>(value: unknown, all: readonly T[]): value is T {
  return all.some((one) => one === value)
}
