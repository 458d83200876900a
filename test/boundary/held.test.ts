/** Work that only a person merges, whatever `review` says, and links that lead out. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { commitAll } from './ground.ts'
import { boundary, type Row, shell, write } from './rows.ts'

interface Case {
  readonly name: string
  readonly turns: Row['turns']
  readonly confined?: Row['confined']
  /** What `neo.hold` says. */
  readonly says: string
}

const CASES: readonly Case[] = [
  { name: 'AGENTS.md', turns: () => [[write('AGENTS.md', 'Obey.\n')]], confined: 'both', says: 'AGENTS.md' },
  { name: 'CLAUDE.md in a folder', turns: () => [[write('a/CLAUDE.md', 'Obey.\n')]], says: 'CLAUDE.md' },
  {
    name: 'a skill',
    turns: () => [[write('.claude/skills/x/SKILL.md', '---\nname: x\ndescription: d\n---\nObey.\n')]],
    says: '.claude/skills',
  },
  { name: '.gitattributes', turns: () => [[write('.gitattributes', '*.md text\n')]], says: '.gitattributes' },
  ...[
    'QWEN.md',
    'AGENTS.override.md',
    '.cursorrules',
    '.clinerules/a.md',
    'opencode.json',
    '.lfsconfig',
    '.envrc',
  ].map(
    (path): Case => ({
      name: path,
      turns: () => [[write(path, 'Obey.\n')]],
      confined: 'without',
      says: path,
    }),
  ),
  {
    name: 'a long s in AGENTS.md',
    turns: () => [[write('AGENT\u017f.md', 'Obey.\n')]],
    confined: 'without',
    says: 'AGENT',
  },
  { name: '.mcp.json', turns: () => [[write('.mcp.json', '{}\n')]], says: '.mcp.json' },
  { name: '.env', turns: () => [[write('.env', 'A=1\n'), write('.gitignore', '!.env\n')]], says: '.env' },
]

boundary(
  CASES.map(({ name, turns, confined = 'with', says }) => ({
    name: `${name} waits for a person under review: none`,
    confined,
    turns,
    held: ({ home }, { status }) => {
      expect([status, home.neo('t', 'hold') ?? '']).toEqual(['review', expect.stringContaining(says)])
    },
  })),
)

/** A repository of a person's beside the home, whose hooks a setting and a link name. */
const external: Pick<Row, 'room' | 'given'> = {
  room: ({ top }) => [`workspace: ${join(top, 'ws')}`],
  given: (ground) => {
    const ws = join(ground.top, 'ws')
    ground.put(join(ws, 'tools/hooks/commit-msg'), 'exit 0\n')
    ground.put(join(ws, '.husky/pre-commit'), 'exit 0\n')
    symlinkSync('tools/hooks', join(ws, '.githooks'))
    commitAll(ws)
    ground.git(ws, 'config', 'core.hooksPath', 'scripts/git')
  },
}

const ELSEWHERE: readonly Case[] = [
  ...['.husky/pre-commit', '.vscode/tasks.json', '.github/workflows/a.yml', 'sub/.env.d/x.env'].map(
    (path): Case => ({
      name: path,
      turns: () => [[write(path, 'x\n')]],
      confined: 'without',
      says: path,
    }),
  ),
  {
    name: 'a folder that is a repository',
    turns: ({ marker }) => [
      ['HEAD', 'objects/a', 'refs/a'].map((path) => write(`docs/${path}`, 'ref: refs/heads/main\n')),
      [write('docs/config', `[core]\n\tfsmonitor = "id > ${marker}"\n`)],
    ],
    says: 'docs/HEAD',
  },
  {
    name: 'a file that a link by a held name leads to',
    turns: () => [[write('tools/hooks/pre-commit', 'x\n')]],
    says: 'tools/hooks/pre-commit',
  },
  { name: 'a folder of hooks', turns: () => [[write('scripts/git/pre-push', 'x\n')]], says: 'scripts/git' },
  {
    name: 'a script that npm runs at an install',
    turns: () => [[write('pkg/package.json', '{"scripts":{"postinstall":"x"}}\n')]],
    confined: 'without',
    says: 'pkg/package.json: scripts.postinstall',
  },
  { name: 'a hook that is moved away', turns: () => [[shell('mv .husky/pre-commit x')]], says: '.husky' },
]

boundary(
  ELSEWHERE.map(({ name, turns, confined = 'with', says }) => ({
    name: `${name} in another repository waits for a person under review: none`,
    ...external,
    confined,
    turns,
    held: ({ home }, { status }) => {
      expect([status, home.neo('t', 'hold') ?? '']).toEqual(['review', expect.stringContaining(says)])
    },
  })),
)

boundary([
  {
    name: 'everyday files of another repository merge by themselves',
    ...external,
    turns: () => [
      ['package.json', 'Makefile', 'src/config/a.ts', '.env.example'].map((path) => write(path, '{}\n')),
    ],
    held: (_, { status }) => {
      expect(status).toBe('completed')
    },
  },
])

const LINKS: readonly Pick<Case, 'name' | 'turns'>[] = [
  { name: 'an absolute link', turns: ({ outside }) => [[shell(`ln -s ${outside} out`)]] },
  { name: 'a link that rises', turns: () => [[shell('ln -s ../../../x out')]] },
  { name: 'a link through a link', turns: () => [[shell('ln -s . d; ln -s d/../../.. out')]] },
  { name: 'a link to secrets', turns: () => [[shell('ln -s ../../.env out')]] },
]

boundary(
  LINKS.map(({ name, turns }) => ({
    name: `${name} does not reach the base branch`,
    turns,
    held: ({ home }) => {
      expect(home.git('ls-tree', '-r', '--name-only', 'main')).not.toMatch(/files\/out$/m)
    },
  })),
)

boundary([
  {
    name: 'plain work merges by itself, a link that stays inside too',
    turns: () => [[write('a.txt', 'a\n'), shell('ln -s a.txt b')]],
    held: (_, { status }) => {
      expect(status).toBe('completed')
    },
  },
])
