/**
 * A real MCP server that does tasks, for tests. Its first argument chooses its tools; WORKER_LOG: a file that gets a line
 * with its process id at each call.
 */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'

const [, , mode = ''] = process.argv
const { WORKER_LOG, WORKER_KEY = '' } = process.env
const text = (said, more = {}) => ({ content: [{ type: 'text', text: said }], ...more })
const task = z.object({ prompt: z.string(), cwd: z.string(), model: z.string().optional() })

async function work({ prompt, cwd }, { mcpReq }) {
  if (WORKER_LOG !== undefined) appendFileSync(WORKER_LOG, `${process.pid}\n`)
  await mcpReq.log('info', `reads the task with ${WORKER_KEY}`)
  const { progressToken } = mcpReq._meta ?? {}
  await mcpReq.notify({
    method: 'notifications/progress',
    params: { progressToken, progress: 1, total: 2, message: 'half of it' },
  })
  if (prompt.includes('Hang')) await new Promise(() => {})
  if (prompt.includes('Fail')) return text('the tests are red\nin two files', { isError: true })
  if (prompt.includes('Busy')) return text('HTTP 429: too many requests', { isError: true })
  if (prompt.includes('Die')) process.exit(7)
  const again = prompt.includes('checks do not pass yet')
  writeFileSync(join(cwd, 'work.txt'), again ? 'good\n' : 'first\n')
  if (prompt.includes('Escape')) writeFileSync(join(process.env['OUTSIDE'] ?? '', 'escaped.txt'), 'x')
  return text(`the work is done with ${WORKER_KEY}\n\nIt was easy.`)
}

serveStdio(() => {
  const server = new McpServer({ name: 'worker', version: '1' }, { capabilities: { tools: {}, logging: {} } })
  server.registerTool('do', { description: 'Does a task.', inputSchema: task }, work)
  const reply = z.object({ prompt: z.string(), thread: z.string() })
  server.registerTool('reply', { description: 'Goes on.', inputSchema: reply }, async () => text('replied'))
  if (mode === 'many')
    server.registerTool(
      'review',
      { description: 'Reviews.', inputSchema: z.object({ question: z.string() }) },
      async ({ question }) => text(`reviewed ${question.includes('the door')}`),
    )
  return server
})
