/**
 * Floor of a small request over HTTP: a bare hono server that reads a JSON body and answers with a JSON of the same size.
 * No token, no checks, no hub.
 *
 *   node http.mjs
 *
 * Prints its address, then answers until it is killed.
 */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const app = new Hono()
app.post('/rpc', async (c) => {
  const { id, method, params } = await c.req.json()
  return c.json({ jsonrpc: '2.0', id, result: { method, params } })
})
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
  process.stdout.write(`ready http://127.0.0.1:${port} none\n`),
)
