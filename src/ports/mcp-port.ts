import type { JsonObject } from '../domain/agent/model-message.ts'

/** An MCP server, with every `${NAME}` filled in. */
export type McpServer =
  | {
      readonly name: string
      readonly kind: 'stdio'
      readonly argv: readonly [string, ...string[]]
      /** Added to PATH, HOME and the like, which are all that it gets of the daemon's environment. */
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string
    }
  | {
      readonly name: string
      readonly kind: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }

export interface McpTool {
  /** As its server calls it. */
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly schema: JsonObject
  /** Its server declares that it changes nothing. */
  readonly readOnly: boolean
}

/** A tool that can't be offered to models. */
export interface SkippedTool {
  readonly name: string
  readonly why: string
}

export interface McpConnection {
  readonly tools: readonly McpTool[]
  readonly leftOut: readonly SkippedTool[]
  /**
   * One call, with its result as text. A server that died is restarted once. Errors, a timeout and an aborted signal are
   * results with `isError`; it never throws.
   */
  call(
    of: { readonly tool: string; readonly args: JsonObject },
    limits: {
      readonly ms: number
      readonly signal: AbortSignal
      /** Gets the server's progress and log messages while it works, one line each. */
      readonly said?: (line: string) => void
    },
  ): Promise<{ readonly text: string; readonly isError: boolean }>
  /** Ends the connection, and the process of a stdio server. Resolves within some seconds. */
  close(): Promise<void>
}

export interface McpClients {
  /** Opens the servers in parallel: by name, the connection, or in one line why it can't be used. */
  open(
    servers: readonly McpServer[],
    options: { readonly ms: number; readonly signal: AbortSignal },
  ): Promise<ReadonlyMap<string, McpConnection | { readonly wrong: string }>>
}
