/**
 * Fields as they are typed on the command line: checked before anything is written.
 */
import type { Task } from '../../domain/task/task.ts'
import { parseWorker } from '../../files/values/header-values.ts'
import { titleLine } from '../../files/kinds/new-task.ts'
import { readTask } from '../../files/kinds/read-task.ts'
import { brokenFile, usage } from '../cli-failure.ts'
import type { Call } from '../spec.ts'

/** A longer title is a text. */
const MOST_LETTERS = 500

export function givenWorker(call: Call): string | null {
  const worker = call.text('worker')
  if (worker !== null && parseWorker(worker) === null)
    throw usage(
      `Cannot take the worker "${worker}": want agent, shell, human, exec:<name> or peer:<agent>`,
      'neo task new --help',
    )
  return worker
}

export function oneLineTitle(title: string): string {
  const line = titleLine(title)
  if (line.length > MOST_LETTERS)
    throw usage(
      `Cannot take the title: it has ${line.length} characters, want at most ${MOST_LETTERS}`,
      'put the rest into the text',
    )
  return line
}

/** What the text would be as a task. Throws NeoError `failed` where it would be none. */
export function readBack(path: string, text: string, zone: string): Task {
  const read = readTask(path, text, zone)
  switch (read.kind) {
    case 'ok':
      return read.value
    case 'bad':
      throw brokenFile('Cannot write the task', read.problems)
    case 'unfinished':
      throw usage(`Cannot write the task: ${read.why}`, 'close what is open, and try again')
  }
}
