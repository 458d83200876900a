/**
 * The context of a turn: the state of the room (or of the home, in the lobby) from the hub, its memory files, and
 * memories that match the triggers. Invariant 1: it is short whatever the room holds: lists are cut, and say how much
 * they leave out. Invariant 2: what the hub does not show is left out; reading the context never fails a turn.
 */
import { join } from 'node:path'
import { cutTo, dataLine, wrapped } from '../domain/agent/neo-data.ts'
import { memoryFolderOf, rememberedFor, rememberedIn } from '../domain/memory/memory-context.ts'
import { LOBBY } from '../domain/policy/policy.ts'
import type { Principal } from '../domain/policy/policy-acts.ts'
import type { OnBehalfOf } from '../domain/policy/scope-types.ts'
import { wallOf } from '../domain/schedule/schedule-zone.ts'
import { redact } from '../domain/secrets/redact.ts'
import { HubError } from '../hub/hub.ts'
import { fieldOf } from './actions/action.ts'
import { recalled } from './actions/memory-actions.ts'
import type { TurnContext } from './run-actions.ts'

export interface PromptContext {
  readonly text: string
  /** The room's standing instruction and model; '' for none. */
  readonly instruction: string
  readonly model: string
}

type Loose = Readonly<Record<string, unknown>>

const PICTURE_LETTERS = 10_000
const LINE_LETTERS = 160
/** Of a list of tasks, sessions, asks or rooms. */
const MOST_LINES = 40
const MOST_ENDED = 8
const MEMORIES = 5
const QUERY_LETTERS = 300
/** A larger MEMORY.md is found by searching alone. */
const MOST_BYTES = 8 * 1024 * 1024
/** In this order; what has ended comes last and is cut shorter. */
const STATUSES = ['in_progress', 'review', 'blocked', 'failed', 'pending', 'draft', 'completed', 'cancelled']
const ENDED = new Set(['completed', 'cancelled'])

type ContextSource = Pick<TurnContext, 'options' | 'room' | 'principal' | 'scope' | 'store'>

/** @param about the triggers in words, to find memories for */
export async function readPromptContext(source: ContextSource, about: string): Promise<PromptContext> {
  const { options, room, principal } = source
  const overview = (await see(source, 'room.overview', { roomId: room })) ?? {}
  // The instruction applies to every speaker; the state of the room is shown only to those who may see it.
  const own: ContextSource = { ...source, principal: { kind: 'neo', room } }
  const roomNow =
    actsFor(principal) === undefined
      ? objectIn(overview, 'room')
      : ((await see(own, 'room.get', { roomId: room })) ?? {})
  const home = room === LOBBY ? await homeLines(source) : []
  const lines = [`Time: ${new Date(options.clock.now()).toISOString()} (${options.config().timezone})`]
  const text = [...lines, ...home, ...roomLines(room, overview)].join('\n')
  const memories = await memoriesFor(source, about)
  const picture = `<picture>\n${cutTo(redact(text), PICTURE_LETTERS)}\n</picture>`
  return {
    text: [picture, ...memoryTexts(source, await seesHome(source), about), memories]
      .filter((part) => part !== '')
      .join('\n'),
    instruction: fieldOf(roomNow, 'instructions'),
    model: fieldOf(roomNow, 'defaultModel'),
  }
}

/** Null if the hub does not show it. */
async function see(
  { options, principal }: Pick<ContextSource, 'options' | 'principal'>,
  method: string,
  params: Loose,
): Promise<Loose | null> {
  try {
    const result = await options.hub.call(principal, method, params)
    return typeof result === 'object' && result !== null ? (result as Loose) : null
  } catch (error) {
    if (error instanceof HubError) return null
    throw error
  }
}

function actsFor(principal: Principal): OnBehalfOf | undefined {
  return principal.kind === 'neo' ? principal.onBehalfOf : undefined
}

/** Whether the speakers may see the memory of the whole home. */
async function seesHome({ options, principal, scope }: ContextSource): Promise<boolean> {
  const onBehalfOf = actsFor(principal)
  if (onBehalfOf === undefined || scope !== null) return true
  const asked = { options, principal: { kind: 'neo', room: LOBBY, onBehalfOf } } as const
  return (await see(asked, 'room.get', { roomId: LOBBY })) !== null
}

/** MEMORY.md and the notes of yesterday and today. */
function memoryTexts(
  { options, room, scope }: ContextSource,
  showsHome: boolean,
  about: string,
): readonly string[] {
  const { files, clock, config } = options
  const wallMs = wallOf(clock.now(), config().timezone)
  // A scope has its own memory, which may be outside the files of the home.
  const at = (path: string) =>
    scope === null ? join(options.home, path) : join(scope.scope.folder, path.slice(SCOPE_FOLDER.length))
  const read = (path: string) => {
    const found = files.read(at(path), MOST_BYTES)
    return found.kind === 'file' ? found.bytes.toString('utf8') : null
  }
  const texts =
    scope === null
      ? rememberedFor(read, { room, wallMs, about })
      : rememberedIn(read, { folders: [SCOPE_FOLDER], wallMs, about })
  const shown = texts.filter(({ path }) => showsHome || !path.startsWith(`${memoryFolderOf(LOBBY)}/`))
  return shown.map(({ path, text }) => wrapped('data', { file: path }, redact(text)))
}

const SCOPE_FOLDER = 'this conversation'

async function homeLines(source: ContextSource): Promise<readonly string[]> {
  const status = await see(source, 'status.global', {})
  const rooms = listOf(await see(source, 'room.list', {}))
  const counts = Object.entries(status ?? {}).flatMap(([key, value]) =>
    typeof value === 'number' ? [`${key} ${value}`] : [],
  )
  return [
    ...(counts.length === 0 ? [] : [`Home: ${counts.join(', ')}`]),
    ...listed('Rooms', rooms, {
      most: MOST_LINES,
      line: (room) => `${fieldOf(room, 'id')} (${fieldOf(room, 'status')}) ${fieldOf(room, 'description')}`,
    }),
  ]
}

function roomLines(room: string, overview: Loose): readonly string[] {
  const now = objectIn(overview, 'room')
  const usage = usageLine(overview['usage'])
  return [
    `Room: ${room}, "${dataLine(fieldOf(now, 'name') || room, LINE_LETTERS)}", ${fieldOf(now, 'status') || 'active'}`,
    ...(usage === '' ? [] : [usage]),
    ...listed('Sessions', listOf(overview['sessions']).filter(isAlive), {
      most: MOST_LINES,
      line: sessionLine,
    }),
    ...taskLines(objectIn(overview, 'tasks')),
    ...listed('Pending requests to people', listOf(overview['asks']).filter(isPending), {
      most: MOST_LINES,
      line: (ask) =>
        `${fieldOf(ask, 'id')} ${fieldOf(ask, 'kind')} of ${fieldOf(ask, 'taskId') || fieldOf(ask, 'sessionId')}: ${fieldOf(ask, 'reason')}`,
    }),
  ]
}

function isAlive(session: unknown): boolean {
  return fieldOf(session, 'state') !== 'ended'
}

function isPending(ask: unknown): boolean {
  return ['', 'pending'].includes(fieldOf(ask, 'decision'))
}

function sessionLine(session: unknown): string {
  const parts = [fieldOf(session, 'id'), fieldOf(session, 'worker'), fieldOf(session, 'status')]
  return `${parts.filter((part) => part !== '').join(' ')} on ${fieldOf(session, 'taskId') || 'no task'}`
}

function taskLines(byStatus: Loose): readonly string[] {
  return STATUSES.flatMap((status) =>
    listed(`Tasks ${status}`, listOf(byStatus[status]).toSorted(newestLast), {
      most: ENDED.has(status) ? MOST_ENDED : MOST_LINES,
      line: taskLine,
    }),
  )
}

function newestLast(a: unknown, b: unknown): number {
  const [one, other] = [a, b].map((task) => fieldOf(task, 'completedAt') || fieldOf(task, 'createdAt'))
  return (one ?? '') < (other ?? '') ? -1 : 1
}

function taskLine(task: unknown): string {
  const depends = (task as { readonly dependsOn?: unknown } | null)?.dependsOn
  const waits = Array.isArray(depends) && depends.length > 0 ? `, after ${depends.join(', ')}` : ''
  const said = [
    ['error', 'error: '],
    ['result', 'result: '],
    ['blocked', 'blocked by '],
    ['currentStep', 'now: '],
  ]
  const more = said.flatMap(([key = '', word = '']) =>
    fieldOf(task, key) === '' ? [] : [`; ${word}${fieldOf(task, key)}`],
  )
  return `${fieldOf(task, 'id')} "${fieldOf(task, 'title')}"${waits}${more.join('')}`
}

/** A headline and the last lines of a list; nothing for an empty one. */
function listed(
  headline: string,
  list: readonly unknown[],
  { most, line }: { readonly most: number; readonly line: (one: unknown) => string },
): readonly string[] {
  if (list.length === 0) return []
  const left = list.length - most
  const rest = left > 0 ? [`- … and ${left} older`] : []
  return [
    `${headline}:`,
    ...list.slice(-most).map((one) => `- ${dataLine(line(one), LINE_LETTERS)}`),
    ...rest,
  ]
}

function usageLine(usage: unknown): string {
  const counts = Object.entries((usage ?? {}) as Loose).flatMap(([key, value]) =>
    typeof value === 'number' || typeof value === 'string' ? [`${key} ${value}`] : [],
  )
  return counts.length === 0 ? '' : `Usage: ${dataLine(counts.join(', '), LINE_LETTERS)}`
}

async function memoriesFor(source: ContextSource, about: string): Promise<string> {
  const { room, scope, store } = source
  const query = dataLine(about, QUERY_LETTERS)
  if (query === '') return ''
  const where = {
    ...(room === LOBBY ? {} : { roomId: room }),
    ...(scope === null ? {} : { scopeId: scope.scope.name }),
  }
  const found = await see(source, 'memory.search', { ...where, query, limit: 3 * MEMORIES })
  const isNow = (source: string) =>
    scope === null ? isLiveTalk(room, source) : isTalkOf(store.state().file, source)
  const results = listOf(found?.['results']).filter((one) => !isNow(fieldOf(one, 'source')))
  return recalled({ results: results.slice(0, MEMORIES) })
}

/** The current conversation is already in the prompt; as a memory it would look like news. */
function isLiveTalk(room: string, source: string): boolean {
  return source.replace(/-\d{4}-\d{2}-\d{2}-\d+\.jsonl:\d+$/, '') === `live/neo-${room}`
}

function isTalkOf(file: string | null, source: string): boolean {
  return file !== null && source.slice(source.lastIndexOf('/') + 1).startsWith(`${file}:`)
}

function objectIn(value: Loose, key: string): Loose {
  const found = value[key]
  return typeof found === 'object' && found !== null ? (found as Loose) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
