/**
 * The file that another home saves as `workspace/agents/<id>.md` to know this one: what `neo agent keygen` prints and
 * `neo agent add -` reads. And fingerprints of keys, for people to compare.
 */
import { createHash } from 'node:crypto'
import type { Peer } from '../../domain/peer/peer.ts'
import { renderDocument } from '../../files/edit/edit-header.ts'
import { readAgent } from '../../files/kinds/read-agent.ts'
import { brokenFile, usage } from '../cli-failure.ts'

export interface OwnAgent {
  readonly id: string
  readonly role: string
  readonly owner: string
  /** Null: others can't reach it. */
  readonly endpoint: string | null
  readonly publicKey: string
  /** Of TLS, `sha256:` and 64 hex digits; null: it is made from the key. */
  readonly certificate: string | null
  readonly contexts: readonly { readonly type: string; readonly identifier: string }[]
}

export function agentBlock(agent: OwnAgent): string {
  const { id, role, owner, endpoint, publicKey, certificate, contexts } = agent
  const text = renderDocument(
    {
      role,
      owner,
      ...(endpoint === null ? {} : { endpoint }),
      public_key: publicKey,
      ...(certificate === null ? {} : { certificate }),
      ...(contexts.length === 0
        ? {}
        : { contexts: contexts.map(({ type, identifier }) => ({ type, identifier })) }),
    },
    `The agent of ${owner}.\n`,
  )
  return text.replace(
    '---\n',
    `---\n# Save this as workspace/agents/${id}.md, or pipe it into: neo agent add -\n`,
  )
}

const NAMED = /^# .*workspace\/agents\/([a-z0-9-]+)\.md/m

/** `id`: null if the block names it. Throws NeoError `usage` or `failed`. */
export function readBlock(text: string, id: string | null): Peer {
  const named = id ?? NAMED.exec(text)?.[1]
  if (named === undefined)
    throw usage('Cannot add the agent: the text on stdin does not name its id', 'neo agent add ID - < FILE')
  // Mail and chat programs put empty lines around it.
  const read = readAgent(`workspace/agents/${named}.md`, `${text.trim()}\n`)
  if (read.kind === 'bad') throw brokenFile('Cannot add the agent', read.problems)
  if (read.kind === 'ok' && read.value.kind === 'peer' && read.value.peer.publicKey !== undefined)
    return read.value.peer
  throw usage(
    'Cannot add the agent: the text on stdin has no public_key',
    'neo agent keygen, in the other home',
  )
}

/** Eight groups of hex digits: half of the SHA-256 of the key. */
export function fingerprintOf(publicKey: string): string {
  const hex = createHash('sha256').update(publicKey).digest('hex').slice(0, 32)
  return (hex.match(/.{4}/g) ?? []).join(' ')
}
