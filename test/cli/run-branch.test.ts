/** neo run and other commands where HEAD is not on the home's branch, and in clones as CI makes them. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Home, makeHome, neo, RUNBOOK, temporary } from './program.ts'

const FILES = { 'rooms/shop/tasks/a.md': RUNBOOK }

const AWAY: Readonly<Record<string, { go: (home: Home) => void; says: RegExp }>> = {
  'a detached HEAD': {
    go: ({ git }) => void git('checkout', '-q', '--detach'),
    says: /HEAD is detached[\s\S]*git checkout -B main/,
  },
  'another branch': {
    go: ({ git }) => void git('checkout', '-q', '-b', 'feature'),
    says: /HEAD is on feature[\s\S]*NEO_DAEMON__BRANCH/,
  },
  'a rebase that is not finished': {
    go: ({ git, put }) => {
      git('checkout', '-q', '-b', 'side')
      put('one.txt', 'side\n')
      git('add', '-A')
      git('commit', '-q', '-m', 'side')
      git('checkout', '-q', 'main')
      put('one.txt', 'main\n')
      git('add', '-A')
      git('commit', '-q', '-m', 'main')
      try {
        git('rebase', 'side')
      } catch {
        // The conflict is what is wanted.
      }
    },
    says: /rebase[\s\S]*finish or abort/,
  },
}

test.each(Object.entries(AWAY))(
  'run refuses %s with 2, says how to go on, and runs nothing',
  async (_, { go, says }) => {
    const home = makeHome(FILES)
    go(home)
    const { code, err } = await home.neo('run')
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(says) })
    expect(home.git('log', '--all', '--format=%an')).not.toContain('Neo')
  },
)

const NEXT: Readonly<Record<string, string>> = {
  'a detached HEAD': 'git switch main, then retry',
  'another branch': 'git switch main, then retry',
  'a rebase that is not finished': 'finish or abort it, then retry',
}

test.each(Object.entries(AWAY))(
  'at %s, commands show the files as they are, and change nothing',
  async (name, { go }) => {
    const home = makeHome({
      ...FILES,
      'rooms/shop/asks/a-qqqqqq.md':
        '---\nkind: question\nreason: Which one?\nneo: { id: a-qqqqqq, created_at: 2026-03-01T09:00:00Z }\n---\nWhich one?\n\n## Answer\n',
    })
    go(home)
    expect((await home.neo('ask', 'list')).out).toContain('Which one?')
    expect((await home.neo('doctor')).out).toMatch(/repository +note/)
    expect((await home.neo('status')).out).toMatch(/^Needs you\ngit +nothing starts[\s\S]*Which one\?/)
    for (const typed of [
      'task edit shop/a --title B',
      'task cancel shop/a',
      'task new --room shop B',
      'room pause shop',
    ]) {
      const { code, err } = await home.neo(...typed.split(' '))
      expect({ typed, code, err }).toEqual({ typed, code: 1, err: expect.stringContaining(NEXT[name] ?? '') })
      expect(err).toContain('Cannot change the home now')
    }
    expect(home.git('log', '--all', '--format=%s')).not.toMatch(/^neo\(/m)
  },
)

describe('in CI', () => {
  function clone(home: Home, ...how: string[]): { dir: string; git: (...args: string[]) => void } {
    const dir = join(temporary(), 'clone')
    execFileSync('git', ['clone', '-q', ...how, `file://${home.dir}`, dir], { stdio: 'pipe' })
    return { dir, git: (...args) => void execFileSync('git', args, { cwd: dir, stdio: 'pipe' }) }
  }

  test('a shallow clone runs', async () => {
    const { dir } = clone(makeHome(FILES), '--depth', '1')
    expect((await neo(['run', '--home', dir])).code).toBe(0)
    expect(execFileSync('git', ['log', '-1', '--format=%s'], { cwd: dir, encoding: 'utf8' })).toMatch(
      /complete|a/,
    )
  })

  test('a commit that was checked out by its id runs after git checkout -B main', async () => {
    const { dir, git } = clone(makeHome(FILES))
    git('checkout', '-q', '--detach')
    git('checkout', '-q', '-B', 'main')
    expect((await neo(['run', '--home', dir])).code).toBe(0)
  })

  test('another branch runs where NEO_DAEMON__BRANCH names it', async () => {
    const { dir, git } = clone(makeHome(FILES))
    git('checkout', '-q', '-b', 'ci')
    expect((await neo(['run', '--home', dir], { env: { NEO_DAEMON__BRANCH: 'ci' } })).code).toBe(0)
    expect(execFileSync('git', ['show', 'ci:rooms/shop/tasks/a.md'], { cwd: dir, encoding: 'utf8' })).toMatch(
      /^status: completed$/m,
    )
  })
})
