/**
 * Tokens for clients of A2A that can't sign: one for an agent, stored as its hash in a file of mode 600. Invariant 1: a new
 * token replaces the earlier one, and a revoked agent has none.
 */
import { isMap } from '../../domain/text/is-map.ts'
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Files } from '../../ports/files-port.ts'

/** Says in logs and scanners of secrets what it is. */
const PREFIX = 'neo_agent_'

export interface AgentTokens {
  make(agentId: string): string
  revoke(agentId: string): void
  /** Whose it is; null: nobody's. */
  of(token: string): string | null
}

/** @param dir `<git dir>/neo` */
export function openAgentTokens(files: Pick<Files, 'readJson' | 'writeJson'>, dir: string): AgentTokens {
  const path = join(dir, 'agent', 'tokens.json')
  const all = (): Readonly<Record<string, unknown>> => {
    const read = files.readJson(path)
    return isMap(read) ? { ...read } : {}
  }
  return {
    make(agentId) {
      const token = PREFIX + randomBytes(32).toString('base64url')
      files.writeJson(path, { ...all(), [agentId]: hashOf(token) })
      return token
    },
    revoke(agentId) {
      const { [agentId]: own, ...others } = all()
      if (own !== undefined) files.writeJson(path, others)
    },
    of(token) {
      const hash = hashOf(token)
      return Object.entries(all()).find(([, known]) => known === hash)?.[0] ?? null
    },
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
