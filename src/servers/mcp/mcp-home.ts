/** What the door for models stands on: the hub of a home, who calls, and the files that resources show. */
import type { Principal } from '../../domain/policy/policy-acts.ts'
import type { Hub } from '../../hub/hub.ts'

export interface McpHome {
  readonly hub: Hub
  readonly principal: Principal
  /** Ours, as `neo --version` says it. */
  readonly version: string
  /** Text of a file by its path in the home; null if there is none. Asked only for paths that the hub has given. */
  readonly text: (path: string) => string | null
}
