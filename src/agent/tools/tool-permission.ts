/** Whether a tool may act: the room's permission, and the user's approval if it is `ask`. */
import type { JsonObject } from '../../domain/agent/model-message.ts'
import type { Permission } from '../../domain/room/room.ts'
import { wrong } from './result.ts'
import type { ToolContext, ToolResult } from './tool.ts'

export async function checkPermission(
  permission: Permission,
  what: { readonly tool: string; readonly arguments: JsonObject; readonly reason: string },
  context: Pick<ToolContext, 'call' | 'services'>,
): Promise<ToolResult | null> {
  if (permission === 'allow') return null
  if (permission === 'deny')
    return wrong(`Cannot use ${what.tool}: the permissions of the room deny it; find another way`)
  const answer = await context.services.approve(`leave-${context.call}`, what)
  return answer.verdict === 'yes' ? null : wrong(`Cannot use ${what.tool}: a person denied it: ${answer.why}`)
}
