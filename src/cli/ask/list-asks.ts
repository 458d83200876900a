/**
 * `neo ask list` and `neo ask show`: approval requests and questions, and what exactly is requested.
 */
import type { Ask } from '../../domain/ask/ask.ts'
import { askSays } from '../../domain/ask/ask-says.ts'
import { standOf } from '../../domain/ask/approve.ts'
import type { Style } from '../output.ts'
import { findRoom } from '../room/open-rooms.ts'
import { type Call, firstOf } from '../spec.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { dateText } from '../time.ts'
import { allAsks, type AskAt, findAsk } from './open-asks.ts'

const STYLES: Readonly<Record<string, Style>> = {
  pending: 'yellow',
  approved: 'green',
  answered: 'green',
  denied: 'red',
}

export async function listAsks(call: Call): Promise<number> {
  const lookup = await openTaskLookup(call)
  const room = call.text('room')
  const only = room === null ? null : findRoom(lookup, room)
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

export function isOpen({ ask }: AskAt): boolean {
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
  const rows: (readonly [string, string])[] = [
    ['path', path],
    ['room', room],
    ['kind', ask.kind],
    ['task', ask.task ?? ''],
    ['session', ask.session ?? ''],
    ['tool', ask.action.tool],
    ...Object.entries(ask.action.arguments).map(
      ([key, value]) => [`  ${key}`, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
    ['files', ask.action.files.join(', ')],
    ['sha256', ask.action.sha256],
    ['expires', ask.expiresAt === undefined ? '' : dateText(ask.expiresAt)],
    ['decided', ask.decidedAt === undefined ? '' : `${dateText(ask.decidedAt)} by ${ask.decidedBy ?? ''}`],
  ]
  out.table([
    [{ text: 'decision', style: 'dim' }, standCell(ask)],
    ...rows
      .filter(([, value]) => value !== '')
      .map(([key, value]) => [{ text: key, style: 'dim' } as const, value]),
  ])
  if (ask.body.trim() !== '') {
    out.line('')
    out.block(ask.body)
  }
  return 0
}
