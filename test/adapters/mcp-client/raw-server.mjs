/** A server of tools on standard streams that lists what its first argument says, as it is. A call gives its arguments. */
import { createInterface } from 'node:readline'

const tools = JSON.parse(process.argv[2] ?? '[]')
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'raw', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: JSON.stringify(params.arguments) }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  const result = ANSWERS[method]?.(params)
  if (result !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
}
