/**
 * A real server of tools on standard streams, for tests. `SERVER_LOG`: a file that gets a line at each start.
 * Its first argument may be `silent`: it never answers; `broken`: it ends at once with words.
 */
import { appendFileSync } from 'node:fs'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'

const { SERVER_LOG, SERVER_KEY = '' } = process.env
const [, , mode = ''] = process.argv
if (SERVER_LOG !== undefined) appendFileSync(SERVER_LOG, `${process.pid}\n`)
if (mode === 'broken') {
  process.stderr.write('starting\nno licence was found\n')
  process.exit(1)
}

const text = (...lines) => ({ content: lines.map((line) => ({ type: 'text', text: line })) })
const READS = { annotations: { readOnlyHint: true } }

function build() {
  const server = new McpServer({ name: 'shelf', version: '1.0.0' }, { capabilities: { tools: {} } })
  const tool = (name, description, run, more = {}) => server.registerTool(name, { description, ...more }, run)
  tool('look up', 'Finds a book.', async ({ title }) => text(`${title} is on shelf 3`, `key ${SERVER_KEY}`), {
    inputSchema: z.object({ title: z.string(), where: z.object({ floor: z.number() }).optional() }),
    ...READS,
  })
  tool('lend', 'Lends a book.', async ({ title }) => text(`${title} is lent`), {
    inputSchema: z.object({ title: z.string() }),
  })
  tool('fail', 'Fails.', async () => ({ ...text('the shelf is locked'), isError: true }), READS)
  tool(
    'die',
    'Ends the server.',
    async () => {
      process.stderr.write('the roof fell in\n')
      process.exit(1)
    },
    READS,
  )
  tool('hang', 'Never answers.', () => new Promise(() => {}), READS)
  tool('env', 'Names in the environment.', async () => text(Object.keys(process.env).sort().join(' ')), READS)
  tool('flood', 'Much text.', async () => text('x'.repeat(200_000)), READS)
  tool(
    'picture',
    'A picture.',
    async () => ({
      content: [
        { type: 'image', mimeType: 'image/png', data: Buffer.alloc(10).toString('base64') },
        { type: 'resource', resource: { uri: 'shelf://3', mimeType: 'text/plain', text: 'Shelf 3' } },
      ],
    }),
    READS,
  )
  return server
}

if (mode === 'silent') {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
} else serveStdio(build)
