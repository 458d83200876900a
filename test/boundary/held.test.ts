/** Work that only a person merges, whatever `review` says, and links that lead out. */
import { expect } from 'vitest'
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
