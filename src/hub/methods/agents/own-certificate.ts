/** The hash of a TLS certificate of one's own: others can't tell by the agent's key that it is the right one. */
import { X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import { NeoError, whyOf } from '../../../domain/home/error.ts'
import type { AgentConfig } from '../../../domain/peer/peer.ts'
import type { HubEnv } from '../../env.ts'

const MOST_PEM_BYTES = 1024 * 1024

/** `sha256:` and 64 hex digits; null if the certificate is made from the key, or a proxy has one. Throws NeoError `config`. */
export function ownCertificate({ context }: HubEnv, { tls }: Pick<AgentConfig, 'tls'>): string | null {
  if (typeof tls === 'string') return null
  const read = context.world.files.read(resolve(context.home, tls.cert), MOST_PEM_BYTES)
  if (read.kind !== 'file')
    throw unreadable(tls.cert, read.kind === 'missing' ? 'the file is missing' : read.why)
  try {
    const { fingerprint256 } = new X509Certificate(read.bytes)
    return `sha256:${fingerprint256.replaceAll(':', '').toLowerCase()}`
  } catch (error) {
    throw unreadable(tls.cert, whyOf(error))
  }
}

function unreadable(path: string, why: string): NeoError {
  return new NeoError('config', `Cannot read the certificate "${path}" of agent.tls: ${why}`)
}
