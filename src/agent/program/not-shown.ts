/**
 * What a command-line agent did not find in the sandbox though it is there outside, and the setting that shows it.
 */
import { basename, dirname } from 'node:path'
import { below } from '../../domain/agent/confinement.ts'
import type { Run } from '../../runner/run-step.ts'

/** As bwrap, shells, node and most others say it. */
const MISSING = /No such file or directory|not found|ENOENT|Cannot find module/i
const PROGRAM = /^bwrap: execvp (.+): No such file or directory$/m
const ABSOLUTE = /\/[^\s:'"`,;)]+/g
/** Paths of one output that are looked for. */
const MOST_LOOKED = 20

export function notShown({ deps, record }: Run, tail: string): string | null {
  const name = record.worker.replace(/^exec:/, '')
  const [, program] = PROGRAM.exec(tail) ?? []
  const paths = tail
    .split('\n')
    .filter((line) => MISSING.test(line))
    .flatMap((line) => line.match(ABSOLUTE) ?? [])
    .slice(0, MOST_LOOKED)
  const hidden = paths.find(
    (path) =>
      below(deps.dirs.worktree, path) === null &&
      deps.world.files.names(dirname(path)).includes(basename(path)),
  )
  if (hidden === undefined && program === undefined) return null
  const setting = `workers.${name}.read in neo.yaml`
  return hidden === undefined
    ? `The sandbox hides ${program}: add its folder to ${setting}`
    : `The sandbox hides ${hidden}: add it to ${setting}`
}
