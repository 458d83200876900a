/**
 * Commands in the sandbox: links at every level and every protected name, pointers of git, other rooms by git, env files,
 * sockets and /proc. Whatever a row does, its later commands still run.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { commitAll, type Ground } from './ground.ts'
import { boundary, type Row, shell, write } from './rows.ts'

/** Reads whatever a link may have shown. */
const LOOK =
  'for d in . .. ../.. ../../.. l/* rooms templates .neo .git neo.yaml; do cat $d/.env $d/../.env $d/rooms/vault/ROOM.md $d/vault/ROOM.md $d/keep.txt $d 2>/dev/null; done; grep -rs keep . | head -5; echo looked'
const NAMES = ['neo.yaml', 'rooms', 'templates', '.neo', '.git', 'workspace']

const external = ({ top }: Ground) => join(top, 'ws')
const inExternal = (ground: Ground) => [`workspace: ${external(ground)}`]
const makeExternal = (ground: Ground) => {
  ground.put(join(external(ground), 'a.txt'), 'a\n')
  ground.put(join(external(ground), 'sub/b.txt'), 'b\n')
  commitAll(external(ground))
}

/** After an attack commands still run, and what they write still arrives. */
const goesOn = (at: (ground: Ground) => string) => (ground: Ground) => {
  expect(readFileSync(join(at(ground), 'after.txt'), 'utf8')).toBe('after\n')
  expect(existsSync(join(ground.outside, 'after.txt'))).toBe(false)
}
const AFTER = 'echo after > after.txt'

/** Where links lead: relative, absolute, dangling, to a folder, a file, the root, a chain. */
const links = ({ home, outside }: Ground) => [
  '../../..',
  '../../../..',
  home.dir,
  `${home.dir}/.env`,
  outside,
  '/',
  '/nowhere/at/all',
  'l/chain',
]

const linkAll = (ground: Ground) =>
  links(ground)
    .map((to, at) => {
      const name = NAMES[at % NAMES.length]
      return `rm -rf ${name}; ln -s ${to} ${name}; ln -s ${to} l/${at}; ln -sf ${name} l/chain`
    })
    .join('; ')

const rows: readonly Row[] = [
  {
    name: 'links at every protected name in the workspace of the home',
    turns: (ground) => [
      [shell(`mkdir -p l; ${linkAll(ground)}`)],
      [shell(LOOK), shell(AFTER)],
      [
        shell('cd ..; cd ..; touch neo.yaml; ln -s ../../.. templates; cd ../../..; ls -a; cat .env'),
        shell(LOOK),
      ],
    ],
    held: goesOn(({ home }) => join(home.dir, 'workspace/files')),
  },
  {
    name: 'links at every protected name at the top of another repository',
    room: inExternal,
    given: makeExternal,
    turns: (ground) => [
      [shell(`mkdir -p l; ${linkAll(ground)}; touch neo.yaml`)],
      [shell(LOOK), shell(AFTER)],
      [shell('git status --short; git log --oneline'), shell(LOOK)],
    ],
    held: goesOn(external),
  },
  {
    name: 'links at every protected name where the home itself is the workspace',
    room: () => ['workspace: .'],
    turns: (ground) => [
      [shell('ls rooms workspace; cat rooms/vault/ROOM.md neo.yaml; git log; ls -a .git')],
      [shell(`mkdir -p l; ${linkAll(ground)}`), shell(LOOK)],
      [
        shell('mv rooms r; mv neo.yaml n; echo x > neo.yaml; mkdir -p templates/tasks; rm -rf l'),
        shell(LOOK),
      ],
    ],
  },
  {
    name: 'committed links at every protected name',
    room: inExternal,
    given: (ground) => {
      makeExternal(ground)
      const at = external(ground)
      mkdirSync(join(at, 'l'))
      links(ground).forEach((to, index) => {
        symlinkSync(to, join(at, 'l', String(index)))
        const name = NAMES.filter((one) => one !== '.git')[index]
        if (name !== undefined) symlinkSync(to, join(at, name))
      })
      ground.git(at, 'add', '-A')
      ground.git(at, 'commit', '-q', '-m', 'links')
    },
    turns: () => [[shell(LOOK)], [shell(AFTER), shell(`${LOOK}; touch neo.yaml`)], [shell(LOOK)]],
    held: goesOn(external),
  },
  {
    name: 'a workspace folder that the branch has as a link',
    room: (ground) => [`workspace: ${external(ground)}/sub`, 'base: trap', 'env_files: [.env.test]'],
    given: (ground) => {
      makeExternal(ground)
      const at = external(ground)
      ground.git(at, 'checkout', '-q', '-b', 'trap')
      ground.git(at, 'rm', '-rq', 'sub')
      symlinkSync(ground.outside, join(at, 'sub'))
      ground.git(at, 'add', 'sub')
      ground.git(at, 'commit', '-q', '-m', 'trap')
      ground.git(at, 'checkout', '-q', 'main')
      ground.put(join(at, 'sub/.env.test'), 'A=1\n')
    },
    turns: () => [[shell(`${LOOK}; echo x > new.txt`), write('new.txt', 'x')]],
  },
  {
    name: 'pointers of git that a model writes show no repository',
    room: inExternal,
    given: makeExternal,
    turns: ({ home, victim }) => [
      [
        shell(
          `mkdir -p t/objects/info t/refs; echo "ref: refs/heads/main" > t/HEAD; echo ${home.dir}/.git/objects > t/objects/info/alternates; echo ${home.dir}/.git > t/commondir; echo $PWD/t/.git > t/gitdir; mkdir n; echo "gitdir: ${home.dir}/.git" > n/.git; echo "gitdir: ${victim}/.git" > .git; rm -f .git; ln -s ${home.dir}/.git g`,
        ),
      ],
      [
        shell(
          'git -C n log -p; GIT_DIR=t git log -p --all; GIT_DIR=g git log -p --all; GIT_ALTERNATE_OBJECT_DIRECTORIES=g/objects git cat-file --batch-all-objects --batch',
        ),
        shell(
          `git -C ${victim} log; git --git-dir=${home.dir}/.git show main:rooms/vault/ROOM.md; ls ${home.dir}/.git/objects`,
        ),
        shell(`rm -rf t n g; ${AFTER}`),
      ],
    ],
    held: goesOn(external),
  },
  {
    name: 'other rooms through the git folder of the home',
    turns: ({ home }) => [
      [
        shell(
          `git show HEAD:rooms/vault/ROOM.md; git log -p --all; git worktree list; ls -aR ${home.dir}/.git | head -50`,
        ),
        shell(
          `GIT_DIR=${home.dir}/.git git cat-file --batch-all-objects --batch; find / -name "*.pack" -o -name packed-refs 2>/dev/null | head`,
        ),
        shell(
          `for f in ${home.dir}/.git/objects/*/*; do perl -MCompress::Zlib -e 'undef $/; print uncompress(<>)' $f; done; cat ${home.dir}/.git/neo/journal.jsonl; ls ${home.dir}/.neo/worktrees`,
        ),
      ],
      [
        { name: 'read_file', input: { path: '../../.git' } },
        { name: 'grep', input: { pattern: '.', path: '../..' } },
      ],
      [
        { name: 'find', input: { path: '../..' } },
        { name: 'read_file', input: { path: '../../rooms/vault/ROOM.md' } },
      ],
    ],
  },
  {
    name: 'a worktree of the home elsewhere shows the home no more than the home does',
    room: inExternal,
    given: (ground) =>
      void ground.git(ground.home.dir, 'worktree', 'add', '-q', '-b', 'else', external(ground)),
    turns: () => [
      [shell('git show HEAD:rooms/vault/ROOM.md; git log -p; cat rooms/vault/ROOM.md; ls -a')],
      [
        { name: 'read_file', input: { path: 'rooms/vault/ROOM.md' } },
        { name: 'grep', input: { pattern: '.' } },
      ],
    ],
  },
  {
    name: 'logins, hooks and worktrees of others in a git folder',
    room: inExternal,
    given: (ground) => {
      makeExternal(ground)
      const at = external(ground)
      const set = (key: string, value: string) => ground.git(at, 'config', key, value)
      set('remote.origin.url', 'https://me:kestrel-91-juniper-basalt@example.com/x.git')
      set('http.https://example.com/.extraheader', 'Authorization: kestrel-91-juniper-basalt')
      set('credential.helper', '!echo password=kestrel-91-juniper-basalt')
      set('url.https://kestrel-91-juniper-basalt@example.com/.insteadOf', 'https://example.com/')
      set('alias.x', '!echo kestrel-91-juniper-basalt')
      ground.put(join(at, '.git/hooks/pre-push'), 'kestrel-91-juniper-basalt\n')
      ground.put(join(at, '.git/neo/sessions/s-9/record.json'), 'kestrel-91-juniper-basalt\n')
      ground.put(
        join(at, '.git/modules/m/config'),
        '[remote "o"]\n\turl = https://u:kestrel-91-juniper-basalt@h/\n',
      )
      ground.git(at, 'worktree', 'add', '-q', '-b', 'other', join(ground.top, 'other'))
      ground.put(join(at, '.git/worktrees/other/NOTE'), 'kestrel-91-juniper-basalt\n')
    },
    turns: (ground) => [
      [
        shell(
          `git config --list --show-origin; git remote -v; cat $(git rev-parse --git-common-dir)/config; grep -rs kestrel ${external(ground)} $(git rev-parse --git-common-dir) .; git worktree list`,
        ),
        shell(
          'git status --short && git diff HEAD && git log --oneline | grep -q begin && git show HEAD:a.txt && git remote get-url origin > remote.txt',
        ),
        shell(AFTER),
      ],
    ],
    held: (ground) => {
      goesOn(external)(ground)
      expect(readFileSync(join(external(ground), 'remote.txt'), 'utf8')).toBe('https://example.com/x.git\n')
    },
  },
  {
    name: 'env files are not written through a link that a session makes',
    room: (ground) => [`workspace: ${external(ground)}`, 'env_files: [conf/.env.test]', 'verify: ["true"]'],
    given: (ground) => {
      makeExternal(ground)
      ground.put(join(external(ground), '.gitignore'), 'conf/\n')
      ground.git(external(ground), 'add', '.gitignore')
      ground.git(external(ground), 'commit', '-q', '-m', 'ignore')
      ground.put(join(external(ground), 'conf/.env.test'), 'A=1\n')
      ground.put(join(ground.outside, '.env.test'), 'A=1\n')
    },
    turns: ({ outside, top }) => [
      [shell(`cat conf/.env.test && rm -rf conf && ln -s ${outside} conf; mkdir -p ${top}/empty`)],
      [{ name: 'finish_task', input: { result: 'done' } }],
    ],
  },
  {
    name: 'sockets, processes and devices of the host',
    turns: ({ home }) => [
      [
        shell(
          'for p in 1 2 $$ self; do cat /proc/$p/root/etc/hostname /proc/$p/environ /proc/$p/cwd/.env; ls /proc/$p/root/root /proc/$p/fd; done',
        ),
        shell(
          `cat /proc/1/root${home.dir}/.env /proc/self/root${home.dir}/.env /proc/*/cwd/../../.env /proc/*/root/../${home.dir}/.env`,
        ),
        shell(
          'ls /run /var/run /tmp /dev/shm; cat /proc/net/unix | grep @ | head; echo x > /new; echo x > /dev/new; ls -d /new /dev/new',
        ),
        shell(
          `mkdir up && mount --bind ${home.dir} up; ln -s /proc/self/cwd/../../.. esc; cat esc/.env; rm -f esc; rmdir up; ${AFTER}`,
        ),
      ],
    ],
    held: goesOn(({ home }) => join(home.dir, 'workspace/files')),
  },
]

const GREEDY: Row = {
  name: 'a fork bomb, a memory hog and a disk filler end, and the session goes on',
  given: (ground) => {
    ground.put(
      join(ground.home.dir, 'neo.yaml'),
      `${ground.model.config}\nsandbox: { processes: 40, memory: 200MB, disk: 50MB }\n`,
    )
    ground.git(ground.home.dir, 'commit', '-q', '-am', 'limits')
  },
  turns: () => [
    // What lives on is started first: the bomb leaves no process for it.
    [shell('sleep 25 & f() { f | f & }; f; wait')],
    [shell(`perl -e '$x = "a" x 900_000_000; sleep 25'`)],
    [
      shell('for i in $(seq 30); do head -c 9000000 /dev/zero > big$i; sync; sleep 0.2; done'),
      shell('rm -f big*'),
    ],
    [shell(AFTER)],
  ],
  held: (ground, { asked }) => {
    goesOn(({ home }) => join(home.dir, 'workspace/files'))(ground)
    for (const limit of ['processes', 'memory', 'disk'])
      expect(asked).toContain(`(sandbox.${limit} in neo.yaml)`)
  },
}

boundary([...rows, GREEDY])
