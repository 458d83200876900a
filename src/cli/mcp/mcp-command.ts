/**
 * `neo mcp`: an MCP server for an editor's model, on stdin and stdout. Invariant 1: stdout gets only messages. Invariant
 * 2: every call has the rights of an editor's model: see docs/mcp.md.
 */
import { join } from 'node:path'
import { serveMcp } from '../../servers/mcp/mcp-stdio.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'
import { lastingHub } from '../../client/lasting-hub.ts'

const MOST_SHOWN = 1024 * 1024

export async function mcp(call: Call): Promise<number> {
  const client = call.text('printConfig')
  if (client !== null) return (await import('./print-config.ts')).printConfig(call, client)
  return await withHub(call, async (client) => {
    const local = await client.local()
    const { stdin, stdout, stderr, version, onSignal } = call.around
    const { files } = local.world
    const hub = await lastingHub(local)
    const text = (path: string): string | null => {
      const read = files.read(join(local.home, path), MOST_SHOWN)
      return read.kind === 'file' ? read.bytes.toString('utf8') : null
    }
    const stop = onSignal(() => stdin.destroy())
    try {
      await serveMcp({
        home: { hub, principal: { kind: 'editor' }, version, text },
        input: stdin,
        output: stdout,
        log: (line) => void stderr.write(`neo mcp: ${line.replaceAll(/\s+/g, ' ').slice(0, 500)}\n`),
      })
    } finally {
      stop()
      await hub.end()
    }
    return 0
  })
}
