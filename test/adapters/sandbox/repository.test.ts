/** The repository as a confined git sees it: odd repositories still read, no login is left, no swap gains anything. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../../src/adapters/sandbox/bubblewrap.ts'
import { gitDirsOf, withoutLogins } from '../../../src/adapters/sandbox/shown-repository.ts'
import type { Confinement } from '../../../src/ports/sandbox-port.ts'
import { MARKER, whyNot } from './grounds.ts'

const missing = await whyNot()
const sandbox = openSandbox()
await sandbox.available()
const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' }

function git(cwd: string, ...args: readonly string[]): string {
  const own = ['-c', 'user.name=P', '-c', 'user.email=p@localhost', '-c', 'protocol.file.allow=always']
  return execFileSync('git', [...own, ...args], { cwd, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}

/** A folder `w` with one commit, `a.txt`. */
function ground(...init: readonly string[]): { readonly top: string; readonly repository: string } {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'neo-repository-')))
  onTestFinished(() => rmSync(top, { recursive: true, force: true }))
  const repository = join(top, 'w')
  git(top, 'init', '-q', '-b', 'main', ...init, 'w')
  put(join(repository, 'a.txt'), 'a\n')
  git(repository, 'add', '-A')
  git(repository, 'commit', '-q', '-m', 'begin')
  return { top, repository }
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const confinement = (repository: string, worktree: string): Confinement => ({
  ...{ write: [worktree], read: [], network: 'deny', cwd: worktree, env },
  worktree: { top: worktree, repository },
})

function run(repository: string, worktree: string, line: string): string {
  const [program, ...args] = sandbox.wrap(['sh', '-c', line], confinement(repository, worktree))
  const ran = spawnSync(program, args, { env, encoding: 'utf8' })
  return `${ran.stdout}${ran.stderr}`
}

const LINE = 'git status --short && git log --oneline | wc -l && git show HEAD:a.txt'

test.skipIf(missing !== null)(
  'git reads a worktree of a clone that borrows, with settings of its own, and of sha256',
  () => {
    const { top, repository } = ground()
    git(top, 'clone', '-q', '--shared', repository, 'shared')
    git(join(top, 'shared'), 'config', 'extensions.worktreeConfig', 'true')
    git(join(top, 'shared'), 'worktree', 'add', '-q', join(top, 'one'))
    git(join(top, 'one'), 'config', '--worktree', 'core.autocrlf', 'false')
    expect(run(join(top, 'shared'), join(top, 'one'), LINE)).toBe('1\na\n')
    const other = ground('--object-format=sha256')
    git(other.repository, 'worktree', 'add', '-q', join(other.top, 'two'))
    expect(run(other.repository, join(other.top, 'two'), LINE)).toBe('1\na\n')
    expect(run(repository, repository, LINE)).toBe('1\na\n')
  },
)

test.skipIf(missing !== null)('git reads a worktree with a submodule, whose login is not shown', () => {
  const { top, repository } = ground()
  git(top, 'clone', '-q', repository, 'library')
  git(repository, 'submodule', '--quiet', 'add', join(top, 'library'), 'deep/lib')
  git(repository, 'commit', '-q', '-m', 'submodule')
  const worktree = join(top, 'one')
  git(repository, 'worktree', 'add', '-q', worktree)
  git(worktree, 'submodule', '--quiet', 'update', '--init')
  git(join(worktree, 'deep/lib'), 'config', 'remote.origin.url', `https://u:${MARKER}@example.com/x`)
  const said = run(
    repository,
    worktree,
    `git status --short; echo b > deep/lib/a.txt; git status --short; git -C deep/lib log --oneline | wc -l; grep -rs ${MARKER} ${repository} . && echo shown`,
  )
  expect(said).toBe(' m deep/lib\n1\n')
})

const POINTERS: readonly (readonly [
  string,
  (at: { top: string; worktree: string; victim: string }) => void,
])[] = [
  [
    'a .git file that names another repository',
    ({ worktree, victim }) => put(join(worktree, '.git'), `gitdir: ${victim}/.git\n`),
  ],
  [
    'a .git folder with a commondir',
    ({ worktree, victim }) => {
      rmSync(join(worktree, '.git'))
      mkdirSync(join(worktree, '.git/objects'), { recursive: true })
      put(join(worktree, '.git/HEAD'), 'ref: refs/heads/main\n')
      put(join(worktree, '.git/commondir'), `${victim}/.git\n`)
      put(join(worktree, '.git/gitdir'), `${worktree}/.git\n`)
    },
  ],
  [
    'a .git folder with alternates',
    ({ worktree, victim }) => {
      rmSync(join(worktree, '.git'))
      mkdirSync(join(worktree, '.git/refs'), { recursive: true })
      put(join(worktree, '.git/HEAD'), 'ref: refs/heads/main\n')
      put(join(worktree, '.git/objects/info/alternates'), `${victim}/.git/objects\n`)
    },
  ],
  [
    'a .git that is a link',
    ({ worktree, victim }) => {
      rmSync(join(worktree, '.git'))
      symlinkSync(`${victim}/.git`, join(worktree, '.git'))
    },
  ],
  [
    'a .git that leads nowhere',
    ({ worktree }) => {
      rmSync(join(worktree, '.git'))
      symlinkSync('/nowhere', join(worktree, '.git'))
    },
  ],
]

test.skipIf(missing !== null).each(POINTERS)(
  '%s in the worktree shows nothing, and commands still run',
  (_, make) => {
    const { top, repository } = ground()
    const victim = join(top, 'victim')
    git(top, 'clone', '-q', repository, 'victim')
    put(join(victim, 'secret.txt'), MARKER)
    git(victim, 'add', '-A')
    git(victim, 'commit', '-q', '-m', MARKER)
    const worktree = join(top, 'one')
    git(repository, 'worktree', 'add', '-q', worktree)
    make({ top, worktree, victim })
    const said = run(
      repository,
      worktree,
      `git log --all; git log; git cat-file --batch-all-objects --batch; ls ${victim}/.git/objects; echo still > f; cat f`,
    )
    expect(said).not.toContain(MARKER)
    expect(said).toMatch(/^still$/m)
    expect(gitDirsOf({ top: worktree, repository })?.common).toBe(join(repository, '.git'))
  },
)

test.skipIf(missing !== null).each(['.git', 'rooms'])(
  'a swap of %s for a link, after the check and before the start, gains nothing',
  (name) => {
    const { top, repository } = ground()
    const worktree = join(top, 'one')
    git(repository, 'worktree', 'add', '-q', worktree)
    put(join(worktree, 'rooms/x'), 'x')
    put(join(top, 'secret/x'), MARKER)
    for (const target of [
      join(top, 'secret'),
      '../secret',
      '/',
      '/oldroot',
      `/oldroot${join(top, 'secret')}`,
    ]) {
      const usual = { ...confinement(repository, worktree), hide: [join(worktree, 'rooms')] }
      const [program, ...args] = sandbox.wrap(['sh', '-c', `cat ${name} ${name}/x ${name}${top}/secret/x`], {
        ...usual,
      })
      rmSync(join(worktree, name), { recursive: true, force: true })
      symlinkSync(target, join(worktree, name))
      const ran = spawnSync(program, args, { env, encoding: 'utf8' })
      expect(`${ran.stdout}${ran.stderr}`).not.toContain(MARKER)
      rmSync(join(worktree, name))
      if (name === '.git') put(join(worktree, name), `gitdir: ${repository}/.git/worktrees/one\n`)
      else put(join(worktree, name, 'x'), 'x')
    }
    expect(readFileSync(join(top, 'secret/x'), 'utf8')).toBe(MARKER)
    expect(lstatSync(join(top, 'secret')).isDirectory()).toBe(true)
  },
)

test.skipIf(missing !== null)(
  'without a repository to show, the git folder of a checkout is neither read nor changed',
  () => {
    const { repository } = ground()
    put(join(repository, '.git/login'), MARKER)
    const [program, ...args] = sandbox.wrap(
      ['sh', '-c', 'cat .git/login .git/HEAD; echo x > .git/HEAD; rm -rf .git; ls -A .git; echo still'],
      { ...confinement(repository, repository), worktree: { top: repository, repository: null } },
    )
    expect(spawnSync(program, args, { env, encoding: 'utf8' }).stdout).toBe('still\n')
    expect(readFileSync(join(repository, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/main\n')
  },
)

const KEPT = '[core]\n\trepositoryformatversion = "0"\n'
const CONFIGS: readonly (readonly [string, string])[] = [
  ['[core]\nrepositoryformatversion = 0 # a comment\n\tfsmonitor = sh -c x\n', KEPT],
  ['[core] repositoryformatversion=0\n[include]\n\tpath = ~/secret\n[includeIf "gitdir:/"]\npath=x\n', KEPT],
  ['[CORE]\n  RepositoryFormatVersion = "0"\n  hooksPath = \\\nx\n  sshCommand = ssh -i key\n', KEPT],
  ['[http "https://example.com"]\n\textraheader = Authorization: x\n[credential]\n\thelper = store\n', ''],
  [
    '[remote "o"]\n\turl = https://u:p@example.com/x.git?token=y\n',
    '[remote "o"]\n\turl = "https://example.com/x.git"\n',
  ],
  [
    '[remote "o"]\n\turl = "ssh://git@example.com:22/x"\n',
    '[remote "o"]\n\turl = "ssh://example.com:22/x"\n',
  ],
  ['[remote "o"]\n\turl = git@example.com:x/y.git\n', '[remote "o"]\n\turl = "example.com:x/y.git"\n'],
  ['[remote "o"]\n\turl = u:p@example.com/x\n', '[remote "o"]\n\turl = ""\n'],
  ['[remote "o"]\n\turl = ext::sh -c "curl u:p@h"\n', '[remote "o"]\n\turl = ""\n'],
  [
    '[remote "o"]\n\turl = ../up\n\tpushurl = https://u:p@h/\n\tproxy = u:p@h\n',
    '[remote "o"]\n\turl = "../up"\n',
  ],
  [
    '[branch "main"]\n\tremote = https://u:p@h/x\n\tmerge = refs/heads/main\n',
    '[branch "main"]\n\tremote = "https://h/x"\n[branch "main"]\n\tmerge = "refs/heads/main"\n',
  ],
  [
    '[filter "x"]\n\tclean = sh\n[diff "y"]\n\ttextconv = sh\n[alias]\n\tz = !sh\n[url "https://t@h/"]\n\tinsteadOf = h:\n',
    '',
  ],
]

test.each(CONFIGS)('withoutLogins() of %j', (text, wanted) => {
  expect(withoutLogins(text)).toBe(wanted)
})
