/** File tools alone: what a model can reach without any command, with bubblewrap and without. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { boundary, type Row, write } from './rows.ts'

const read = (path: string) => ({ name: 'read_file', input: { path } })

const rows: readonly Row[] = [
  {
    name: 'paths that lead out of the workspace are refused',
    confined: 'both',
    turns: ({ home, outside }) => [
      ['../../.env', '../../rooms/vault/ROOM.md', `${home.dir}/.env`, `${outside}/keep.txt`].map(read),
      [write('../../.env', 'x'), write(`${outside}/keep.txt`, 'x'), write('../../neo.yaml', 'x')],
      [write('a.txt', 'mine\n')],
    ],
    held: ({ home }, { asked }) => {
      expect(home.read('workspace/files/a.txt')).toBe('mine\n')
      expect(asked).not.toContain('keep\n')
    },
  },
  {
    name: 'committed links that lead out of the workspace are not followed',
    confined: 'both',
    given: ({ home, outside, git }) => {
      const at = (name: string) => join(home.dir, 'workspace/files', name)
      symlinkSync('../../.env', at('env'))
      symlinkSync(outside, at('out'))
      symlinkSync('../..', at('up'))
      git(home.dir, 'add', 'workspace')
      git(home.dir, 'commit', '-q', '-m', 'links')
    },
    turns: () => [
      ['env', 'out/keep.txt', 'up/.env', 'up/rooms/vault/ROOM.md'].map(read),
      [write('env', 'x'), write('out/new.txt', 'x'), write('up/rooms/vault/ROOM.md', 'x')],
      [{ name: 'grep', input: { pattern: '.', path: 'up' } }],
    ],
  },
]

boundary(rows)
