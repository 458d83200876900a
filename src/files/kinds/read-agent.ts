/**
 * The file of a peer of the agent protocol, `workspace/agents/<id>.md`: reading it. What decides about a peer is in this
 * file, never in its announcement.
 */
import { filled, neoBlock } from '../values/header-values.ts'
import { baseName, given, readKind } from '../values/kind.ts'
import type { Read } from '../header/read-header.ts'
import { anything, keys, list, map, matching, said, text, texts, whole } from '../values/shape.ts'
import { time } from '../values/times.ts'

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
  id: said('The id of the agent.', filled),
  role: said('Its role.', filled),
  owner: said('Who it belongs to.', filled),
  member: said('The member it acts for.', filled),
  endpoint: said(
    'Where it is reached.',
    matching('a URL that starts with http:// or https://', /^https?:\/\/\S+$/),
  ),
  public_key: said('Its public key.', text()),
  capabilities: said('What it can do.', texts(filled)),
  contexts: said('What it knows about.', list(map(anything()))),
  supported_languages: said('Languages it understands.', texts(filled)),
  max_concurrent_queries: said('Queries at a time.', whole()),
  tailscale_node_id: said('Its node in a tailnet.', text()),
  registered_at: said('When it was registered.', time),
  last_seen_at: said('When it was last seen.', time),
  metadata: said('Anything else.', map(anything())),
  neo: said("Neo's own block, always last.", keys(neoBlock)),
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
