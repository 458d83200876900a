/** The port PeerWire over node's TLS, HTTP and crypto. */
import type { PeerWire } from '../../ports/peer-port.ts'
import { peerKeys } from './peer-keys.ts'
import type { ListenLimits } from './peer-listener.ts'
import type { Sender } from './send-request.ts'

/** Set by tests. */
export interface PeerWireOptions {
  /** PEM of an authority beside the system's. */
  readonly ca?: string
  readonly limits?: ListenLimits
}

export function openPeerWire({ ca, limits }: PeerWireOptions = {}): PeerWire {
  let sender: Promise<Sender> | null = null
  const opened = () => {
    sender ??= import('./send-request.ts').then(({ openSender }) => openSender(ca))
    return sender
  }
  return {
    ...peerKeys(),
    async certificateOf(privateKey, name) {
      const { selfSigned, tenYears } = await import('./self-signed.ts')
      return selfSigned({ privateKey, name, ...tenYears(Date.now()) })
    },
    send: async (request, signal) => (await opened()).send(request, signal),
    listen: async (options) => (await import('./peer-listener.ts')).listenForPeers(options, limits),
  }
}
