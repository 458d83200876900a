/**
 * The library of the protocol, loaded when somebody first talks: it is an optional dependency and takes a while.
 */
import { NeoError } from '../../domain/home/error.ts'
import { installHint } from '../../domain/text/install-hint.ts'

export type Library = typeof import('@modelcontextprotocol/server')
export type Server = InstanceType<Library['Server']>

/** Throws NeoError `failed` if it is not installed. */
export async function loadLibrary(): Promise<Library> {
  try {
    return await import('@modelcontextprotocol/server')
  } catch (error) {
    throw new NeoError(
      'failed',
      'Cannot start the MCP server: the package @modelcontextprotocol/server is not installed',
      {
        why: 'it is an optional dependency that was skipped during installation',
        next: installHint(import.meta.url, ['@modelcontextprotocol/server']),
        cause: error,
      },
    )
  }
}
