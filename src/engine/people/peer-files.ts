/**
 * Agents of other homes, and personas, by their files. A change of a file counts at once. Invariant 1: a file that can't
 * be read gives nobody access: no earlier or committed version of it counts.
 */
import type { Peer } from '../../domain/peer/peer.ts'
import { isAgentId, type Persona, readAgent } from '../../files/kinds/read-agent.ts'
import type { ReadResult } from '../../ports/files-port.ts'
import { type FolderSource, listOf, rowAt } from './folder-rows.ts'

/** Relative to the home. */
export const AGENTS = 'workspace/agents'

export interface PersonaFile extends Persona {
  /** Relative to the home. */
  readonly path: string
}

interface AgentLists {
  readonly peers: readonly Peer[]
  readonly personas: readonly PersonaFile[]
}

type Said = Peer | PersonaFile | null

const FILES = { folder: AGENTS, said: saidIn }

/** Sorted by id, with revoked ones, which have no access. Without a change the same list is returned. */
export function peersIn(source: FolderSource): readonly Peer[] {
  return agentsOf(source).peers
}

/** Also a revoked one, which has no access. Null: nobody has this id. */
export function peerIn(source: FolderSource, id: string): Peer | null {
  const said = isAgentId(id) ? (rowAt(source, FILES, `${id}.md`)?.said ?? null) : null
  return said === null || 'kind' in said ? null : said
}

/** Sorted by file name. */
export function personasIn(source: FolderSource): readonly PersonaFile[] {
  return agentsOf(source).personas
}

export function agentsOf(source: FolderSource): AgentLists {
  return listOf(source, FILES, (said) => ({
    peers: said.flatMap((one) => (one === null || 'kind' in one ? [] : [one])),
    personas: said.flatMap((one) => (one !== null && 'kind' in one ? [one] : [])),
  }))
}

function saidIn(path: string, read: ReadResult): Said {
  const said = read.kind === 'file' ? readAgent(path, read.bytes) : null
  if (said?.kind !== 'ok') return null
  return said.value.kind === 'peer' ? said.value.peer : { ...said.value, path: `${AGENTS}/${path}` }
}
