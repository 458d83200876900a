/**
 * The tools: every method of the hub whose row has one, and waiting. Not among them: what only a person does (deciding
 * requests and reviews, clearing a conversation), and care of the home.
 */
import type { Method } from '../../hub/env.ts'
import { METHODS, type MethodName } from '../../hub/method-table.ts'
import { forModels, type Tool, toolName } from './mcp-tool.ts'
import { resultFor } from './shown.ts'
import { WAIT } from './wait-tool.ts'

export const TOOLS: readonly Tool[] = METHODS.flatMap((row) => {
  const tool = toolOf(row as unknown as Method<MethodName>)
  return tool === null ? [] : row.name === 'task.get' ? [tool, WAIT] : [tool]
})

function toolOf({ tool, ...row }: Method<MethodName>): Tool | null {
  if (tool === undefined) return null
  const sentences = [`${row.summary}.`, row.details, tool.note].filter((text) => text !== undefined)
  return {
    ...tool,
    name: toolName(row.name),
    method: row.name,
    title: row.summary,
    description: forModels(sentences.join(' ')),
    params: row.params,
    result: resultFor({ ...row, tool }),
  }
}
