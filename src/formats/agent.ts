/**
 * The file of a peer of the agent protocol, `workspace/agents/<id>.md`: reading it.
 * Takes bytes; gives a Peer, or problems. What decides about a peer is in this file, never in its announcement.
 */
import { filled, id } from './fields.ts'
import { baseName, given, readKind } from './kind.ts'
import type { Read } from './read.ts'
import { anything, keys, list, map, matching, text, texts, whole } from './shape.ts'
import { time } from './times.ts'

export interface Peer {
  /** The file's name. */
  readonly id: string
  readonly role: string
  readonly owner: string
  readonly endpoint?: string
  readonly member?: string
  readonly publicKey?: string
  readonly capabilities: readonly string[]
  readonly body: string
}

export const agentShape = keys({
  id: filled,
  role: filled,
  owner: filled,
  member: filled,
  endpoint: matching('a URL that starts with http:// or https://', /^https?:\/\/\S+$/),
  public_key: text(),
  capabilities: texts(filled),
  contexts: list(map(anything())),
  supported_languages: texts(filled),
  max_concurrent_queries: whole(),
  tailscale_node_id: text(),
  registered_at: time,
  last_seen_at: time,
  metadata: map(anything()),
  neo: keys({ id, created_at: time }),
})

/** Reads a peer. */
export function readAgent(file: string, bytes: Buffer | string): Read<Peer> {
  return readKind(file, bytes, {
    shape: agentShape,
    build: (known, doc) => ({
      id: baseName(file),
      role: known.role ?? '',
      owner: known.owner ?? '',
      capabilities: known.capabilities ?? [],
      body: doc.body,
      ...given<{ endpoint?: string; member?: string; publicKey?: string }>({
        endpoint: known.endpoint,
        member: known.member,
        publicKey: known.public_key,
      }),
    }),
  })
}
