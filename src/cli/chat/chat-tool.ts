/**
 * Lines that start with `!`: the user runs a worker tool in one folder. Invariant 1: the limits of workers apply: nothing
 * outside the folder is read or written, no git dir, no key.
 */
import { join } from 'node:path'
import { toolNamed } from '../../agent/tools/tool-table.ts'
import { parseTyped } from '../../agent/tools/typed.ts'
import { DEFAULT_WORKSPACE } from '../../domain/task/task-settings.ts'
import { INTERRUPTED } from '../cli-failure.ts'
import { roomOf } from '../room/open-rooms.ts'
import type { Call } from '../spec.ts'
import type { Lines } from './chat-lines.ts'
import type { Chat } from './chat-state.ts'
import { contextOf, type Folder, toolsOfChat, whyNoShell } from './folder-tools.ts'

type Where = Folder | { readonly wrong: string }

/** Returns the exit code for the line. */
export async function runTool(chat: Chat, line: string): Promise<number> {
  return await runTyped(chat, line, () => workspaceOf(chat))
}

/** @param where called only if the line is a valid tool call */
export async function runTyped(
  { call, lines }: { readonly call: Call; readonly lines: Lines },
  line: string,
  where: () => Promise<Where>,
): Promise<number> {
  const [, name = ''] = /^!\s*(\S*)/.exec(line) ?? []
  const tool = toolNamed(name, toolsOfChat())
  if ('wrong' in tool) return refuse(call, tool.wrong)
  const typed = parseTyped(tool, line)
  if ('wrong' in typed) return refuse(call, typed.wrong)
  const folder = await where()
  if ('wrong' in folder) return refuse(call, folder.wrong)
  const why = tool.name === 'shell' ? await whyNoShell(folder.world) : null
  if (why !== null) return refuse(call, `Cannot run a command here: ${why}`)
  const interrupted = lines.interrupts()
  try {
    const context = contextOf(folder, `typed-${folder.world.clock.now()}`, interrupted.signal)
    const { text, isError } = await tool.run(typed.args, context)
    if (interrupted.signal.aborted) return refuse(call, text, INTERRUPTED)
    if (isError) return refuse(call, text, 1)
    call.out.block(text)
    return 0
  } finally {
    interrupted.release()
  }
}

function refuse({ out }: Call, text: string, code = 2): number {
  out.error('neo', text)
  return code
}

/** The folder of the room's workspace. */
async function workspaceOf({ at, call, room }: Chat): Promise<Where> {
  const { workspace, permissions } = roomOf({ home: at.home, files: at.world.files }, room).room
  const place = await at.world.git.place(workspace ?? DEFAULT_WORKSPACE, null)
  if ('wrong' in place) return { wrong: `Cannot use the workspace: ${place.wrong}; ${place.hint}` }
  const { agent } = at.world
  if (agent === undefined) return { wrong: 'Tools are not available: this program was built without them' }
  return {
    world: { ...at.world, agent },
    root: join(place.repository, place.folder),
    repository: place.folder === '' && place.repository !== at.home ? place.repository : null,
    env: call.around.env,
    network: permissions['network'] === 'allow' ? 'allow' : 'deny',
  }
}
