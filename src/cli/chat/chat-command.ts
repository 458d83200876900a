/**
 * `neo chat`: a conversation with the Neo of a room, line by line. Invariant 1: whatever hinders a reply is said before
 * it is waited for. Invariant 2: what was sent stays sent when the conversation ends.
 */
import { join } from 'node:path'
import { composeFiles } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import { LOBBY } from '../../domain/policy/policy.ts'
import { explain, usage } from '../cli-failure.ts'
import { findHome } from '../find-home.ts'
import { findRoom, roomOf } from '../room/open-rooms.ts'
import { failureOf } from '../../client/hub-failure.ts'
import { HubError } from '../../hub/hub.ts'
import { withHubAndHome } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'
import type { Chat } from './chat-state.ts'
import { runCommand } from './chat-commands.ts'
import { hindrances } from './hindrance.ts'
import { openLines } from './chat-lines.ts'
import { openStream } from './stream.ts'
import { talk } from './chat-loop.ts'
import { runTool } from './chat-tool.ts'

export async function chat(call: Call): Promise<number> {
  if (isPlain(call)) {
    const { plainChat } = await import('./plain-chat.ts')
    return await plainChat(call)
  }
  for (const option of ['model', 'save'])
    if (call.isSet(option))
      throw usage(
        `Cannot take --${option} in a home: its room says which model is asked, and its transcripts keep what is said`,
        'neo chat --workspace DIR is a plain assistant, also in a home',
      )
  return await withHubAndHome(call, async (at) => {
    const room = findRoom({ home: at.home, files: at.world.files }, call.args[0] ?? LOBBY)
    const lines = openLines(call, { files: at.world.files, path: join(at.dir, 'chat-history.json') })
    lines.prompt(`${room}> `)
    const one: Chat = { call, at, lines, heard: openStream(at, room), room, ended: false }
    greet(one)
    let failed = 0
    try {
      for await (const line of lines) {
        failed = await take(one, line)
        if (one.ended) break
        if (lines.mode === 'pipe' && failed !== 0) return failed
      }
    } finally {
      one.heard.close()
      lines.close()
    }
    return lines.mode === 'pipe' ? failed : 0
  })
}

/** A room, or a home that is named, is never replaced by something else. */
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
    call.out.line({ text: '/help says what can be typed; /quit or Ctrl-D ends.', style: 'dim' })
  }
  for (const text of hindrances(chat)) call.out.note({ text, style: 'yellow' })
}

/** Gives the exit code that this line would end with. */
async function take(chat: Chat, line: string): Promise<number> {
  const text = line.trim()
  if (text === '') return 0
  try {
    if (text.startsWith('!')) return await runTool(chat, text)
    if (text.startsWith('/')) return await runCommand(chat, text)
    return await talk(chat, line)
  } catch (error) {
    const failure = error instanceof HubError ? failureOf(error, { next: '' }) : error
    return explain(failure, chat.call.out)
  }
}
