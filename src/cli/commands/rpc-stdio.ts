/**
 * `neo rpc --stdio`: the hub on stdin and stdout, one JSON-RPC message a line, both ways. While a daemon serves the hub,
 * messages are relayed to it; else the hub opens in this process, and subscribers hear of changed files. Invariant 1:
 * nothing but messages goes to stdout.
 */
import { randomUUID } from 'node:crypto'
import type { WebSocket } from 'ws'
import { type DaemonAddress, daemonAddress } from '../../client/daemon-address.ts'
import { openWebSocket } from '../../client/daemon-socket.ts'
import { type LocalHub, watchedLocalHub } from '../../client/local-hub.ts'
import { NeoError, whyOf } from '../../domain/home/error.ts'
import { backlogOf, linesOf } from '../../servers/shared/client-stream.ts'
import { RPC_LIMITS } from '../../servers/shared/json-rpc.ts'
import { serveStdio } from '../../servers/shared/rpc-connection.ts'
import type { Call } from '../spec.ts'
import { withHub } from '../with-hub.ts'

export function rpcStdio(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const local = await hub.local()
    const { home, world } = local
    const address = daemonAddress(home, world.files, world.processes.alive)
    return address === null ? await alone(call, local) : await relay(call, address)
  })
}

/** In this process, also if a daemon starts in the meantime. */
async function alone({ around }: Call, local: LocalHub): Promise<number> {
  const hub = await watchedLocalHub(local)
  try {
    await serveStdio({ hub, principal: { kind: 'human' }, input: around.stdin, output: around.stdout })
  } finally {
    await hub.end()
  }
  return 0
}

/** Relays messages to the daemon unchanged, both ways. */
async function relay({ around }: Call, address: DaemonAddress): Promise<number> {
  const ws = await openWebSocket(address).catch((cause: unknown) => {
    throw new NeoError('failed', `Cannot reach the daemon at ${address.url}`, { why: whyOf(cause), cause })
  })
  const { stdin, stdout } = around
  const backlog = backlogOf(stdout, Number.POSITIVE_INFINITY)
  const end = `end-${randomUUID()}`
  let answered = (): void => {}
  const all = new Promise<null>((resolve) => {
    answered = () => resolve(null)
  })
  ws.on('message', (data) => {
    const text = data.toString()
    if (text.includes(end)) return answered()
    stdout.write(`${text}\n`)
    if (backlog.free()) return
    ws.pause()
    void backlog.room().then(
      () => ws.resume(),
      () => ws.terminate(),
    )
  })
  const closed = new Promise<string>((resolve) => ws.on('close', (_, why) => resolve(why.toString())))
  // Messages are answered in order: after the answer to this last one, all are answered.
  const last = JSON.stringify({ jsonrpc: '2.0', id: end, method: 'unsubscribe', params: { channel: 'asks' } })
  void send(ws, stdin).then(() => ws.send(last, () => {}))
  const why = await Promise.race([all, closed])
  ws.close()
  if (why === null) return 0
  stdin.destroy()
  throw new NeoError('failed', 'Cannot continue: the daemon closed the connection', {
    ...(why === '' ? {} : { why }),
    next: 'neo status says whether it runs',
  })
}

async function send(ws: WebSocket, input: NodeJS.ReadStream): Promise<void> {
  for await (const line of linesOf(input, RPC_LIMITS.length))
    if (line.trim() !== '') await new Promise<void>((sent) => ws.send(line, () => sent()))
}
