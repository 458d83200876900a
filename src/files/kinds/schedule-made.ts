/**
 * The text of the task or message that a schedule creates for one slot. Invariant 1: tasks have the rights of the
 * author of the schedule: those of Neo and of sessions ask before they start, those of members are theirs, those of
 * the owner are `schedule:<name>`. Invariant 2: messages are from `schedule:<name>` if the owner wrote the schedule,
 * else from its author.
 */
import { firstReason } from '../../domain/home/problem.ts'
import { labelOf, taskIdOf } from '../../domain/schedule/due-runs.ts'
import type { Schedule } from '../../domain/schedule/schedule.ts'
import { wallOf } from '../../domain/schedule/schedule-zone.ts'
import { editDocument, type Json, renderDocument } from '../edit/edit-header.ts'
import { readDocument } from '../header/document.ts'
import { isoSecond } from '../values/times.ts'
import { newFileName, titleOf } from './read-task.ts'
import { fillTemplate } from './read-template.ts'

export interface Making {
  readonly schedule: Schedule
  readonly room: string
  /** File name of the schedule without `.md`. */
  readonly name: string
  /** Epoch ms; null for a run on request. */
  readonly slot: number | null
  readonly now: number
  /** IANA name of the zone for the time in the title. */
  readonly zone: string
  /** Text of its template; null if that is missing. */
  readonly template: string | null
  /** Id of the task of a run on request. */
  readonly id?: string
}

export type Made =
  | { readonly kind: 'made'; readonly path: string; readonly text: string; readonly taskId: string | null }
  | { readonly kind: 'wrong'; readonly why: string }

export function make(making: Making): Made {
  return making.schedule.kind === 'message' ? message(making) : task(making)
}

function message({ schedule, room, name, slot, now }: Making): Made {
  const text = schedule.body.trim()
  if (text === '') return { kind: 'wrong', why: 'the message is empty' }
  const stamp = isoSecond(slot ?? now).replaceAll(/[-:]/g, '')
  const path = `rooms/${room}/inbox/${name}--${slot === null ? 'run-' : ''}${stamp}.md`
  const from = foreignAuthor(schedule) ?? `schedule:${name}`
  return { kind: 'made', path, text: renderDocument({ from }, `${text}\n`), taskId: null }
}

function task(making: Making): Made {
  const { schedule, room, name, slot, now } = making
  const id = slot === null ? (making.id ?? '') : taskIdOf(schedule.neo.id ?? name, slot)
  const neo = {
    id,
    created_at: isoSecond(now),
    created_by: foreignAuthor(schedule) ?? `schedule:${name}`,
  }
  const source = schedule.template === undefined ? plain(schedule) : filled(making, schedule.template)
  if ('why' in source) return { kind: 'wrong', why: source.why }
  const read = readDocument(name, source.text)
  if (read.kind !== 'ok') return { kind: 'wrong', why: 'the result is not a valid task' }
  const { title: written, labels } = read.value.data
  const title =
    schedule.title ?? titleOf(typeof written === 'string' ? written : undefined, source.body, name)
  const full = `${title} (${said(slot ?? now, making.zone)})`
  const own = [...list(labels), ...list(schedule.settings['labels'])]
  const set = {
    title: full,
    status: 'pending',
    ...(schedule.settings as Readonly<Record<string, Json>>),
    labels: [...new Set([...own, labelOf(name)])],
  }
  const path = `rooms/${room}/tasks/${newFileName(full, id)}.md`
  return { kind: 'made', path, text: editDocument(source.text, { set, neo }), taskId: id }
}

type Source = { readonly text: string; readonly body: string } | { readonly why: string }

function plain({ body, params }: Schedule): Source {
  const text = Object.keys(params).length === 0 ? renderDocument({}, body) : renderDocument({ params }, body)
  return { text, body }
}

function filled({ schedule, template }: Making, name: string): Source {
  if (template === null) return { why: `template not found: templates/tasks/${name}.md` }
  const made = fillTemplate(template, schedule.params)
  if (made.kind === 'bad') return { why: firstReason(made.problems) ?? `the template ${name} is unfinished` }
  const read = readDocument(name, made.text)
  return { text: made.text, body: read.kind === 'ok' ? read.value.body : '' }
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** The author of the schedule, unless it is the owner. */
function foreignAuthor({ neo }: Schedule): string | null {
  const author = neo.createdBy ?? 'human'
  return author === 'neo' || author === 'editor' || /^(?:session|peer|member):/.test(author) ? author : null
}

/** `2026-03-02 09:00`, in the local time of the zone. */
function said(slot: number, zone: string): string {
  const text = new Date(wallOf(slot, zone)).toISOString()
  return text.slice(0, text.slice(17, 19) === '00' ? 16 : 19).replace('T', ' ')
}
