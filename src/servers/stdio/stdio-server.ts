/**
 * The hub over two streams, one message of JSON-RPC a line, both ways. Invariant 1: a line that is too long is answered
 * with an error, and the next one is read as if nothing had been. Invariant 2: lines are carried out one after the
 * other; nothing is read ahead of them beyond what the pipe holds.
 */
import type { Readable, Writable } from 'node:stream'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { Hub } from '../../hub/hub.ts'
import { backlogOf } from '../shared/backlog.ts'
import { converse } from '../shared/rpc-connection.ts'
import { RPC_LIMITS } from '../shared/json-rpc.ts'
import { linesOf } from '../shared/socket-lines.ts'

export interface StdioOptions {
  readonly hub: Hub
  readonly principal: Principal
  readonly input: Readable
  readonly output: Writable
}

/** Resolves when the input has ended and all of it is answered, or the output is gone. */
export async function serveStdio({ hub, principal, input, output }: StdioOptions): Promise<void> {
  const backlog = backlogOf(output, Number.POSITIVE_INFINITY)
  const outlet = { room: () => backlog.room(), write: (text: string) => void output.write(`${text}\n`) }
  const conversation = converse(hub, principal, outlet)
  const gone = (): void => {
    backlog.close()
    input.destroy()
  }
  output.once('error', gone)
  output.once('close', gone)
  try {
    for await (const line of linesOf(input, RPC_LIMITS.length))
      if (line.trim() !== '') await conversation.receive(line)
  } catch (error) {
    if (!input.destroyed) throw error
  } finally {
    conversation.close()
    backlog.close()
    output.off('close', gone)
  }
}
