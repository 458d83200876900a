/** Hooks of a workspace (`hooks: on`) over what a model wrote: confined, or not at all. */
import { chmodSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UNCONFINED } from '../path/confined.ts'
import { until } from '../path/home.ts'
import { checkGround, commitAll, type Ground, makeGround } from './ground.ts'
import { bareWorld, turnsOf } from './unconfined.ts'

interface HookCase {
  readonly name: string
  readonly there: Readonly<Record<string, string>>
  /** Files of the repository's own hooks folder. */
  readonly hooks?: Readonly<Record<string, string>>
  readonly path?: string
  readonly writes: Readonly<Record<string, string>>
}

const HOOKS: readonly HookCase[] = [
  {
    name: 'a hook in the worktree',
    there: { '.husky/pre-commit': '#!/bin/sh\nexit 0\n' },
    path: '.husky',
    writes: { '.husky/pre-commit': '#!/bin/sh\nMARK\n' },
  },
  {
    name: 'husky with a folder of its own',
    there: {
      '.husky/_/pre-commit': '#!/bin/sh\nsh -e .husky/pre-commit\n',
      '.husky/pre-commit': 'exit 0\n',
    },
    path: '.husky/_',
    writes: { '.husky/pre-commit': 'MARK\n' },
  },
  {
    name: "a person's hook that calls the worktree",
    there: { 'lint.sh': 'exit 0\n' },
    hooks: { 'pre-commit': '#!/bin/sh\nsh ./lint.sh\n' },
    writes: { 'lint.sh': 'MARK\n' },
  },
  {
    name: 'a hook over the message',
    there: { 'msg.sh': 'exit 0\n' },
    hooks: { 'commit-msg': '#!/bin/sh\nsh ./msg.sh "$1"\n' },
    writes: { 'msg.sh': 'MARK\n' },
  },
]

describe('hooks of the workspace', () => {
  test.skipIf(UNCONFINED !== null).each(HOOKS)('$name runs confined', async (one) => {
    const ground = await hooked(one)
    const seen = await ground.run()
    checkGround(ground, seen)
    // A hook that is a file of the work waits for a person like everything that runs by itself.
    expect(seen.status).toBe(one.path === undefined ? 'completed' : 'review')
  })

  test.each(HOOKS)('$name does not run without bubblewrap, and the work waits', async (one) => {
    const ground = await hooked(one)
    const watching = ground.home.watch({ world: await bareWorld(ground) })
    await until(() => ground.home.status('t') === 'review')
    await watching.stop()
    expect(existsSync(ground.marker)).toBe(false)
    expect(ground.home.neo('t', 'hold')).toContain('hooks did not run')
  })

  test.skipIf(UNCONFINED !== null)('what a hook changes is committed, and git works in it', async () => {
    const hook =
      '#!/bin/sh\ngit diff --cached --name-only > staged.txt && echo tidy >> a.txt && git add a.txt\n'
    const ground = await hooked({
      name: '',
      there: {},
      hooks: { 'pre-commit': hook },
      writes: { 'a.txt': 'x\n' },
    })
    const seen = await ground.run()
    const at = (name: string) => ground.git(workspaceOf(ground), 'show', `main:${name}`)
    expect([seen.status, at('a.txt'), at('staged.txt')]).toEqual(['completed', 'x\ntidy', 'a.txt'])
  })

  test.skipIf(UNCONFINED !== null)(
    'a hook that refuses sends the agent back, then fails the task',
    async () => {
      const hook = '#!/bin/sh\necho not like this; exit 1\n'
      const ground = await hooked({
        name: '',
        there: {},
        hooks: { 'pre-commit': hook },
        writes: { 'a.txt': 'x\n' },
      })
      const seen = await ground.run()
      expect([seen.status, seen.asked.includes('not like this')]).toEqual(['failed', true])
    },
  )
})

async function hooked({ name, there, hooks = {}, path, writes }: HookCase): Promise<Ground> {
  return makeGround(
    {
      name,
      room: (ground) => [`workspace: ${workspaceOf(ground)}`, 'hooks: on'],
      given: (ground) => {
        const dir = workspaceOf(ground)
        ground.put(join(dir, 'README.md'), 'Files.\n')
        for (const [file, text] of Object.entries(there)) {
          ground.put(join(dir, file), text)
          chmodSync(join(dir, file), 0o755)
        }
        commitAll(dir)
        for (const [file, text] of Object.entries(hooks)) {
          ground.put(join(dir, '.git/hooks', file), text)
          chmodSync(join(dir, '.git/hooks', file), 0o755)
        }
        if (path !== undefined) ground.git(dir, 'config', 'core.hooksPath', path)
      },
      turns: turnsOf(writes),
    },
    'with',
  )
}

function workspaceOf({ top }: Ground): string {
  return join(top, 'work')
}
