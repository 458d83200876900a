/**
 * The key of this home's agent, `<git dir>/neo/agent/key.pem` (mode 600), and a TLS certificate made from it beside it.
 * Invariants: 1. a key is never replaced: peers know the home by it, so a broken file is an error; 2. of two programs that
 * make it at the same time, both use the one that was saved first; 3. the certificate is made again if it isn't of this
 * key and name, or ends within 30 days.
 */
import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { NeoError } from '../../domain/home/error.ts'
import type { Files } from '../../ports/files-port.ts'
import type { PeerWire } from '../../ports/peer-port.ts'

export interface KeyFile {
  /** PEM. Throws NeoError `config` if the key is missing or can't be read. */
  read(): string
  /** Makes the key if it is missing. */
  make(): { readonly publicKey: string; readonly created: boolean }
  /** Null if no key was made yet. Throws NeoError `config` if it can't be read. */
  publicKey(): string | null
  /** PEM, for this name (the agent's id). Throws as `read` does. */
  certificate(name: string): Promise<string>
}

interface KeyFileOptions {
  readonly wire: Pick<PeerWire, 'newKey' | 'publicKeyOf' | 'certificateOf'>
  readonly files: Pick<Files, 'read' | 'savePrivate'>
  /** The git dir of the home. */
  readonly dir: string
}

const MOST_BYTES = 64 * 1024
const RENEW_MS = 30 * 24 * 3_600_000

export function keyFile({ wire, files, dir }: KeyFileOptions): KeyFile {
  const path = join(dir, 'neo/agent/key.pem')
  const certificatePath = join(dir, 'neo/agent/cert.pem')

  function stored(): string | null {
    const read = files.read(path, MOST_BYTES)
    if (read.kind === 'missing') return null
    if (read.kind === 'file') return read.bytes.toString()
    throw new NeoError('config', `Cannot read the agent key "${path}": ${read.why}`)
  }

  function mustBe(): string {
    const pem = stored()
    if (pem !== null) return pem
    throw new NeoError('config', 'This home has no agent key yet', { next: 'neo agent keygen' })
  }

  return {
    read: mustBe,
    make() {
      const before = stored()
      if (before !== null) return { publicKey: wire.publicKeyOf(before), created: false }
      const { privateKey } = wire.newKey()
      const isSaved = files.savePrivate(path, Buffer.from(privateKey), null).kind === 'saved'
      return { publicKey: wire.publicKeyOf(mustBe()), created: isSaved }
    },
    publicKey() {
      const pem = stored()
      return pem === null ? null : wire.publicKeyOf(pem)
    },
    async certificate(name) {
      const pem = mustBe()
      const read = files.read(certificatePath, MOST_BYTES)
      const before = read.kind === 'file' ? read.bytes.toString() : ''
      if (isGood(before, { publicKey: wire.publicKeyOf(pem), name })) return before
      const made = await wire.certificateOf(pem, name)
      const saved = files.savePrivate(certificatePath, Buffer.from(made), null)
      if (saved.kind === 'changed') files.savePrivate(certificatePath, Buffer.from(made), saved.hash)
      return made
    },
  }
}

function isGood(pem: string, want: { readonly publicKey: string; readonly name: string }): boolean {
  try {
    const certificate = new X509Certificate(pem)
    const key = certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url')
    const isNamed = certificate.subject === `CN=${want.name}`
    return (
      `p256:${key}` === want.publicKey && isNamed && Date.parse(certificate.validTo) > Date.now() + RENEW_MS
    )
  } catch {
    return false
  }
}
