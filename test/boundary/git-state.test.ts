/**
 * Git state that a model can write in its worktree: whatever it is, no git process of ours runs its programs, writes through
 * it, or takes it for a repository. Files are written directly, as by a command without a sandbox.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commitSession, openSession, placeIn, put } from '../adapters/git/repo.ts'
import {
  bareFiles,
  everythingElse,
  FOLDER,
  type GitGround,
  nested,
  openGitGround,
  prints,
} from './git-ground.ts'

let ground: GitGround
beforeEach(async () => {
  ground = await openGitGround()
})
afterEach(() => ground.bench.close())

type Row = readonly [
  name: string,
  attack: (ws: string, dir: string, ground: GitGround) => void,
  more?: Wanted,
]
interface Wanted {
  /** A path that is committed as the file it is. */
  readonly committed?: string
  /** A path that is left out, named, and kept. */
  readonly named?: string
}

const ROWS: readonly Row[] = [
  ['a bare repository in the workspace', (ws, _, ground) => bareFiles(ground, ws), { committed: 'config' }],
  [
    'a bare repository in a subfolder',
    (ws, _, ground) => bareFiles(ground, join(ws, 'sub')),
    { committed: 'sub/objects/k' },
  ],
  [
    'a bare repository at the top of the worktree',
    (_, dir, ground) => bareFiles(ground, dir),
    { named: 'config' },
  ],
  [
    'a bare repository that names alternates',
    (ws, _, ground) => {
      bareFiles(ground, ws)
      put(ws, 'objects/info/alternates', `${ground.victim}/.git/objects\n`)
    },
    { committed: 'objects/info/alternates' },
  ],
  [
    'a commondir file in a bare repository',
    (ws, _, ground) => {
      bareFiles(ground, ws)
      put(ws, 'commondir', `${ground.victim}/.git\n`)
    },
    { committed: 'commondir' },
  ],
  ['a nested repository', (ws, _, ground) => nested(ground, join(ws, 'n')), { named: 'n' }],
  [
    'a nested repository deep in new folders',
    (ws, _, ground) => nested(ground, join(ws, 'x/y/z')),
    { named: 'x/y/z' },
  ],
  [
    'a repository around files of ours',
    (ws, _, ground) => nested(ground, join(ws, 'sub')),
    { named: 'sub/.git', committed: 'sub/in.txt' },
  ],
  ['a repository in the workspace itself', (ws, _, ground) => nested(ground, ws), { named: '.git' }],
  [
    'a git dir by another name',
    (ws, _, ground) => nested(ground, join(ws, 'n'), 'git'),
    { committed: 'n/git/config' },
  ],
  [
    'a .git folder in capitals',
    (ws, _, ground) => nested(ground, join(ws, 'n'), '.GIT'),
    { named: 'n/.GIT/config' },
  ],
  [
    'a .git file that points to another repository',
    (ws, _, ground) => put(ws, 'n/.git', `gitdir: ${ground.victim}/.git\n`),
  ],
  [
    'a .git file in the workspace',
    (ws, _, ground) => put(ws, '.git', `gitdir: ${ground.victim}/.git\n`),
    { named: '.git' },
  ],
  [
    'a .git file at the top that points elsewhere',
    (_, dir, ground) => put(dir, '.git', `gitdir: ${ground.victim}/.git\n`),
    { named: '.git' },
  ],
  [
    'a .git link at the top',
    (_, dir, ground) => {
      rmSync(join(dir, '.git'))
      symlinkSync(join(ground.victim, '.git'), join(dir, '.git'))
    },
    { named: '.git' },
  ],
  [
    'a repository at the top of the worktree',
    (_, dir, ground) => {
      rmSync(join(dir, '.git'))
      nested(ground, dir)
    },
    { named: '.git' },
  ],
  ['no .git at all', (_, dir, _ground) => rmSync(join(dir, '.git'))],
  [
    'a .git link in a folder',
    (ws, _, ground) => {
      mkdirSync(join(ws, 'n'))
      symlinkSync(join(ground.victim, '.git'), join(ws, 'n/.git'))
      put(ws, 'n/x.txt', 'x')
    },
  ],
  [
    'an index that is a link',
    (ws, _, ground) => {
      nested(ground, join(ws, 'n'))
      rmSync(join(ws, 'n/.git/index'))
      symlinkSync(join(ground.victim, '.git/index'), join(ws, 'n/.git/index'))
    },
    { named: 'n' },
  ],
  [
    'objects that are a link',
    (ws, _, ground) => {
      nested(ground, join(ws, 'n'))
      rmSync(join(ws, 'n/.git/objects'), { recursive: true })
      symlinkSync(join(ground.victim, '.git/objects'), join(ws, 'n/.git/objects'))
    },
    { named: 'n' },
  ],
  ['a link to the outside', (ws, _, ground) => symlinkSync(ground.victim, join(ws, 'out')), { named: 'out' }],
  [
    'a link that leads out by way of another',
    (ws, _, _ground) => {
      mkdirSync(join(ws, 'd/e'), { recursive: true })
      symlinkSync('../..', join(ws, 'd/e/up'))
      symlinkSync('d/e/up/../../.env', join(ws, 'out'))
    },
    { named: 'out' },
  ],
  [
    'a link to the git dir',
    (ws, _, _ground) => symlinkSync('.git/config', join(ws, 'cfg')),
    { named: 'cfg' },
  ],
  [
    'a folder of ours that is a link now',
    (ws, _, ground) => {
      rmSync(join(ws, 'sub'), { recursive: true })
      symlinkSync(ground.victim, join(ws, 'sub'))
    },
    { named: 'sub' },
  ],
  [
    'a link that stays inside',
    (ws, _, _ground) => symlinkSync('sub/b.txt', join(ws, 'in')),
    { committed: 'in' },
  ],
  ['a pipe', (ws, _, _ground) => void execFileSync('mkfifo', [join(ws, 'pipe')]), {}],
  [
    'attributes that name drivers',
    (ws, _, _ground) => {
      put(ws, '.gitattributes', '*.txt diff=evil merge=evil\n')
      put(ws, 'sub/.gitattributes', '*.txt diff=evil merge=evil -text\n')
    },
    { committed: 'sub/.gitattributes' },
  ],
  [
    'ignore files that are links',
    (ws, _, ground) => symlinkSync(join(ground.victim, 'v.txt'), join(ws, '.gitignore')),
    { named: '.gitignore' },
  ],
]

const CASES = ROWS.map(([name, attack, more = {}]) => ({ name, attack, more }))

test.each(CASES)('$name changes nothing outside, and runs nothing', async ({ attack, more }) => {
  const { bench, marker } = ground
  const place = placeIn(bench, FOLDER)
  const dir = await openSession(bench, place)
  const ws = join(dir, FOLDER)
  const before = prints(ground)
  attack(ws, dir, ground)
  put(ws, 'ok.txt', 'ok\n')
  const done = await commitSession(bench, { dir, place })
  expect(done).toMatchObject({ kind: 'ok', changed: true })
  const paths = bench.person('ls-tree', '-r', '--name-only', 'neo/one').split('\n')
  expect(paths).toContain(`${FOLDER}/ok.txt`)
  expect(paths).toContain('neo.yaml')
  expect(bench.person('ls-tree', '-r', 'neo/one')).not.toContain('160000')
  if (more.committed !== undefined) expect(paths).toContain(`${FOLDER}/${more.committed}`)
  const leftOut = done.kind === 'ok' ? (done.leftOut ?? []).map(({ path }) => path) : []
  if (more.named !== undefined)
    expect(leftOut.some((path) => path === more.named || path === `${FOLDER}/${more.named}`)).toBe(true)
  await everythingElse(ground, dir)
  expect(existsSync(marker)).toBe(false)
  expect(prints(ground)).toEqual(before)
  expect(bench.person('fsck', '--no-dangling', '--no-progress')).toBe('')
})
