/**
 * What begins with `!` in a conversation: a tool of workers, over the workspace of the room, for the person who types.
 * Takes a line; prints what the tool gives. Leaves to work/tools/: tools, reading of lines, and confinement.
 * Invariant 1: the same bounds hold as for workers: nothing outside the workspace is read or written, no git dir, no key.
 */
import { join } from 'node:path'
import { DEFAULT_WORKSPACE } from '../../core/rules/settings.ts'
import type { Place } from '../../core/model/session.ts'
import { TOOLS, toolNamed } from '../../work/tools/table.ts'
import { parseTyped } from '../../work/tools/typed.ts'
import type { Services, Tool, ToolContext } from '../../work/tools/tool.ts'
import { roomOf } from '../room/open.ts'
import type { Chat } from './chat.ts'

/** Those that need files alone: a person has a shell and a hub of their own. */
const NAMES = new Set(['read_file', 'write_file', 'update_file', 'grep', 'find'])

export function toolsOfChat(): readonly Tool[] {
  return TOOLS.filter(({ name }) => NAMES.has(name))
}

/** Gives the exit code that the line would end with. */
export async function runTool(chat: Chat, line: string): Promise<number> {
  const { out } = chat.call
  const [, name = ''] = /^!\s*(\S*)/.exec(line) ?? []
  const tool = toolNamed(name, toolsOfChat())
  if ('wrong' in tool) return refuse(chat, tool.wrong)
  const typed = parseTyped(tool, line)
  if ('wrong' in typed) return refuse(chat, typed.wrong)
  const place = await placeOf(chat)
  if ('wrong' in place) return refuse(chat, `Cannot use the workspace: ${place.wrong}; ${place.hint}`)
  const context = contextOf(chat, place)
  if (context === null) return refuse(chat, 'Cannot use tools: this program was built without them')
  const { text, isError } = await tool.run(typed.args, context)
  if (isError === 'yes') return refuse(chat, text, 1)
  out.block(text)
  return 0
}

function refuse({ call }: Chat, text: string, code = 2): number {
  call.out.error('neo', text)
  return code
}

function placeOf({ at, room }: Chat): Promise<Place | { readonly wrong: string; readonly hint: string }> {
  const { workspace } = roomOf({ home: at.home, files: at.world.files }, room).room
  return at.world.git.place(workspace ?? DEFAULT_WORKSPACE, null)
}

function contextOf({ at, lines }: Chat, { repository, folder }: Place): ToolContext | null {
  const { agent, files } = at.world
  if (agent === undefined) return null
  const { signal } = lines.interrupts()
  // The home's other folders are none of the workspace: here nothing is sparse.
  const root = join(repository, folder)
  return {
    root,
    cwd: root,
    call: 'typed',
    permissions: { shell: 'deny', network: 'deny', write: [] },
    home: 'no',
    tree: agent.tree,
    files,
    search: agent.search,
    web: agent.web,
    services: NOBODY,
    run: async () => null,
    signal,
  }
}

const nobody = async (): Promise<never> => {
  throw new Error('This tool is for workers')
}
const NOBODY: Services = {
  remember: nobody,
  recall: nobody,
  report: nobody,
  ask: nobody,
  leave: nobody,
  spawn: nobody,
  skill: nobody,
}
