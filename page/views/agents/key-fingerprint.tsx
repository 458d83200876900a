/** The fingerprint of a key: short enough to compare on the phone. */
import { useEffect, useState } from 'preact/hooks'
import { visible } from '../../parts/text.ts'

const BYTES = 16

/** A row of `dl.pairs`; none without a key. */
export function FingerprintPair({ publicKey }: { readonly publicKey: string | null }) {
  if (publicKey === null) return null
  return (
    <>
      <dt>Fingerprint</dt>
      <dd>
        <Fingerprint publicKey={publicKey} />
      </dd>
    </>
  )
}

function Fingerprint({ publicKey }: { readonly publicKey: string }) {
  const [text, setText] = useState<string | null>(null)
  useEffect(() => {
    let isCurrent = true
    void fingerprintOf(publicKey).then((found) => {
      if (isCurrent) setText(found)
    })
    return () => {
      isCurrent = false
    }
  }, [publicKey])
  return <code class="fingerprint">{text ?? '…'}</code>
}

/** The first half of the SHA-256 of the key, in groups. Browsers hash only on safe origins: elsewhere the key itself. */
async function fingerprintOf(publicKey: string): Promise<string> {
  const subtle = globalThis.crypto.subtle as SubtleCrypto | undefined
  if (subtle === undefined) return visible(publicKey)
  const hash = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(publicKey)))
  const hex = [...hash.slice(0, BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replaceAll(/(.{4})(?=.)/g, '$1 ')
}
