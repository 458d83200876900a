/** Checks of `neo doctor` on git, configuration, files, lock and disk. None of them changes anything. */

import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { composeGitCommand } from '../../compose.ts'
import type { HomeConfig } from '../../domain/home/home-config.ts'
import { whereOf } from '../../domain/home/problem.ts'
import { counted } from '../../domain/text/counted.ts'
import { lockOwner } from '../../engine/lock.ts'
import { DOT_ENV } from '../../engine/snapshot/config-keeper.ts'
import type { Files } from '../../ports/files-port.ts'
import { checkHome } from '../config/check-config.ts'
import { readHomeConfig } from '../config/read-config-file.ts'
import { dateText } from '../shown-text.ts'
import type { Env } from '../spec.ts'
import type { Opened } from '../with-world.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

/** The first version with `merge-tree --write-tree` and everything else that Neo uses. */
const GIT_LEAST = [2, 39]
const DISK_LEAST = 500e6

export async function checkGit({ home, world }: Opened, env: Env): Promise<readonly Finding[]> {
  const { gitCommand } = await composeGitCommand()
  const said = /(\d+)\.(\d+)\S*/.exec((await gitCommand(home, ['--version'], env)).out)
  const [major = 0, minor = 0] = [Number(said?.[1]), Number(said?.[2])]
  const isNew = major > (GIT_LEAST[0] ?? 0) || (major === GIT_LEAST[0] && minor >= (GIT_LEAST[1] ?? 0))
  const person = await world.git.person()
  const head = await world.git.head()
  const atWork = await world.git.atWork()
  return [
    ...(atWork === null ? [] : [note('repository', atWork.says)]),
    isNew
      ? ok('git', `version ${said?.[0] ?? ''}`)
      : wrong('git', `version ${said?.[0] ?? 'unknown'}; Neo needs git 2.39 or newer`, 'install a newer git'),
    person.from === 'git'
      ? ok('identity', `${person.name} <${person.email}>`)
      : note(
          'identity',
          `git has no name for you: your commits are by ${person.name} <${person.email}>`,
          'set git config user.name and user.email',
        ),
    ...(await checkSigning(home, world.files, env)),
    head.busy === null
      ? branchFinding(head.branch, readHomeConfig(home, world.files, env))
      : note('repository', `git is busy: ${head.busy}; Neo waits`, 'finish or abort it'),
  ]
}

function branchFinding(branch: string | null, config: ReturnType<typeof readHomeConfig>): Finding {
  const wanted = config.kind === 'ok' ? config.value.daemon.branch : null
  const next = `git switch ${wanted ?? 'main'}`
  if (branch === null) return note('repository', 'HEAD is detached: no task starts', next)
  if (wanted === null || wanted === branch) return ok('repository', `on branch ${branch}`)
  return note('repository', `on branch ${branch}, the home's branch is ${wanted}: no task starts`, next)
}

/** Makes a signature and discards it: only this shows a locked key. */
async function checkSigning(home: string, files: Files, env: Env): Promise<readonly Finding[]> {
  const read = readHomeConfig(home, files, env)
  const sign = read.kind === 'ok' ? read.value.git.sign : 'auto'
  const { trySigning } = await composeGitCommand()
  const tried = sign === 'never' ? null : await trySigning(home, sign === 'required')
  if (tried === null) return []
  if (tried === 'ok') return [ok('signing', 'commits by Neo are signed')]
  const so = sign === 'required' ? 'Neo cannot commit' : 'commits by Neo are not signed'
  const next =
    'unlock the key or correct the git setting; or turn signing off in neo.yaml: git: { sign: never }'
  return [(sign === 'required' ? wrong : note)('signing', `${so}: ${tried}`, next)]
}

export function checkConfig({ home, world }: Opened, env: Env): readonly Finding[] {
  const read = readHomeConfig(home, world.files, env)
  if (read.kind === 'unfinished') return [wrong('neo.yaml', read.why, 'finish the file')]
  if (read.kind === 'bad')
    return read.problems.map((problem) =>
      wrong('neo.yaml', `${whereOf(problem)} ${problem.message}`, problem.hint),
    )
  return [
    ok('neo.yaml', counted(read.warnings.length, 'warning')),
    ...read.warnings.map((problem) => {
      const { file, message, hint } = problem
      return file === DOT_ENV
        ? wrong(file, message, hint)
        : note(file, `${whereOf(problem)} ${message}`, hint)
    }),
    ...checkHosts(read.value),
  ]
}

/** Without daemon.node, the first clone to reach the remote starts work (engine/sync/node.ts). */
function checkHosts({ syncMs, daemon }: HomeConfig): readonly Finding[] {
  if (syncMs === null || daemon.node !== null) return []
  return [
    note(
      'hosts',
      'daemon.sync is set, but not daemon.node: the first clone to reach origin starts work',
      'set daemon.node to choose the machine; neo status shows the current one',
    ),
  ]
}

const SHOWN = 20

export function checkFiles({ home, world }: Opened, env: Env): readonly Finding[] {
  const checked = checkHome(home, world.files, { env, now: world.clock.now() })
  const others = checked.problems.filter(({ file }) => file !== 'neo.yaml')
  const more =
    others.length > SHOWN ? [note('files', `${others.length - SHOWN} more`, 'neo config check')] : []
  const rows = others.slice(0, SHOWN).map((problem) => {
    const { code, severity, message, hint } = problem
    const found = severity === 'error' ? wrong : note
    return found(code === 'id' ? 'ids' : 'files', `${whereOf(problem)} ${message}`, hint || undefined)
  })
  return rows.length === 0 ? [ok('files', `${checked.files} checked, no errors`)] : [...rows, ...more]
}

export function checkLock({ home, world, dir }: Opened): readonly Finding[] {
  const owner = lockOwner(world.git.gitDir, world)
  if (owner !== null)
    return [
      ok(
        'daemon',
        `process ${owner.pid} on ${owner.host}, since ${dateText(owner.at)}, version ${owner.version}`,
      ),
    ]
  const isFree = world.files.read(join(dir, 'lock.json'), 0).kind === 'missing'
  const rest = isFree
    ? ok('daemon', 'not running')
    : note('daemon', 'not running; it was killed. The next daemon takes over its lock.')
  const file = join(home, '.neo', 'daemon.json')
  const left = world.files.read(file, 65_536)
  if (left.kind !== 'file') return [rest]
  const remove = () => world.files.remove(file, world.git.blobId(left.bytes)).kind
  return [
    rest,
    {
      ...note('daemon.json', 'left by a killed daemon'),
      fix: {
        says: 'remove .neo/daemon.json',
        run: () => (remove() === 'saved' ? 'done' : 'not removed: it changed'),
      },
    },
  ]
}

export function checkDisk({ home, world }: Opened, env: Env): readonly Finding[] {
  const { bavail, bsize } = statfsSync(home)
  const free = bavail * bsize
  const read = readHomeConfig(home, world.files, env)
  const limit = read.kind === 'ok' ? read.value.daemon.diskLimitBytes : 0
  const root = join(home, '.neo', 'worktrees')
  const count = world.files.names(root).length
  const used = count === 0 ? 0 : world.files.scan(root, () => true).reduce((sum, { size }) => sum + size, 0)
  return [
    free < DISK_LEAST
      ? wrong('disk', `${sizeText(free)} free`, 'free some disk space')
      : ok('disk', `${sizeText(free)} free`),
    used > limit && limit > 0
      ? wrong(
          'worktrees',
          `${sizeText(used)}, more than daemon.disk_limit (${sizeText(limit)}): no task starts`,
        )
      : ok('worktrees', `${counted(count, 'worktree')}, ${sizeText(used)} of ${sizeText(limit)}`),
  ]
}

export function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`
}
