/** An agent that is no home: a key, and requests of any content that are signed with it, over a real connection. */
import type { SignedParts } from '../../src/aoi/wire/signature.ts'
import type { Node } from './node.ts'
import { agent, signed, wire } from './wire/signed.ts'

export interface Sent {
  /** Of HTTP. */
  readonly status: number
  readonly text: string
  /** Null without a body. */
  readonly reply: Reply | null
}

export interface Reply {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** A request as it goes over the wire: it can be sent again. */
export interface Recorded {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const AOI = '/aoi/v1/rpc'

export interface SigningAgent {
  readonly id: string
  readonly publicKey: string
  /** `parts`: what is signed instead of the usual. */
  sign(body: string, parts?: Partial<SignedParts>): Promise<Recorded>
  send(recorded: Recorded): Promise<Sent>
  /** A call of this method, signed and sent. `id`: 1 if none is given. */
  call(method: string, params: unknown, id?: string | number): Promise<Reply>
}

/** Its file is in the home of the node. */
export async function signingAgent(id: string, node: Node): Promise<SigningAgent> {
  const { peer, privateKey } = agent(id)
  const { publicKey } = peer
  await node.call('agent.add', { agentId: id, publicKey })
  const send = async ({ path, headers, body }: Recorded) => {
    const reply = await wire.send({
      ...{ url: node.endpoint() + path, method: 'POST', trust: null, timeoutMs: 120_000 },
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
      body,
    })
    if (reply.kind !== 'reply') throw new Error(reply.why)
    return reply
  }
  const sign: SigningAgent['sign'] = async (body, parts = {}) => {
    const { headers } = await send({ path: AOI, headers: {}, body: '{}' })
    const fresh = { epoch: headers['neo-epoch'] ?? '', created: Number(headers['neo-time']), to: node.id }
    const request = signed({ peer, privateKey }, { path: AOI, ...fresh, ...parts }, body)
    return { path: request.path, headers: request.headers, body }
  }
  const self: SigningAgent = {
    id,
    publicKey,
    sign,
    async send(recorded) {
      const { status, body } = await send(recorded)
      return { status, text: body, reply: body === '' ? null : (JSON.parse(body) as Reply) }
    },
    async call(method, params, of = 1) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: of, method, params })
      return (await self.send(await sign(body))).reply ?? {}
    },
  }
  return self
}
