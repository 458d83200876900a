/** One line for a person about how commands ended. Pure. */
import { stripVTControlCharacters } from 'node:util'
import type { CommandResult } from '../domain/session/session.ts'
import type { Command } from './step-command.ts'
import { counted } from '../domain/text/counted.ts'

/** Longer last lines are noise in a result, and are cut in an error. */
const RESULT_CHARS = 80
const ERROR_CHARS = 160
const CONTROLS = /\p{Cc}+/gu

/** `Step "build" (line 12) ended with exit code 3: cannot find module x` */
export function failureText(command: Command, result: CommandResult, limits: { output: number }): string {
  const last = lastLine(result.tail)
  return `${command.title} ${howEnded(command, result, limits)}${last === '' ? '' : `: ${cut(last, ERROR_CHARS)}`}`
}

/** `3 steps and 1 check passed: deployed to staging` */
export function successText(steps: readonly CommandResult[], checks: readonly CommandResult[]): string {
  const passed = steps.filter((step) => step.exitCode === 0).length
  const all =
    steps.length === passed ? counted(passed, 'step') : `${passed} of ${counted(steps.length, 'step')}`
  const last = lastLine(steps.at(-1)?.tail ?? '')
  const also = checks.length === 0 ? '' : ` and ${counted(checks.length, 'check')}`
  return `${all}${also} passed${last === '' || last.length > RESULT_CHARS ? '' : `: ${last}`}`
}

/** `2 of 3 checks failed: Check "npm test" ended with exit code 1` */
export function checksText(checks: readonly CommandResult[], first: string): string {
  const red = checks.filter((check) => check.exitCode !== 0).length
  return red === 1 ? first : `${red} of ${counted(checks.length, 'check')} failed: ${first}`
}

/** `step 2 of 3: build`; without a name if it has none of its own. */
export function placeText(
  kind: string,
  { at, of, name }: { readonly at: number; readonly of: number; readonly name: string },
): string {
  const where = `${kind} ${at} of ${of}`
  return name === '' || name === `step ${at}` ? where : `${where}: ${name}`
}

/** Minutes, seconds: `90s`, `30m`. */
export function durationText(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000}h`
  if (ms % 60_000 === 0) return `${ms / 60_000}m`
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}

/** The last line with something on it, without escapes. */
export function lastLine(output: string): string {
  const lines = stripVTControlCharacters(output).split(/[\r\n]+/)
  return (lines.findLast((line) => line.trim() !== '') ?? '').replace(CONTROLS, ' ').trim()
}

function howEnded(command: Command, result: CommandResult, limits: { output: number }): string {
  switch (result.ended) {
    case 'exit':
      return `ended with exit code ${result.exitCode}`
    case 'timeout':
      return command.timeoutMs === null ? 'timed out' : `timed out after ${durationText(command.timeoutMs)}`
    case 'output-limit':
      return `wrote more than ${limits.output / 1024 / 1024} MiB of output`
    case 'stopped':
      return 'was stopped'
  }
}

function cut(text: string, chars: number): string {
  const all = Array.from(text)
  return all.length <= chars ? text : `${all.slice(0, chars - 1).join('')}…`
}
