/**
 * `neo chat`: a conversation with the Neo of a room. Invariant 1: if Neo can't answer, the reason is printed before
 * waiting. Invariant 2: a sent message stays sent when the conversation ends.
 */
import { join } from 'node:path'
import { failureOf } from '../../client/hub-client.ts'
import { composeFiles } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import { HubError } from '../../hub/hub.ts'
import { explain, usage } from '../cli-failure.ts'
import { findHome } from '../find-home.ts'
import { dim } from '../output.ts'
import { findRoom, roomOf } from '../room/open-rooms.ts'
import type { Call } from '../spec.ts'
import { withHubAndHome } from '../with-hub.ts'
import { runCommand } from './chat-commands.ts'
import { eachLine, openLines, slashCommand } from './chat-lines.ts'
import { type Chat, talk, whyNotNow } from './chat-loop.ts'
import { openStream } from './reply-stream.ts'

export async function chat(call: Call): Promise<number> {
  if (isPlain(call)) {
    const { plainChat } = await import('./plain-chat.ts')
    return await plainChat(call)
  }
  for (const option of ['model', 'save'])
    if (call.isSet(option))
      throw usage(
        `Option --${option} is only for a plain assistant: in a home, the room sets the model and transcripts are always saved`,
        'neo chat --workspace DIR starts a plain assistant, also in a home',
      )
  return await withHubAndHome(call, async (at) => {
    const room = findRoom({ home: at.home, files: at.world.files }, call.args[0] ?? LOBBY)
    const lines = openLines(call, { files: at.world.files, path: join(at.dir, 'chat-history.json') })
    lines.prompt(`${room}> `)
    const one: Chat = { call, at, lines, heard: openStream(at, room), room, ended: false }
    greet(one)
    try {
      return await eachLine(one, (line) => take(one, line))
    } finally {
      one.heard.close()
    }
  })
}

/** A plain assistant is only used if neither a room nor a home is named. */
function isPlain(call: Call): boolean {
  if (call.text('workspace') !== null) return true
  if (call.args.length > 0) return false
  try {
    findHome(call, composeFiles())
    return false
  } catch (error) {
    const named = call.homeOption ?? (call.around.env['NEO_HOME'] || null)
    if (error instanceof NeoError && error.code === 'missing' && named === null) return true
    throw error
  }
}

function greet(chat: Chat): void {
  const { call, at, room, lines } = chat
  const { name, description } = roomOf({ home: at.home, files: at.world.files }, room).room
  if (lines.mode === 'terminal') {
    const about = description === '' ? '' : `: ${description}`
    call.out.line({ text: `${name}${about}`, style: 'bold' })
    call.out.line(dim('Type /help for commands, /quit or Ctrl-D to end.'))
  }
  for (const text of whyNotNow(chat)) call.out.note({ text, style: 'yellow' })
}

/** Returns the exit code for this line. */
async function take(chat: Chat, line: string): Promise<number> {
  const text = line.trim()
  if (text === '') return 0
  try {
    if (line.startsWith('!')) return await (await import('./folder-tools.ts')).runTool(chat, text)
    const command = slashCommand(line)
    if (command !== null) return await runCommand(chat, command)
    return await talk(chat, line)
  } catch (error) {
    const failure = error instanceof HubError ? failureOf(error, { next: '' }) : error
    return explain(failure, chat.call.out)
  }
}
