/**
 * A server of tools on standard streams that lists what its first argument says, as it is. A call gives its arguments; before
 * that, in the same piece of output, the server sends what is in `first`: pairs of a method and its parameters.
 */
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
  if (result === undefined) continue
  const token = params?._meta?.progressToken
  const first = (params?.arguments?.first ?? []).map(([said, about]) => ({
    ...{ jsonrpc: '2.0', method: `notifications/${said}` },
    params: said === 'progress' ? { progressToken: token, ...about } : about,
  }))
  const lines = [...first, { jsonrpc: '2.0', id, result }].map((message) => `${JSON.stringify(message)}\n`)
  process.stdout.write(lines.join(''))
}
