/**
 * The runbook in the body of a task: its fenced `sh`, `shell` and `bash` blocks, in order. Invariant 1: if any word
 * of a block's first line isn't understood, there are no steps at all: half a runbook never runs.
 */
import type { Step } from '../../domain/session/session.ts'
import type { Task } from '../../domain/task/task.ts'
import { durationMs } from '../values/duration.ts'
import { type Block, scanBody } from './markdown.ts'
import { nearest } from '../values/suggest.ts'

export type Steps =
  | {
      readonly steps: readonly Step[]
      /** Descriptions of blocks that look like commands and don't run. */
      readonly skipped: readonly string[]
    }
  | { readonly wrong: string; readonly line: number }

/** By the word after the fence, in any case. */
const SHELLS: Readonly<Record<string, 'sh' | 'bash'>> = { sh: 'sh', shell: 'sh', bash: 'bash' }
/** These don't run: such blocks contain prompts and output, or another language. */
const COMMANDS =
  /^(?:zsh|fish|ksh|dash|csh|tcsh|console|terminal|cli|commands?|cmd|bat(?:ch)?|dosbatch|powershell|pwsh|ps1|(?:sh|bash|shell)-?session|nu(?:shell)?)$/i
const WORDS = ['name', 'timeout', 'continue_on_error']
/** `key`, `key=value`, `key="a value"`. */
const WORD = /([^\s="']+)(?:=(?:"([^"]*)"|'([^']*)'|([^\s"']*)))?(?=\s|$)/y

/** The steps of a task, in order. A step without a name is called `step <n>`. */
export function stepsOf(task: Pick<Task, 'body' | 'bodyLine'>): Steps {
  const steps: Step[] = []
  const skipped: string[] = []
  for (const block of scanBody(task.body).blocks) {
    const line = task.bodyLine + block.from
    if (!block.isClosed)
      return { wrong: 'The code fence is not closed, want a line of the same marks below it', line }
    const shell = shellOf(block)
    const word = wordOf(block)
    if (shell === null) {
      if (COMMANDS.test(word)) skipped.push(`the ${word} block in line ${line}`)
      continue
    }
    const read = attributesOf(block.info.slice(word.length))
    if ('wrong' in read) return { wrong: read.wrong, line }
    const { name, ...more } = read
    const script = block.lines.map((text) => `${text}\n`).join('')
    steps.push({ shell, name: name ?? `step ${steps.length + 1}`, script, ...more, line })
  }
  return { steps, skipped }
}

/** True for a body with a block that runs with the worker `shell`. */
export function hasSteps(body: string): boolean {
  return scanBody(body).blocks.some((block) => shellOf(block) !== null)
}

export function shellOf(block: Pick<Block, 'info'>): 'sh' | 'bash' | null {
  const word = wordOf(block).toLowerCase()
  return Object.hasOwn(SHELLS, word) ? (SHELLS[word] ?? null) : null
}

/** The languages of blocks that don't run. */
export function languagesIn(body: string): readonly string[] {
  return [...new Set(scanBody(body).blocks.map(wordOf))].filter((word) => word !== '')
}

function wordOf({ info }: Pick<Block, 'info'>): string {
  return /^[^\s{]*/.exec(info)?.[0] ?? ''
}

type Attributes = Pick<Step, 'timeoutMs' | 'continueOnError'> & { readonly name?: string }

function attributesOf(info: string): Attributes | { readonly wrong: string } {
  let read: Attributes = { continueOnError: 'no' }
  for (let at = skipBlanks(info, 0); at < info.length; at = skipBlanks(info, WORD.lastIndex)) {
    WORD.lastIndex = at
    const match = WORD.exec(info)
    if (match === null)
      return {
        wrong: `invalid block attribute ${JSON.stringify(info.slice(at))}; use key=value or key="a value"`,
      }
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
        ? { wrong: 'name is empty; use a name such as name=build' }
        : { name: value }
    case 'timeout': {
      const timeoutMs = durationMs(value ?? '')
      if (timeoutMs === null || timeoutMs === 0)
        return { wrong: `timeout: invalid value "${value ?? ''}"; use a duration such as 30s, 5m or 2h` }
      return { timeoutMs }
    }
    case 'continue_on_error':
      return continueOn(value ?? 'true')
    default: {
      const meant = nearest(key, WORDS)
      return {
        wrong: `unknown block attribute "${key}"; ${meant === null ? `use ${WORDS.join(', ')}` : `did you mean "${meant}"?`}`,
      }
    }
  }
}

function continueOn(value: string): Partial<Attributes> | { readonly wrong: string } {
  if (value === 'true' || value === 'yes') return { continueOnError: 'yes' }
  if (value === 'false' || value === 'no') return { continueOnError: 'no' }
  return { wrong: `continue_on_error: invalid value "${value}"; use true or false` }
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}
