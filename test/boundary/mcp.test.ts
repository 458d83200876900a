/** Servers of tools run as the person: none is started from a file that a model can change. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { boundary, type Row, write } from './rows.ts'

/** As a person writes it in ROOM.md. */
const WORKSPACE = '$\u007bNEO_WORKSPACE}'

const SERVERS: Readonly<Record<string, string>> = {
  'whose command is a file of the worktree': 'command: "WS/serve.sh"',
  'whose script is': 'command: node, args: ["WS/serve.cjs"]',
  'whose script is in an option': 'command: node, args: ["--require=WS/serve.cjs", -p, "1"]',
  'whose script is to be written by the model': 'command: sh, args: ["WS/later.sh"]',
  'that an interpreter finds in the folder': 'command: node, args: ["WS"]',
}

boundary(
  Object.entries(SERVERS).map(
    ([name, server]): Row => ({
      name: `a server of tools ${name} is not started`,
      confined: 'without',
      room: () => [`mcp_servers: { x: { ${server.replaceAll('WS', WORKSPACE)} } }`],
      given: (ground) => {
        const dir = join(ground.home.dir, 'workspace/files')
        ground.put(join(dir, 'serve.sh'), `#!/bin/sh\nid > ${ground.marker}\n`)
        chmodSync(join(dir, 'serve.sh'), 0o755)
        for (const file of ['serve.cjs', 'index.js'])
          ground.put(join(dir, file), `require('fs').writeFileSync(${JSON.stringify(ground.marker)}, 'x')\n`)
        ground.git(ground.home.dir, 'add', 'workspace')
        ground.git(ground.home.dir, 'commit', '-q', '-m', 'servers')
      },
      turns: ({ marker }) => [[write('later.sh', `id > ${marker}\n`)], [{ name: 'mcp_x', input: {} }]],
      held: (_, { status, asked }) => {
        expect([status, asked.includes('a model can change that file')]).toEqual(['completed', true])
      },
    }),
  ),
)
