/** A worktree with a way out of every kind in it, the paths that lead out, and those that are all right. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { put, worktree } from './context.ts'

export const MARKER = 'marker-of-another-file'

/** A worktree of a home among others, with links of every kind in it. */
export function grounds(top?: string): string {
  const files = {
    'src/main.ts': 'inside\n',
    'src/deep/er/x.txt': 'inside\n',
    'docs/a.md': 'inside\n',
    'neo.yaml': 'daemon: {}\n',
    'rooms/shop/ROOM.md': 'inside\n',
    'templates/tasks/t.md': 'inside\n',
    '.git': 'gitdir: elsewhere\n',
    'sub/.git/config': `${MARKER}\n`,
    '.neo/daemon.json': `${MARKER}\n`,
    'tests/.gitignore': 'inside\n',
  }
  const root = worktree(files, top)
  const around = dirname(root)
  for (const path of ['out/secret.txt', 'out/folder/secret.txt', 'ws-evil/secret.txt', 'secret.txt']) {
    put(join(around, path), `${MARKER}\n`)
  }
  const link = (name: string, to: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    symlinkSync(to, join(root, name))
  }
  link('leaf', '../out/secret.txt')
  link('leaf-absolute', join(around, 'out/secret.txt'))
  link('dangling', '../out/new.txt')
  link('dangling-absolute', join(around, 'out/new.txt'))
  link('dangling-deep', '../out/none/new.txt')
  link('up', '..')
  link('up-absolute', around)
  link('out', '../out')
  link('evil', '../ws-evil')
  link('evil-absolute', `${root}-evil`)
  link('slash', '/')
  link('etc', '/etc')
  link('proc-root', '/proc/self/root')
  link('proc-cwd', '/proc/self/cwd')
  link('chain', 'chain-2')
  link('chain-2', 'chain-3')
  link('chain-3', '../out')
  link('src/deep/back', '../../../out')
  link('src/deep/back-file', '../../../out/secret.txt')
  link('loop', 'loop-2')
  link('loop-2', 'loop')
  link('self', 'self')
  link('out-and-in', '../ws/src')
  link('dot-git', '.git')
  link('git-of-sub', 'sub/.git')
  link('to-neo', '.neo')
  link('rules', 'neo.yaml')
  link('all-rooms', 'rooms')
  link('to-src', 'src')
  link('to-main', 'src/main.ts')
  link('absolute-src', join(root, 'src'))
  link('dangling-inside', 'src/new.ts')
  link('src/up-inside', '..')
  return root
}

/** Both ways: a path to read or to write. */
export const OUT = [
  '../out/secret.txt',
  '../secret.txt',
  '../ws-evil/secret.txt',
  './../out/secret.txt',
  'src/../../out/secret.txt',
  'src/deep/../../../out/secret.txt',
  'src//..//..//out/secret.txt',
  '../ws/../out/secret.txt',
  '../ws/src/main.ts',
  '..',
  '../',
  '../../../../../../../../etc/passwd',
  'src/../../../../../../../../../etc/passwd',
  '/etc/passwd',
  '//etc/passwd',
  '/',
  '/proc/self/environ',
  '/proc/self/cwd/src/main.ts',
  '/proc/1/root/etc/passwd',
  '/dev/null',
  '/dev/stdin',
  '@AROUND/out/secret.txt',
  '@AROUND/secret.txt',
  '@ROOT-evil/secret.txt',
  '@ROOT/../out/secret.txt',
  '@ROOT/../ws-evil/secret.txt',
  '@ROOT/src/../../out/secret.txt',
  '@AROUND/./out/../out/secret.txt',
  '~/secret.txt',
  '~',
  'leaf',
  'leaf-absolute',
  'out/secret.txt',
  'out/folder/secret.txt',
  'out/new.txt',
  'out/newdir/new.txt',
  'out/../secret.txt',
  'up/out/secret.txt',
  'up/secret.txt',
  'up/ws-evil/secret.txt',
  'up-absolute/out/secret.txt',
  'up/ws/src/main.ts',
  'evil/secret.txt',
  'evil-absolute/secret.txt',
  'slash/etc/passwd',
  'etc/passwd',
  'proc-root/etc/passwd',
  'proc-cwd/package.json',
  'chain/secret.txt',
  'chain-2/secret.txt',
  'src/deep/back/secret.txt',
  'src/deep/back-file',
  'src/deep/../deep/back/secret.txt',
  'to-src/deep/back/secret.txt',
  'absolute-src/deep/back/secret.txt',
  'src/up-inside/../out/secret.txt',
  'src/up-inside/out/secret.txt',
  'out-and-in/main.ts',
  'loop',
  'loop/x',
  'self',
  'self/x',
  'src/main.ts/../../../out/secret.txt',
  'none/../../out/secret.txt',
  'none/../src/main.ts',
  'src/main.ts\0.png',
  '../out/secret.txt\0',
  '\0',
  `${'a/'.repeat(3000)}x`,
  `${'../'.repeat(200)}etc/passwd`,
  '.git',
  '.git/config',
  '.git/hooks/pre-commit',
  '.GIT/config',
  '.Git/config',
  '.gIt',
  './.git/config',
  'src/../.git/config',
  'sub/.git/config',
  'sub/.GIT/config',
  'sub/.git',
  '.git./config',
  '.git /config',
  '.git::$INDEX_ALLOCATION/config',
  'git~1/config',
  'GIT~1/config',
  '.g\u200cit/config',
  '.\u200dgit/config',
  '.git\ufeff/config',
  '.git\\config',
  'sub\\.git\\config',
  'dot-git',
  'git-of-sub/config',
  'git-of-sub',
  '@ROOT/.git',
  '@ROOT/src/../.git/config',
  'src/deep/../../.git/config',
  'to-src/../.git/config',
  'src/up-inside/.git/config',
  'src/up-inside/.neo/daemon.json',
  'chain/folder/secret.txt',
  'up/../secret.txt',
  'out/../ws-evil/secret.txt',
  'out/folder/../secret.txt',
  '@ROOT/.git/config',
  '.neo/daemon.json',
  '.NEO/daemon.json',
  'to-neo/daemon.json',
  'src/.neo/x',
]

/** Write alone: what a home is ruled by, and names of links that lead to nothing yet. */
export const RULES = [
  'neo.yaml',
  'Neo.YAML',
  './neo.yaml',
  'src/../neo.yaml',
  'src/up-inside/neo.yaml',
  '@ROOT/neo.yaml',
  'neo.yaml.',
  'rules',
  'rooms/shop/ROOM.md',
  'rooms/other/ROOM.md',
  'rooms/shop/tasks/new.md',
  'ROOMS/shop/ROOM.md',
  'all-rooms/shop/ROOM.md',
  'templates/tasks/t.md',
  'Templates/tasks/new.md',
  'rooms',
  'dangling',
  'dangling-absolute',
  'dangling-deep',
  'up',
  'out',
  'src',
  'src/',
  'src/new/',
  '.',
  '',
  'src/main.ts/x',
]

export const LEGAL: readonly (readonly [path: string, real: string])[] = [
  ['new.txt', 'new.txt'],
  ['./new.txt', 'new.txt'],
  ['src/new.ts', 'src/new.ts'],
  ['src/main.ts', 'src/main.ts'],
  ['src//main.ts', 'src/main.ts'],
  ['src/./main.ts', 'src/main.ts'],
  ['src/deep/../main.ts', 'src/main.ts'],
  ['src/deep/er/../../main.ts', 'src/main.ts'],
  ['a/b/c/d/e.txt', 'a/b/c/d/e.txt'],
  ['@ROOT/src/main.ts', 'src/main.ts'],
  ['@ROOT/new.txt', 'new.txt'],
  ['@ROOT//src/./main.ts', 'src/main.ts'],
  ['@ROOT/src/../new.txt', 'new.txt'],
  ['to-src/main.ts', 'src/main.ts'],
  ['to-src/new.ts', 'src/new.ts'],
  ['to-src/new/x.ts', 'src/new/x.ts'],
  ['to-main', 'src/main.ts'],
  ['absolute-src/main.ts', 'src/main.ts'],
  ['dangling-inside', 'src/new.ts'],
  ['src/up-inside/docs/a.md', 'docs/a.md'],
  ['to-src/../docs/a.md', 'docs/a.md'],
  ['tests/.gitignore', 'tests/.gitignore'],
  ['.gitignore', '.gitignore'],
  ['.gitattributes', '.gitattributes'],
  ['.github/workflows/x.yml', '.github/workflows/x.yml'],
  ['.gitlab-ci.yml', '.gitlab-ci.yml'],
  ['git/config', 'git/config'],
  ['my.git/config', 'my.git/config'],
  ['.env.example', '.env.example'],
  ['.neovim/init.lua', '.neovim/init.lua'],
  ['docs/neo.yaml', 'docs/neo.yaml'],
  ['src/rooms/x.ts', 'src/rooms/x.ts'],
  ['src/templates/page.html', 'src/templates/page.html'],
  ['roomservice/x.ts', 'roomservice/x.ts'],
  ['neo.yaml.example', 'neo.yaml.example'],
  ['...', '...'],
  ['..a/b', '..a/b'],
  ['a..b', 'a..b'],
  ['with space/ö ü/日本.txt', 'with space/ö ü/日本.txt'],
  ["quote's.txt", "quote's.txt"],
  ['-rf', '-rf'],
  ['--help/x', '--help/x'],
  ['$(touch x)', '$(touch x)'],
  ['*.ts', '*.ts'],
  ['line\nend.txt', 'line\nend.txt'],
  [`${'n'.repeat(200)}.txt`, `${'n'.repeat(200)}.txt`],
]
