/**
 * The ground of the rows of git state: a home, a session's worktree in it, a repository of somebody else, and a program
 * that leaves a marker wherever git runs it. Gives what an attack is made of, and what Neo does with a session's work.
 */
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  type Bench,
  commitSession,
  gitIn,
  openBench,
  PERSON,
  placeIn,
  put,
  words,
} from '../adapters/git/repo.ts'
import { beginRepository } from '../repository.ts'

export const FOLDER = 'workspace/files'

export interface GitGround {
  readonly bench: Bench
  readonly marker: string
  readonly trap: string
  readonly victim: string
}

export async function openGitGround(): Promise<GitGround> {
  const bench = await openBench({
    '.gitignore': '.neo/\n',
    'neo.yaml': 'x\n',
    'workspace/files/a.txt': 'a\n',
    'workspace/files/sub/b.txt': 'b\n',
  })
  const marker = join(bench.root, 'ESCAPED')
  const trap = join(bench.root, 'trap.sh')
  writeFileSync(trap, `#!/bin/sh\ntouch "${marker}"\ncat\n`)
  chmodSync(trap, 0o755)
  const victim = join(bench.root, 'victim')
  mkdirSync(victim)
  put(victim, 'v.txt', 'v\n')
  beginRepository(victim, { ...PERSON, message: 'v', settings: '' })
  return { bench, marker, trap, victim }
}

/** A configuration by which git runs the trap at nearly every command. */
export function armed({ bench, trap }: GitGround, name = 'evil'): string {
  return [
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${trap}\n\thooksPath = ${bench.root}`,
    `[filter "${name}"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\tprocess = ${trap}`,
    `[diff]\n\texternal = ${trap}\n[diff "${name}"]\n\ttextconv = ${trap}\n[merge "${name}"]\n\tdriver = ${trap} %A`,
    `[include]\n\tpath = ${bench.root}/more\n[alias]\n\tadd = !${trap}\n[gpg]\n\tprogram = ${trap}\n`,
  ].join('\n')
}

/** A repository with an armed configuration, as `git init` and a commit leave it. */
export function nested(ground: GitGround, dir: string, at = '.git'): void {
  mkdirSync(dir, { recursive: true })
  gitIn(dir, 'init', '-q', '-b', 'main')
  put(dir, 'in.txt', 'in\n')
  gitIn(dir, 'add', 'in.txt')
  gitIn(dir, 'commit', '-qm', 'in')
  appendFileSync(join(dir, '.git/config'), armed(ground))
  put(dir, 'in.txt', 'changed\n')
  if (at !== '.git') renameSync(join(dir, '.git'), join(dir, at))
}

/** The files of a bare repository, as plain writes make them. */
export function bareFiles(ground: GitGround, dir: string): void {
  put(dir, 'HEAD', 'ref: refs/heads/main\n')
  put(dir, 'objects/k', 'x')
  put(dir, 'refs/k', 'x')
  put(dir, 'config', armed(ground))
}

/** What Neo does after the commit: a second round, diff, merge, letting go, clearing away. */
export async function everythingElse({ bench }: GitGround, dir: string): Promise<void> {
  const ws = join(dir, FOLDER)
  const place = placeIn(bench, FOLDER)
  put(ws, 'again.txt', 'again\n')
  await commitSession(bench, { dir, place })
  await bench.git.diff(place, 'neo/one')
  await bench.git.changedPaths(place, 'neo/one')
  expect((await bench.git.merge(place, 'neo/one', words)).kind).toBe('merged')
  // The workspace of the next session holds what this one has committed.
  expect(await bench.git.place(FOLDER, null)).toMatchObject({ repository: bench.home, folder: FOLDER })
  await bench.git.branchState(place, 'neo/one')
  await bench.git.detachWorktree(place, dir)
  await bench.git.reuseWorktree({ place, dir, branch: 'neo/two', from: 'main' })
  const removed = await bench.git.removeWorktree(place, dir)
  if (removed.kind === 'kept') expect(existsSync(join(ws, 'ok.txt'))).toBe(true)
}

/** All that the other repository and the home's configuration hold. */
export function prints({ bench, victim }: GitGround): unknown {
  const files = readdirSync(victim, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return [...files, join(bench.home, '.git/config')]
    .sort()
    .map((path) => [path, readFileSync(path, 'latin1')])
}
