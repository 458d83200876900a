/** Tells the sender what was masked in a message before it was saved. */
import { maskSecrets } from '../../domain/secrets/distill-secrets.ts'
import type { Call } from '../spec.ts'

export function sayMasked(call: Call, content: string): void {
  const { keys } = maskSecrets(content)
  if (keys.length > 0) call.out.note(`Masked before saving: ${[...new Set(keys)].join(', ')}`)
}
