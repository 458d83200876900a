/**
 * The runbook in a task's body: its fenced `sh` and `bash` blocks, in order, and the checklist.
 * Takes a task; gives steps, or what is wrong with a block and where.
 * Leaves to markdown.ts: finding blocks. Leaves to work/: running them.
 * Invariant 1: a block that is not understood to its last word gives no steps at all: half a runbook never runs.
 */
import type { Step } from '../core/model/session.ts'
import type { Task } from '../core/model/task.ts'
import { durationMs } from './duration.ts'
import { type Block, countBoxes, scanBody } from './markdown.ts'
import { nearest } from './suggest.ts'

export type Steps = { readonly steps: readonly Step[] } | { readonly wrong: string; readonly line: number }

const SHELLS = ['sh', 'bash'] as const
const WORDS = ['name', 'timeout', 'continue_on_error']
/** `key`, `key=value`, `key="a value"`. */
const WORD = /([^\s="']+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"']*)))?(?=\s|$)/y

/** The steps of a task, in order. A step without a name is called `step <n>`. */
export function stepsOf(task: Pick<Task, 'body' | 'bodyLine'>): Steps {
  const steps: Step[] = []
  for (const block of scanBody(task.body).blocks) {
    const line = task.bodyLine + block.from
    if (block.closed === 'no')
      return { wrong: 'The code fence is not closed, want a line of the same marks below it', line }
    const shell = shellOf(block)
    if (shell === null) continue
    const read = attributesOf(block.info.slice(shell.length))
    if ('wrong' in read) return { wrong: read.wrong, line }
    const { name, ...more } = read
    const script = block.lines.map((text) => `${text}\n`).join('')
    steps.push({ shell, name: name ?? `step ${steps.length + 1}`, script, ...more, line })
  }
  return { steps }
}

/** True for a body with a block that runs where the worker is a shell. */
export function hasSteps(body: string): boolean {
  return scanBody(body).blocks.some((block) => shellOf(block) !== null)
}

/** How many boxes of a body's checklist are ticked. */
export function checklistOf(body: string): { done: number; total: number } {
  return countBoxes(body)
}

/** True where a block is one that runs. */
export function shellOf(block: Pick<Block, 'info'>): (typeof SHELLS)[number] | null {
  const word = /^[^\s{]*/.exec(block.info)?.[0]
  return SHELLS.find((shell) => shell === word) ?? null
}

type Attributes = Pick<Step, 'timeoutMs' | 'continueOnError'> & { readonly name?: string }

function attributesOf(info: string): Attributes | { readonly wrong: string } {
  let read: Attributes = { continueOnError: 'no' }
  for (let at = skipBlanks(info, 0); at < info.length; at = skipBlanks(info, WORD.lastIndex)) {
    WORD.lastIndex = at
    const match = WORD.exec(info)
    if (match === null)
      return { wrong: `The block has ${JSON.stringify(info.slice(at))}, want key=value or key="a value"` }
    const next = attribute(match[1] ?? '', match[2] ?? match[3] ?? match[4])
    if ('wrong' in next) return next
    read = { ...read, ...next }
  }
  return read
}

function attribute(key: string, value: string | undefined): Partial<Attributes> | { readonly wrong: string } {
  switch (key) {
    case 'name':
      return value === undefined || value.trim() === ''
        ? { wrong: 'name is empty, want name=build' }
        : { name: value }
    case 'timeout': {
      const timeoutMs = durationMs(value ?? '')
      if (timeoutMs === null || timeoutMs === 0)
        return { wrong: `timeout is "${value ?? ''}", want a duration such as 30s, 5m or 2h` }
      return { timeoutMs }
    }
    case 'continue_on_error':
      return continueOn(value ?? 'true')
    default: {
      const meant = nearest(key, WORDS)
      return {
        wrong: `The block has "${key}", want ${meant === null ? `one of ${WORDS.join(', ')}` : meant}`,
      }
    }
  }
}

function continueOn(value: string): Partial<Attributes> | { readonly wrong: string } {
  if (value === 'true' || value === 'yes') return { continueOnError: 'yes' }
  if (value === 'false' || value === 'no') return { continueOnError: 'no' }
  return { wrong: `continue_on_error is "${value}", want true or false` }
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}
