/**
 * The official client of the protocol, in each era, over HTTP and over the standard streams of a real `neo mcp`.
 * Takes a door or a home; gives a connected client, closed with the test.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import type { RunningServers } from '../../../src/servers/open-servers.ts'
import { NEO_ARGV } from './program.ts'

export type Era = 'legacy' | 'auto'
export const ERAS: readonly Era[] = ['legacy', 'auto']

export interface Said {
  readonly text: string
  readonly data: Readonly<Record<string, unknown>>
  readonly isError: boolean
}

export async function overHttp(
  { url, token }: Pick<RunningServers, 'url' | 'token'>,
  era: Era,
): Promise<Client> {
  const headers = { Authorization: `Bearer ${token()}` }
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
  return await connected(transport, era)
}

/** @param env by itself, the program trusts every home */
export async function overStdio(
  home: string,
  era: Era,
  env: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const [command, ...args] = NEO_ARGV
  const transport = new StdioClientTransport({
    command,
    args: [...args, 'mcp', '--home', home],
    env: { NEO_TRUST: '1', ...env },
    stderr: 'ignore',
  })
  return await connected(transport, era)
}

async function connected(transport: Parameters<Client['connect']>[0], era: Era): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } })
  onTestFinished(() => client.close())
  await client.connect(transport)
  return client
}

export async function use(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Said> {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  return { text, data: (structuredContent ?? {}) as Said['data'], isError: isError === true }
}
