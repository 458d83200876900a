/**
 * What was masked of a message before it was kept, said to whoever said it.
 */
import { maskSecrets } from '../../domain/secrets/distill-secrets.ts'
import type { Call } from '../spec.ts'

export function sayMasked(call: Call, content: string): void {
  const { keys } = maskSecrets(content)
  if (keys.length > 0) call.out.note(`Masked, and kept nowhere: ${[...new Set(keys)].join(', ')}`)
}
