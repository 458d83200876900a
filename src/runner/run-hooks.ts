/**
 * Hooks of the repository (`hooks: on`): pre-commit and commit-msg, run as commands of the session over the commit of
 * its work. Git itself is never let run them. What they change in the worktree is the caller's to commit. Invariant 1:
 * over a model's work they run confined or not at all: a hook runs files that a model wrote. Invariant 2: they meet a
 * git folder of their own, with the commit staged over its parent: git works in it as in a commit of the user, and the
 * repository's own index, refs and configuration stay as they are.
 */
import { join } from 'node:path'
import { confineHooks } from '../agent/approvals/confiner.ts'
import { shellWord } from '../domain/text/shell-word.ts'
import { type Committed, commitWork, isOfModel, wordsOf } from './commit-work.ts'
import { inOrder } from './phase.ts'
import { commonDir } from './repository-watch.ts'
import type { Run } from './run-step.ts'
import type { Command, Confine } from './step-command.ts'

export type Hooked =
  | { readonly kind: 'passed'; readonly committed: Committed }
  | { readonly kind: 'refused'; readonly error: string; readonly tail: string }
  /** The room wants them, and they did not run. */
  | { readonly kind: 'skipped'; readonly why: string }
  | { readonly kind: 'left' }
  | { readonly kind: 'stopped'; readonly why: string }

const HOOKS = ['pre-commit', 'commit-msg'] as const
/** As 12-cases, C27: hooks end within a minute. */
const HOOK_MS = 60_000
/** The exit code of our own lines before a hook: git does not work there. */
const NOT_READY = 97

/** Runs the hooks over the commit of this round. Commits once more what they have changed. */
export async function hookWork(run: Run, committed: Committed, round: number): Promise<Hooked> {
  const { record, deps } = run
  if (record.hooks === 'off' || committed.kind !== 'ok' || !committed.changed)
    return { kind: 'passed', committed }
  const hooks = await deps.world.git.hooksDir(record.place, deps.dirs.worktree)
  const named = deps.world.files.names(hooks)
  const wanted = HOOKS.filter((name) => named.includes(name))
  const common = commonDir(deps.world, deps.dirs.worktree)
  if (wanted.length === 0 || common === null) return { kind: 'passed', committed }
  const git = join(deps.dirs.session, 'hooks', `git-${round}`)
  makeGitDir(run, { git, common, commit: committed.commit })
  const confine = isOfModel(record) ? await confineHooks(run, { git, hooks }) : undefined
  if (confine === null) return { kind: 'skipped', why: 'there is no sandbox' }
  const commands = wanted.map((name, index) =>
    commandOf(run, name, { index, of: wanted.length, round, hooks, git, commit: committed.commit, confine }),
  )
  const ran = await inOrder(run, commands, 'hook')
  const { ending } = ran
  if (ending.kind === 'left') return { kind: 'left' }
  if (ending.kind === 'stopped') return ending
  if (ending.kind === 'passed')
    return { kind: 'passed', committed: await commitWork(run, 'do', `hooks-${round}`) }
  if (ran.results.at(-1)?.exitCode === NOT_READY)
    return { kind: 'skipped', why: 'git does not work in the sandbox' }
  return { kind: 'refused', error: ending.error, tail: ending.kind === 'failed' ? ending.tail : '' }
}

interface HookOf {
  readonly index: number
  readonly of: number
  readonly round: number
  readonly hooks: string
  readonly git: string
  readonly commit: string
  readonly confine: Confine | undefined
}

function commandOf({ record, deps }: Run, name: (typeof HOOKS)[number], of: HookOf): Command {
  const hook = join(of.hooks, name)
  const lines = [
    `export GIT_DIR=${shellWord(of.git)} GIT_WORK_TREE=${shellWord(deps.dirs.worktree)}`,
    `cd ${shellWord(deps.dirs.worktree)} || exit ${NOT_READY}`,
    `git update-ref ${shellWord(`refs/heads/${record.branch}`)} '${of.commit}^' || exit ${NOT_READY}`,
    `git read-tree '${of.commit}' || exit ${NOT_READY}`,
    'git update-index -q --refresh || :',
    `export GIT_INDEX_FILE=${shellWord(join(of.git, 'index'))}`,
    // As git has it: a file that cannot be executed is no hook.
    `test -f ${shellWord(hook)} || exit ${NOT_READY}`,
    `test -x ${shellWord(hook)} || exit 0`,
    `exec ${shellWord(hook)}${name === 'commit-msg' ? ` ${shellWord(join(of.git, 'COMMIT_EDITMSG'))}` : ''}`,
  ]
  return {
    key: `hook-${name}${of.round === 0 ? '' : `-round-${of.round}`}`,
    kind: 'hook',
    index: of.index,
    of: of.of,
    name,
    title: `Hook "${name}"`,
    text: lines.join('\n'),
    shell: 'line',
    timeoutMs: HOOK_MS,
    continueOnError: 'no',
    ...(of.confine === undefined ? {} : { confine: of.confine }),
  }
}

/** Empty but for what it borrows: objects of the repository, and a user name for `git stash`. */
function makeGitDir(
  run: Run,
  { git, common, commit }: { readonly git: string; readonly common: string; readonly commit: string },
): void {
  const { record, deps } = run
  const { files } = deps.world
  const put = (name: string, text: string) => {
    const path = join(git, name)
    if (files.read(path, 1).kind === 'missing') files.save(path, Buffer.from(text), null)
  }
  const words = wordsOf(record, 'do')
  put('HEAD', `ref: refs/heads/${record.branch}\n`)
  put('config', CONFIG)
  put('objects/info/alternates', `${join(common, 'objects')}\n`)
  put(`refs/heads/${record.branch}`, `${commit}\n`)
  put(
    'COMMIT_EDITMSG',
    `${words.subject}\n\n${words.trailers.map(([key, value]) => `${key}: ${value}`).join('\n')}\n`,
  )
}

const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tfsmonitor = false\n[user]\n\tname = Neo\n\temail = neo@localhost\n'
