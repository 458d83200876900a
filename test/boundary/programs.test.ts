/** Programs that a model wrote: where PATH holds a relative folder, nothing of ours is started from the worktree. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { commitAll, type Ground } from './ground.ts'
import { boundary, type Row, shell } from './rows.ts'

const PROGRAMS = 'bwrap sh env getconf df du chrt sleep setsid git rg'

const external = ({ top }: Ground) => join(top, 'ws')

const rows: readonly Row[] = ['./bin', 'bin', '', '.'].map((folder) => ({
  name: `programs of the worktree are not run where PATH begins with ${JSON.stringify(folder)}`,
  room: (ground) => [`workspace: ${external(ground)}`, 'verify: ["true"]'],
  given: (ground) => {
    ground.put(join(external(ground), 'a.txt'), 'a\n')
    commitAll(external(ground))
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
    onTestFinished(() => void vi.unstubAllEnvs())
  },
  turns: ({ marker }) => [
    [
      shell(
        `mkdir -p bin; for p in ${PROGRAMS}; do printf '#!/bin/sh\\nid > ${marker}\\n' > bin/$p; chmod +x bin/$p; cp bin/$p .; done`,
      ),
    ],
    [shell('echo after > after.txt'), { name: 'grep', input: { pattern: 'a' } }],
  ],
  held: (ground) => {
    expect(readFileSync(join(external(ground), 'after.txt'), 'utf8')).toBe('after\n')
  },
}))

boundary(rows)
