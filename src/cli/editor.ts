/**
 * Opens a file in the user's editor and waits until it is closed. As for git, `$VISUAL` or `$EDITOR` is a command line.
 * Throws NeoError `usage` without a terminal or an editor, `failed` if the editor fails.
 */
import { spawnSync } from 'node:child_process'
import { NeoError } from '../domain/home/error.ts'
import { usage } from './cli-failure.ts'
import type { Call } from './spec.ts'

export interface InEditor {
  readonly file: string
  /** For messages, such as `the task`. */
  readonly what: string
  /** A command that works without an editor. */
  readonly next: string
}

export function inEditor(call: Call, { file, what, next }: InEditor): void {
  const { env, stdin } = call.around
  const editor = env['VISUAL'] || env['EDITOR'] || ''
  if (editor === '' || stdin.isTTY !== true || !call.out.isTerminal)
    throw usage(`Cannot edit ${what}: no field was given, and there is no terminal with $EDITOR`, next)
  const ended = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  if (ended.status !== 0)
    throw new NeoError(
      'failed',
      `Cannot edit ${what}: the editor "${editor}" failed (${ended.status ?? ended.signal ?? 'no exit code'})`,
    )
}
