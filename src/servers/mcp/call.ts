/**
 * A call of a tool: the hub's method, carried out as whoever the client acts for, and its end as a result. Invariant 1:
 * every call goes to the hub, which decides and records; nothing is done beside it. Invariant 2: what the hub refuses is
 * a result that says why and what to do, with the path of a wrong field.
 */
import { HUB_CODES, HubError } from '../../hub/hub.ts'
import { rpcErrorOf } from '../shared/rpc-answer.ts'
import type { McpHome } from './mcp-home.ts'
import { TOOLS } from './mcp-tools-table.ts'
import { type Asked, fitted, nameOf, type Tool } from './mcp-tool.ts'

export interface ToolAnswer {
  [key: string]: unknown
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError?: true
}

const BY_NAME: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [nameOf(tool), tool]))

export function findTool(name: string): Tool | null {
  return BY_NAME.get(name) ?? null
}

/** Never throws. */
export async function callTool(
  home: McpHome,
  tool: Tool,
  { params: given, ...asked }: Asked & { readonly params: Readonly<Record<string, unknown>> },
): Promise<ToolAnswer> {
  const params = { ...tool.defaults, ...given }
  try {
    const result = await (tool.run === undefined
      ? home.hub.call(home.principal, tool.method, params)
      : tool.run(home, checked(tool, params), asked))
    const structuredContent = fitted(tool, result, params['limit'])
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  } catch (error) {
    return { content: [{ type: 'text', text: failureText(error) }], isError: true }
  }
}

/** As the hub checks the parameters of its methods. Throws HubError `params`. */
function checked(tool: Tool, params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const read = tool.params?.safeParse(params)
  if (read === undefined || read.success) return params
  const said = read.error.issues.map(({ path, message }) => `${path.join('.') || 'parameters'}: ${message}`)
  throw new HubError(HUB_CODES.params, `Wrong parameters of ${nameOf(tool)}: ${said.join('; ')}`)
}

/** What a model reads: the reason, and what follows from it. */
export function failureText(error: unknown): string {
  const { code, message } = rpcErrorOf(error)
  const ask = askOf(error)
  if (ask !== null)
    return `${message}. Nothing was changed. It is done by itself when a person approves it (neo ask approve ${ask}); do not call again, and tell your user that it waits for them`
  return code === HUB_CODES.denied ? `${message}. Do not call again` : message
}

/** The ask that a call became. */
function askOf(error: unknown): string | null {
  if (!(error instanceof HubError) || error.code !== HUB_CODES.denied) return null
  const { data } = error
  return typeof data === 'object' && data !== null && 'ask' in data ? String(data.ask) : null
}
