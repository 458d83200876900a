/**
 * A call of a tool: the hub's method, carried out as whoever the client acts for, and its end as a result. Invariant 1:
 * every call goes to the hub, which decides and records; nothing is done beside it. Invariant 2: what the hub refuses is
 * a result that says why and what to do, with the path of a wrong field.
 */
import type { z } from 'zod'
import { checkParameters } from '../../hub/check-parameters.ts'
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import { rpcErrorOf } from '../shared/rpc-answer.ts'
import type { McpHome } from './mcp-home.ts'
import { TOOLS } from './mcp-tools-table.ts'
import { type Asked, fitted, type Tool } from './mcp-tool.ts'

export interface ToolAnswer {
  [key: string]: unknown
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

const BY_NAME: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]))

export function findTool(name: string): Tool | null {
  return BY_NAME.get(name) ?? null
}

/** Never throws. */
export async function callTool(
  home: McpHome,
  tool: Tool,
  { params: given, ...asked }: Asked & { readonly params: Readonly<Record<string, unknown>> },
): Promise<ToolAnswer> {
  const params = tool.limit === undefined ? given : { limit: tool.limit, ...given }
  try {
    const result = await (tool.run === undefined
      ? home.hub.call(home.principal, tool.method, params)
      : tool.run(home, paramsOf(tool, params), asked))
    const structuredContent = fitted(tool, result, params['limit'])
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  } catch (error) {
    return { content: [{ type: 'text', text: failureText(error) }], isError: true }
  }
}

function paramsOf(
  { name, params }: Tool,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return checkParameters(name, params as z.ZodType<Readonly<Record<string, unknown>>>, given)
}

/** What a model reads: the reason, and what follows from it. */
export function failureText(error: unknown): string {
  const { code, message } = rpcErrorOf(error)
  const ask = askOf(error)
  if (ask !== null)
    return `${message}. Nothing was changed. The call is carried out when a person approves it (neo ask approve ${ask}). Do not call again; tell your user that the request is pending`
  return code === HUB_CODES.denied ? `${message}. Do not call again` : message
}

/** The ask that a call became. */
function askOf(error: unknown): string | null {
  if (!(error instanceof HubError) || error.code !== HUB_CODES.denied) return null
  const { data } = error
  return typeof data === 'object' && data !== null && 'ask' in data ? String(data.ask) : null
}
