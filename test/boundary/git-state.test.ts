/**
 * Git state that a model can write in its worktree, or that a person's repository holds: whatever it is, no git process of
 * ours runs its programs, writes through it, or takes it for a repository. Each row attacks; then Neo does everything that
 * it does with a session's work. In git-state rows files are written directly, as by a command without a sandbox.
 */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type Bench,
  commitSession,
  gitIn,
  openBench,
  openSession,
  placeIn,
  put,
  words,
} from '../adapters/git/repo.ts'

let bench: Bench
let marker: string
let trap: string
let victim: string
beforeEach(async () => {
  bench = await openBench({
    '.gitignore': '.neo/\n',
    'neo.yaml': 'x\n',
    'workspace/files/a.txt': 'a\n',
    'workspace/files/sub/b.txt': 'b\n',
  })
  marker = join(bench.root, 'ESCAPED')
  trap = join(bench.root, 'trap.sh')
  writeFileSync(trap, `#!/bin/sh\ntouch "${marker}"\ncat\n`)
  chmodSync(trap, 0o755)
  victim = join(bench.root, 'victim')
  mkdirSync(victim)
  gitIn(victim, 'init', '-q', '-b', 'main')
  put(victim, 'v.txt', 'v\n')
  gitIn(victim, 'add', '-A')
  gitIn(victim, 'commit', '-qm', 'v')
})
afterEach(() => bench.close())

/** A configuration by which git runs the trap at nearly every command. */
function armed(name = 'evil'): string {
  return [
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${trap}\n\thooksPath = ${bench.root}`,
    `[filter "${name}"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\tprocess = ${trap}`,
    `[diff]\n\texternal = ${trap}\n[diff "${name}"]\n\ttextconv = ${trap}\n[merge "${name}"]\n\tdriver = ${trap} %A`,
    `[include]\n\tpath = ${bench.root}/more\n[alias]\n\tadd = !${trap}\n[gpg]\n\tprogram = ${trap}\n`,
  ].join('\n')
}

/** A repository with an armed configuration, as `git init` and a commit leave it. */
function nested(dir: string, at = '.git'): void {
  mkdirSync(dir, { recursive: true })
  gitIn(dir, 'init', '-q', '-b', 'main')
  put(dir, 'in.txt', 'in\n')
  gitIn(dir, 'add', 'in.txt')
  gitIn(dir, 'commit', '-qm', 'in')
  appendFileSync(join(dir, '.git/config'), armed())
  put(dir, 'in.txt', 'changed\n')
  if (at !== '.git') renameSync(join(dir, '.git'), join(dir, at))
}

/** The files of a bare repository, as plain writes make them. */
function bareFiles(dir: string): void {
  put(dir, 'HEAD', 'ref: refs/heads/main\n')
  put(dir, 'objects/k', 'x')
  put(dir, 'refs/k', 'x')
  put(dir, 'config', armed())
}

type Row = readonly [name: string, attack: (ws: string, dir: string) => void, more?: Wanted]
interface Wanted {
  /** A path that is committed as the file it is. */
  readonly committed?: string
  /** A path that is left out, named, and kept. */
  readonly named?: string
}

const ROWS: readonly Row[] = [
  ['a bare repository in the workspace', (ws) => bareFiles(ws), { committed: 'config' }],
  ['a bare repository in a subfolder', (ws) => bareFiles(join(ws, 'sub')), { committed: 'sub/objects/k' }],
  ['a bare repository at the top of the worktree', (_, dir) => bareFiles(dir), { named: 'config' }],
  [
    'a bare repository that names alternates',
    (ws) => {
      bareFiles(ws)
      put(ws, 'objects/info/alternates', `${victim}/.git/objects\n`)
    },
    { committed: 'objects/info/alternates' },
  ],
  [
    'a commondir file in a bare repository',
    (ws) => {
      bareFiles(ws)
      put(ws, 'commondir', `${victim}/.git\n`)
    },
    { committed: 'commondir' },
  ],
  ['a nested repository', (ws) => nested(join(ws, 'n')), { named: 'n' }],
  ['a nested repository deep in new folders', (ws) => nested(join(ws, 'x/y/z')), { named: 'x/y/z' }],
  [
    'a repository around files of ours',
    (ws) => nested(join(ws, 'sub')),
    { named: 'sub/.git', committed: 'sub/in.txt' },
  ],
  ['a repository in the workspace itself', (ws) => nested(ws), { named: '.git' }],
  ['a git dir by another name', (ws) => nested(join(ws, 'n'), 'git'), { committed: 'n/git/config' }],
  ['a .git folder in capitals', (ws) => nested(join(ws, 'n'), '.GIT'), { named: 'n/.GIT/config' }],
  ['a .git file that points to another repository', (ws) => put(ws, 'n/.git', `gitdir: ${victim}/.git\n`)],
  ['a .git file in the workspace', (ws) => put(ws, '.git', `gitdir: ${victim}/.git\n`), { named: '.git' }],
  [
    'a .git file at the top that points elsewhere',
    (_, dir) => put(dir, '.git', `gitdir: ${victim}/.git\n`),
    { named: '.git' },
  ],
  [
    'a .git link at the top',
    (_, dir) => {
      rmSync(join(dir, '.git'))
      symlinkSync(join(victim, '.git'), join(dir, '.git'))
    },
    { named: '.git' },
  ],
  [
    'a repository at the top of the worktree',
    (_, dir) => {
      rmSync(join(dir, '.git'))
      nested(dir)
    },
    { named: '.git' },
  ],
  ['no .git at all', (_, dir) => rmSync(join(dir, '.git'))],
  [
    'a .git link in a folder',
    (ws) => {
      mkdirSync(join(ws, 'n'))
      symlinkSync(join(victim, '.git'), join(ws, 'n/.git'))
      put(ws, 'n/x.txt', 'x')
    },
  ],
  [
    'an index that is a link',
    (ws) => {
      nested(join(ws, 'n'))
      rmSync(join(ws, 'n/.git/index'))
      symlinkSync(join(victim, '.git/index'), join(ws, 'n/.git/index'))
    },
    { named: 'n' },
  ],
  [
    'objects that are a link',
    (ws) => {
      nested(join(ws, 'n'))
      rmSync(join(ws, 'n/.git/objects'), { recursive: true })
      symlinkSync(join(victim, '.git/objects'), join(ws, 'n/.git/objects'))
    },
    { named: 'n' },
  ],
  ['a link to the outside', (ws) => symlinkSync(victim, join(ws, 'out')), { named: 'out' }],
  [
    'a link that leads out by way of another',
    (ws) => {
      mkdirSync(join(ws, 'd/e'), { recursive: true })
      symlinkSync('../..', join(ws, 'd/e/up'))
      symlinkSync('d/e/up/../../.env', join(ws, 'out'))
    },
    { named: 'out' },
  ],
  ['a link to the git dir', (ws) => symlinkSync('.git/config', join(ws, 'cfg')), { named: 'cfg' }],
  [
    'a folder of ours that is a link now',
    (ws) => {
      rmSync(join(ws, 'sub'), { recursive: true })
      symlinkSync(victim, join(ws, 'sub'))
    },
    { named: 'sub' },
  ],
  ['a link that stays inside', (ws) => symlinkSync('sub/b.txt', join(ws, 'in')), { committed: 'in' }],
  ['a pipe', (ws) => void execFileSync('mkfifo', [join(ws, 'pipe')]), {}],
  [
    'attributes that name drivers',
    (ws) => {
      put(ws, '.gitattributes', '*.txt diff=evil merge=evil\n')
      put(ws, 'sub/.gitattributes', '*.txt diff=evil merge=evil -text\n')
    },
    { committed: 'sub/.gitattributes' },
  ],
  [
    'ignore files that are links',
    (ws) => symlinkSync(join(victim, 'v.txt'), join(ws, '.gitignore')),
    { named: '.gitignore' },
  ],
]

const FOLDER = 'workspace/files'

const CASES = ROWS.map(([name, attack, more = {}]) => ({ name, attack, more }))

test.each(CASES)('$name changes nothing outside, and runs nothing', async ({ attack, more }) => {
  const place = placeIn(bench, FOLDER)
  const dir = await openSession(bench, place)
  const ws = join(dir, FOLDER)
  const before = prints()
  attack(ws, dir)
  put(ws, 'ok.txt', 'ok\n')
  const done = await commitSession(bench, { dir, place })
  expect(done).toMatchObject({ kind: 'ok', changed: 'yes' })
  const paths = bench.person('ls-tree', '-r', '--name-only', 'neo/one').split('\n')
  expect(paths).toContain(`${FOLDER}/ok.txt`)
  expect(paths).toContain('neo.yaml')
  expect(bench.person('ls-tree', '-r', 'neo/one')).not.toContain('160000')
  if (more.committed !== undefined) expect(paths).toContain(`${FOLDER}/${more.committed}`)
  const leftOut = done.kind === 'ok' ? (done.leftOut ?? []).map(({ path }) => path) : []
  if (more.named !== undefined)
    expect(leftOut.some((path) => path === more.named || path === `${FOLDER}/${more.named}`)).toBe(true)
  await everythingElse(dir, ws)
  expect(existsSync(marker)).toBe(false)
  expect(prints()).toEqual(before)
  expect(bench.person('fsck', '--no-dangling', '--no-progress')).toBe('')
})

/** What Neo does after the commit: a second round, diff, merge, letting go, clearing away. */
async function everythingElse(dir: string, ws: string): Promise<void> {
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
function prints(): unknown {
  const files = readdirSync(victim, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return [...files, join(bench.home, '.git/config')]
    .sort()
    .map((path) => [path, readFileSync(path, 'latin1')])
}

const NAMES = ['e\u2028v', 'a b', 'x.y', 'q\\"q', 'é'] as const

test.each(NAMES)('a driver with the name %j in the repository itself does not run', async (name) => {
  const place = placeIn(bench, FOLDER)
  appendFileSync(join(bench.home, '.git/config'), armed(name))
  writeFileSync(
    join(bench.root, 'more'),
    `[core]\n\tfsmonitor = ${trap}\n[filter "${name}"]\n\tclean = ${trap}\n`,
  )
  const dir = await openSession(bench, place)
  put(dir, `${FOLDER}/.gitattributes`, `*.txt diff=${name} merge=${name}\n`)
  put(dir, `${FOLDER}/ok.txt`, 'ok\n')
  expect((await commitSession(bench, { dir, place })).kind).toBe('ok')
  await everythingElse(dir, join(dir, FOLDER))
  expect(existsSync(marker)).toBe(false)
})

test('a workspace in which a session left the files of a bare repository is the folder that it was', async () => {
  const ws = join(bench.root, 'ws')
  put(ws, 'sub/a.txt', 'a\n')
  gitIn(ws, 'init', '-q', '-b', 'main')
  bareFiles(join(ws, 'sub'))
  gitIn(ws, 'add', '-A')
  gitIn(ws, 'commit', '-qm', 'i')
  const place = await bench.git.place(join(ws, 'sub'), null)
  expect(place).toMatchObject({ repository: ws, folder: 'sub', base: 'main' })
  expect(existsSync(marker)).toBe(false)
})

test.each(['index', 'objects'])('a repository whose %s is a link is refused', async (name) => {
  const ws = join(bench.root, 'ws')
  put(ws, 'a.txt', 'a\n')
  gitIn(ws, 'init', '-q', '-b', 'main')
  gitIn(ws, 'add', '-A')
  gitIn(ws, 'commit', '-qm', 'i')
  renameSync(join(ws, '.git', name), join(bench.root, name))
  symlinkSync(join(bench.root, name), join(ws, '.git', name))
  expect(await bench.git.place(ws, null)).toMatchObject({ wrong: expect.stringContaining('symbolic link') })
})
