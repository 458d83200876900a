/**
 * What each kind of file says. A file with problems keeps its last good version in force, and equal bytes are never
 * parsed twice.
 */
import type { Ask } from '../../domain/ask/ask.ts'
import { isConflictCopy, type Known } from '../../domain/home/home-paths.ts'
import { fileProblem, type Problem } from '../../domain/home/problem.ts'
import type { Room } from '../../domain/room/room.ts'
import type { Schedule } from '../../domain/schedule/schedule.ts'
import type { Task } from '../../domain/task/task.ts'
import { stepsOf } from '../../files/body/runbook.ts'
import { type Read, readDocument } from '../../files/header/document.ts'
import { readAgent } from '../../files/kinds/read-agent.ts'
import { readAsk } from '../../files/kinds/read-ask.ts'
import { readMember } from '../../files/kinds/read-member.ts'
import { readMemory } from '../../files/kinds/read-memory.ts'
import { readRoom } from '../../files/kinds/read-room.ts'
import { readSchedule } from '../../files/kinds/read-schedule.ts'
import { readScope } from '../../files/kinds/read-scope.ts'
import { readSkill } from '../../files/kinds/read-skill.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import { readTemplate } from '../../files/kinds/read-template.ts'
import { cronFields } from './schedules.ts'

export type Content =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'room'; readonly room: Room }
  | { readonly kind: 'ask'; readonly ask: Ask }
  /** A message to the room's Neo. */
  | { readonly kind: 'inbox'; readonly from: string; readonly text: string }
  | { readonly kind: 'schedule'; readonly schedule: Schedule }
  /** Checked only. */
  | { readonly kind: 'other' }

export type Reading =
  | { readonly kind: 'ok'; readonly content: Content; readonly problems: readonly Problem[] }
  | { readonly kind: 'bad'; readonly problems: readonly Problem[] }
  /** Empty, or a fence is still open: somebody is writing. */
  | { readonly kind: 'unfinished'; readonly why: string }

export interface KnownFile {
  readonly path: string
  readonly known: Known
  readonly bytes: Buffer
  /** The home's time zone. */
  readonly zone: string
}

export function readKnown({ path, known, bytes, zone }: KnownFile): Reading {
  if (isConflictCopy(path)) return { kind: 'bad', problems: [conflictCopy(path)] }
  switch (known.kind) {
    case 'task':
      return readTaskFile(path, bytes, zone)
    case 'room':
      return map(readRoom(path, bytes, known.room), (room) => ({ kind: 'room', room }))
    case 'ask':
      return map(readAsk(path, bytes), (ask) => ({ kind: 'ask', ask }))
    case 'inbox':
      return inboxMessage(path, bytes)
    case 'memory':
      return map(readMemory(path, bytes), other)
    case 'schedule':
      return map(readSchedule(path, bytes, cronFields), (schedule) => ({ kind: 'schedule', schedule }))
    case 'member':
      return map(readMember(path, bytes), other)
    case 'agent':
      return map(readAgent(path, bytes), other)
    case 'scope':
      return map(readScope(path, bytes), other)
    case 'skill':
      return map(readSkill(path, bytes), other)
    case 'template':
      return map(readTemplate(path, bytes), other)
    case 'session':
    case 'config':
      return { kind: 'ok', content: { kind: 'other' }, problems: [] }
  }
}

/** Any text is a message; a header may name the sender. An empty file is still being written. */
function inboxMessage(path: string, bytes: Buffer): Reading {
  const read = readDocument(path, bytes)
  if (read.kind === 'unfinished') return read
  if (read.kind === 'bad') return { kind: 'bad', problems: read.problems }
  const from = read.value.data['from']
  const text = read.value.body.trim()
  if (text === '') return { kind: 'unfinished', why: 'the message is empty' }
  const content = { kind: 'inbox', from: typeof from === 'string' ? from : 'human', text } as const
  return { kind: 'ok', content, problems: [] }
}

function readTaskFile(path: string, bytes: Buffer, zone: string): Reading {
  const reading = map(readTask(path, bytes, zone), (task) => ({ kind: 'task', task }))
  if (reading.kind !== 'ok' || reading.content.kind !== 'task') return reading
  const { task } = reading.content
  if (task.worker?.kind !== 'shell') return reading
  const steps = stepsOf(task)
  return 'steps' in steps ? reading : { kind: 'bad', problems: [badStep(path, steps)] }
}

function badStep(file: string, { wrong, line }: { wrong: string; line: number }): Problem {
  const hint = 'Fix the block, or remove it'
  return { file, line, column: 1, severity: 'error', code: 'step', message: wrong, hint }
}

function conflictCopy(file: string): Problem {
  return fileProblem(file, 'warning', {
    code: 'conflict',
    message: 'sync conflict copy; Neo never runs it',
    hint: 'Copy what you need from it, then delete it',
  })
}

function other(): Content {
  return { kind: 'other' }
}

function map<T>(read: Read<T>, make: (value: T) => Content): Reading {
  switch (read.kind) {
    case 'ok':
      return { kind: 'ok', content: make(read.value), problems: read.warnings }
    case 'bad':
      return { kind: 'bad', problems: read.problems }
    case 'unfinished':
      return { kind: 'unfinished', why: read.why }
  }
}
