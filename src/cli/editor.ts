/**
 * A file of the home in the person's own editor, until it is closed. As git does it: `$VISUAL` or `$EDITOR` is a command
 * line of the person's. Throws NeoError `usage` without a terminal or an editor, `failed` where the editor fails.
 */
import { spawnSync } from 'node:child_process'
import { NeoError } from '../domain/home/error.ts'
import { usage } from './cli-failure.ts'
import type { Call } from './spec.ts'

export interface InEditor {
  readonly file: string
  /** For messages: `the task`. */
  readonly what: string
  /** A command that helps where there is no editor. */
  readonly next: string
}

export function inEditor(call: Call, { file, what, next }: InEditor): void {
  const { env, stdin } = call.around
  const editor = env['VISUAL'] || env['EDITOR'] || ''
  if (editor === '' || stdin.isTTY !== true || call.out.isTerminal === 'no')
    throw usage(`Cannot edit ${what}: neither a field was said nor is there a terminal with $EDITOR`, next)
  const ended = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  if (ended.status !== 0)
    throw new NeoError(
      'failed',
      `Cannot edit ${what}: the editor "${editor}" ended with ${ended.status ?? ended.signal ?? 'no code'}`,
    )
}
