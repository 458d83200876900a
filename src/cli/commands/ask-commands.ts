/**
 * `neo ask list, show, approve, deny, answer`. Requests are read from their files: the hub's views have no paths and no
 * unknown keys. The hub decides; it refuses (exit code 5) a second decision, an expired request, and one whose content
 * changed since.
 */
import { join } from 'node:path'
import { standOf } from '../../domain/ask/approve.ts'
import { type Ask, askSays } from '../../domain/ask/ask.ts'
import { NeoError } from '../../domain/home/error.ts'
import { readAsk } from '../../files/kinds/read-ask.ts'
import { brokenFile, usage } from '../cli-failure.ts'
import { bytesAt } from '../edit-file.ts'
import { textOrStdin } from '../option-values.ts'
import { fieldRows, printBody, type Style } from '../output.ts'
import { roomOption } from '../room/open-rooms.ts'
import { dateText } from '../shown-text.ts'
import { type Call, firstOf } from '../spec.ts'
import { openTaskLookup, type TaskLookup } from '../task/task-lookup.ts'
import { roomNames } from '../task/task-paths.ts'
import { withHub } from '../with-hub.ts'

const STYLES: Readonly<Record<string, Style>> = {
  pending: 'yellow',
  approved: 'green',
  answered: 'green',
  denied: 'red',
}

export async function listAsks(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const only = roomOption(call, lookup)
  const asks = allAsks(lookup).filter(
    (one) => (only === null || one.room === only) && (call.isSet('all') || isOpen(one)),
  )
  call.out.data('ask.list', asks.map(askData))
  call.out.table(
    asks.map(({ room: of, ask }) => [ask.id, standCell(ask), of, ask.kind, askSays(ask)]),
    4,
  )
  if (asks.length === 0) call.out.note('No pending requests.')
  return 0
}

function isOpen({ ask }: AskAt): boolean {
  return ask.decision === 'pending' && ask.handledAt === undefined && ask.answer === undefined
}

function standCell(ask: Ask): { text: string; style: Style } {
  const stand = standOf(ask)
  return { text: stand, style: STYLES[stand] ?? 'dim' }
}

export function askData({ path, room, ask }: AskAt): Record<string, unknown> {
  const { body: _body, ...rest } = ask
  return { ...rest, decision: standOf(ask), room, path }
}

export async function showAsk(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const found = findAsk(lookup, firstOf(call))
  const { ask, path, room } = found
  const { out } = call
  out.data('ask.show', { ...askData(found), body: ask.body })
  out.heading(ask.reason === '' ? ask.id : ask.reason)
  const rows = fieldRows([
    ['decision', standCell(ask)],
    ['path', path],
    ['room', room],
    ['kind', ask.kind],
    ['task', ask.task],
    ['session', ask.session],
    ['tool', ask.action.tool],
    ...Object.entries(ask.action.arguments).map(
      ([key, value]) => [`  ${key}`, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
    ['files', ask.action.files.join(', ')],
    ['sha256', ask.action.sha256],
    ['expires', ask.expiresAt === undefined ? '' : dateText(ask.expiresAt)],
    ['decided', ask.decidedAt === undefined ? '' : `${dateText(ask.decidedAt)} by ${ask.decidedBy ?? ''}`],
  ])
  out.table(rows)
  printBody(out, ask.body)
  return 0
}

interface AskAt {
  readonly path: string
  readonly room: string
  readonly ask: Ask
}

type Place = Pick<TaskLookup, 'home' | 'files' | 'zone'>

/** The valid ones; `neo config check` names the others. */
function allAsks(place: Place): readonly AskAt[] {
  return askPaths(place).flatMap(({ path, room }) => {
    try {
      return [{ path, room, ask: readAskAt(place, path) }]
    } catch (error) {
      if (error instanceof NeoError) return []
      throw error
    }
  })
}

/** Throws NeoError `missing`, or `failed` if its file is invalid. */
export function findAsk(place: Place, typed: string): AskAt {
  const paths = askPaths(place)
  const named = paths.find(({ path }) => path === typed || path.endsWith(`/${typed}.md`))
  if (named !== undefined) return { ...named, ask: readAskAt(place, named.path) }
  const found = allAsks(place).find(({ ask }) => ask.id === typed)
  if (found !== undefined) return found
  throw new NeoError('missing', `Cannot find the request "${typed}": no request has this id`, {
    next: 'neo ask list',
  })
}

export function readAskAt({ home, files, zone }: Place, path: string): Ask {
  const read = readAsk(path, bytesAt(files, join(home, path)), zone)
  if (read.kind === 'ok') return read.value
  throw brokenFile('Cannot read the request', read.kind === 'bad' ? read.problems : [])
}

function askPaths({ home, files }: Place): { path: string; room: string }[] {
  return roomNames(home, files).flatMap((room) =>
    files
      .names(join(home, 'rooms', room, 'asks'))
      .filter((name) => name.endsWith('.md') && !name.startsWith('.') && name !== 'README.md')
      .map((name) => ({ path: `rooms/${room}/asks/${name}`, room })),
  )
}

export function approve(call: Call): Promise<number> {
  return change(call, { kind: 'approval', decision: 'approved' })
}

export function deny(call: Call): Promise<number> {
  return change(call, { kind: 'approval', decision: 'denied' })
}

export async function answer(call: Call): Promise<number> {
  const typed = call.args[1] ?? ''
  const text = await textOrStdin(call, typed)
  if (text.trim() === '')
    throw usage('Cannot answer: the answer is empty', "neo ask answer ID 'The second one'")
  return change(call, { kind: 'question', decision: 'answered', answer: text })
}

interface Deciding {
  readonly kind: Ask['kind']
  readonly decision: 'approved' | 'denied' | 'answered'
  readonly answer?: string
}

async function change(call: Call, { kind, decision, answer: words }: Deciding): Promise<number> {
  const lookup = await openTaskLookup(call)
  const found = findAsk(lookup, firstOf(call))
  refuseKind(found.ask, kind)
  const { path } = found
  const isWaiting = await withHub(call, async (hub) => {
    // By its path: a copy of another request has that request's id.
    await hub.call('ask.decide', { askId: path, decision, ...(words === undefined ? {} : { answer: words }) })
    return hub.by() === 'here' && !(await hub.local()).daemonRuns()
  })
  const ask = readAskAt(lookup, path)
  call.out.data(
    `ask.${kind === 'question' ? 'answer' : ask.decision === 'denied' ? 'deny' : 'approve'}`,
    askData({ ...found, ask }),
  )
  call.out.line(ask.id, 'is', kind === 'question' ? 'answered' : ask.decision)
  if (isWaiting) call.out.note('No daemon runs: neo watch or neo run continues.')
  return 0
}

function refuseKind({ id, kind }: Ask, want: Ask['kind']): void {
  if (kind === want) return
  throw usage(
    `Cannot ${want === 'question' ? 'answer' : 'approve or deny'} "${id}": it is ${want === 'question' ? 'an approval request' : 'a question'}`,
    `neo ask ${want === 'question' ? 'approve' : 'answer'} ${id}`,
  )
}
