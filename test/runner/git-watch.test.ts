/** A command that changes the repository's own configuration or hooks is noticed, in a worktree too. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import { commonDir, differences, gitConfigState } from '../../src/runner/repository-watch.ts'
import type { World } from '../../src/ports/world.ts'

const files = openFiles()
const blobId = (bytes: Buffer) => bytes.toString('hex')
const look = (worktree: string) =>
  gitConfigState({ files, git: { blobId } } as Pick<World, 'files' | 'git'>, worktree)

/** A repository and a worktree of it, as git lays them out. */
function worktree(): { readonly root: string; readonly at: string; write(path: string, text: string): void } {
  const root = mkdtempSync(join(tmpdir(), 'neo-watch-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('repo/.git/config', '[core]\n')
  write('repo/.git/hooks/pre-commit.sample', '#!/bin/sh\n')
  write('repo/.git/worktrees/w/commondir', '../..\n')
  write('work/.git', `gitdir: ${join(root, 'repo/.git/worktrees/w')}\n`)
  return { root, at: join(root, 'work'), write }
}

test('commonDir() is the folder of the repository, also by a relative pointer, and null without one', () => {
  const { root, at, write } = worktree()
  expect(commonDir({ files }, at)).toBe(join(root, 'repo/.git'))
  write('work/.git', 'gitdir: ../repo/.git/worktrees/w\n')
  expect(commonDir({ files }, at)).toBe(join(root, 'repo/.git'))
  expect(commonDir({ files }, root)).toBeNull()
})

test('gitConfigState() has configuration and hooks, without samples, and is empty for no worktree', () => {
  const { root, at, write } = worktree()
  expect(Object.keys(look(at))).toEqual(['config'])
  write('repo/.git/hooks/pre-push', 'x')
  write('repo/.git/config.worktree', 'x')
  expect(Object.keys(look(at)).toSorted()).toEqual(['config', 'config.worktree', 'hooks/pre-push'])
  expect(look(root)).toEqual({})
})

test.each<[string, (of: ReturnType<typeof worktree>) => void, readonly string[]]>([
  ['nothing', () => {}, []],
  ['the configuration', ({ write }) => write('repo/.git/config', '[core]\n\tfsmonitor = x\n'), ['config']],
  ['a new hook', ({ write }) => write('repo/.git/hooks/post-merge', 'x'), ['hooks/post-merge']],
  ['a deleted configuration', ({ root }) => rmSync(join(root, 'repo/.git/config')), ['config']],
  [
    'a folder in place of a file',
    ({ root }) => mkdirSync(join(root, 'repo/.git/config.worktree')),
    ['config.worktree'],
  ],
  ['only its mode', ({ root }) => chmodSync(join(root, 'repo/.git/config'), 0o600), []],
])('differences() after a command that changed %s', (_what, change, names) => {
  const made = worktree()
  const before = look(made.at)
  change(made)
  expect(differences(before, look(made.at))).toEqual(names)
})
