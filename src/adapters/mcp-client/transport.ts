/**
 * How a server of tools is reached: a process of Neo that talks over its standard streams, or an address. Invariant 1:
 * an end resolves within two seconds, and no process that was started here is left after it. Invariant 2: what a process
 * writes to its standard error is taken, so that it never waits for a reader.
 */
import type { McpServer } from '../../ports/mcp-port.ts'

/** Loaded at the first server: a home without servers does not pay for it. */
export type Library = typeof import('@modelcontextprotocol/client') &
  Pick<typeof import('@modelcontextprotocol/client/stdio'), 'StdioClientTransport'>

export interface Reached {
  readonly transport: InstanceType<Library['StdioClientTransport' | 'StreamableHTTPClientTransport']>
  /** The last line that its process wrote to its standard error; '' if there isn't one. */
  said(): string
  end(): Promise<void>
}

/** For a process to end by itself after its input was closed. */
const GRACE_MS = 1000
/** Of what a process says beside the protocol. */
const MOST_SAID = 4096

export async function loadLibrary(): Promise<Library> {
  const [client, stdio] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ])
  return { ...client, StdioClientTransport: stdio.StdioClientTransport }
}

/** Starts nothing yet: the library's client does. */
export function reach(library: Library, server: McpServer): Reached {
  return server.kind === 'stdio' ? reachProcess(library, server) : reachAddress(library, server)
}

function reachProcess(library: Library, server: McpServer & { readonly kind: 'stdio' }): Reached {
  const [command, ...args] = server.argv
  const { env, cwd } = server
  const transport = new library.StdioClientTransport({ command, args, env: { ...env }, cwd, stderr: 'pipe' })
  let tail = ''
  transport.stderr?.on('data', (piece: Buffer) => {
    tail = `${tail}${piece.toString('utf8')}`.slice(-MOST_SAID)
  })
  return {
    transport,
    said: () => tail.trim().split('\n').at(-1)?.trim() ?? '',
    async end() {
      const { pid } = transport
      const closed = transport.close().catch(() => {})
      await Promise.race([closed, pause(GRACE_MS)])
      if (pid !== null) kill(pid)
      await Promise.race([closed, pause(GRACE_MS)])
    },
  }
}

function reachAddress(library: Library, { url, headers }: McpServer & { readonly kind: 'http' }): Reached {
  const transport = new library.StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { ...headers } },
  })
  return {
    transport,
    said: () => '',
    async end() {
      await Promise.race([transport.terminateSession().catch(() => {}), pause(GRACE_MS)])
      await Promise.race([transport.close().catch(() => {}), pause(GRACE_MS)])
    },
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
