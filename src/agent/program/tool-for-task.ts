/** Which tool of an MCP server does a task, and what it is called with. Pure. */
import { isMap } from '../../domain/text/is-map.ts'
import type { JsonObject } from '../../domain/agent/model-message.ts'
import type { McpTool } from '../../ports/mcp-port.ts'

export interface ToolForTask {
  readonly name: string
  arguments(prompt: string, cwd: string): JsonObject
}

interface Wanted {
  readonly server: string
  /** Null: the only one that can take a task. */
  readonly tool: string | null
}

/** The tool, or in one line why there is none. */
export function toolForTask(
  tools: readonly McpTool[],
  { server, tool }: Wanted,
): ToolForTask | { readonly wrong: string } {
  const fitting = tools.filter((one) => textArgument(one) !== null)
  const names = (list: readonly McpTool[]) => list.map(({ name }) => name).join(', ') || 'none'
  if (tool !== null) {
    const found = tools.find(({ name }) => name === tool)
    if (found === undefined)
      return { wrong: `the MCP server ${server} has no tool ${tool}; it has ${names(tools)}` }
    const argument = textArgument(found)
    if (argument === null)
      return { wrong: `the tool ${tool} of the MCP server ${server} can't take a task: ${NEEDED}` }
    return called(found, argument)
  }
  const [only, ...more] = fitting
  if (only === undefined)
    return { wrong: `no tool of the MCP server ${server} can take a task: ${NEEDED}; it has ${names(tools)}` }
  if (more.length > 0)
    return { wrong: `name a tool of the MCP server ${server}, as mcp:${server}/TOOL: ${names(fitting)}` }
  return called(only, textArgument(only) ?? PROMPT)
}

const PROMPT = 'prompt'
const CWD = 'cwd'
const NEEDED = 'it needs an argument prompt, or one required text, and no other required arguments'

function called(tool: McpTool, argument: string): ToolForTask {
  const takesCwd = Object.hasOwn(propertiesOf(tool), CWD)
  return {
    name: tool.name,
    arguments: (prompt, cwd) => ({ [argument]: prompt, ...(takesCwd ? { [CWD]: cwd } : {}) }),
  }
}

/** The argument that takes the task; null if the tool can't be called with it alone. */
function textArgument(tool: McpTool): string | null {
  const properties = propertiesOf(tool)
  const required = requiredOf(tool).filter((name) => name !== CWD)
  if (Object.hasOwn(properties, PROMPT))
    return required.every((name) => name === PROMPT) && isText(properties[PROMPT]) ? PROMPT : null
  const [only] = required
  return only !== undefined && required.length === 1 && isText(properties[only]) ? only : null
}

function propertiesOf({ schema }: McpTool): JsonObject {
  const { properties } = schema
  return isMap(properties) ? properties : {}
}

function requiredOf({ schema }: McpTool): readonly string[] {
  const { required } = schema
  return Array.isArray(required) ? required.filter((one) => typeof one === 'string') : []
}

/** A schema that says nothing takes a text as well. */
function isText(schema: unknown): boolean {
  return isMap(schema) && (schema['type'] === undefined || [schema['type']].flat().includes('string'))
}
