/**
 * Masks secrets in a message before it is saved. Pure. Invariant 1: the metadata names what was masked, never its value.
 */
import { maskSecrets } from '../../domain/secrets/distill-secrets.ts'
import type { Inbound } from '../channel-message.ts'

/** Codes of pairing, presses of buttons and answers to asks are carried out as they are. */
export function withoutSecrets(message: Inbound): Inbound {
  const { kind, metadata, content } = message
  const isWord =
    metadata['pairing'] !== undefined || metadata['press'] !== undefined || /^\/start\b/.test(content)
  if (message.channel === 'system' || (kind === 'command' && isWord)) return message
  const { text, keys } = maskSecrets(content)
  if (text === content) return message
  return { ...message, content: text, metadata: { ...metadata, masked: [...new Set(keys)].join(', ') } }
}
