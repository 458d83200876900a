/**
 * Commands of a chat, and prompts in `workspace/commands/<name>.md`. Invariant 1: a prompt never replaces a command.
 */
import { join } from 'node:path'
import { MAX_BYTES } from '../../engine/commit/journal.ts'
import type { Context } from '../../engine/context.ts'
import { readDocument } from '../../files/header/document.ts'

/** In the order in which a chat lists them. */
export const WORDS: Readonly<Record<string, string>> = {
  new: 'start a new conversation',
  remember: 'remember something in this conversation only: /remember TEXT',
  share: 'add facts with these words to the memory of the room: /share WORDS',
  status: 'show the state of the room',
  tasks: 'list open tasks',
  room: 'switch to another room: /room NAME',
  file: 'send a file from the workspace: /file PATH',
  approve: 'list pending requests, or approve one: /approve ID',
  deny: 'deny a request: /deny ID',
  stop: 'stop the sessions in this room and the current answer',
  help: 'list the commands',
  start: 'start, or pair with a code',
}

/** The name without a bot's, in small letters, and the rest. */
export function wordIn(line: string): { readonly name: string; readonly rest: string } {
  const [, name = '', rest = ''] = /^\/([\w-]*)(?:@\w+)?\s*([\s\S]*)$/.exec(line) ?? []
  return { name: name.toLowerCase(), rest: rest.trim() }
}

export function ownPrompt({ home, world }: Pick<Context, 'home' | 'world'>, line: string): string | null {
  const { name, rest } = wordIn(line)
  if (name === '' || Object.hasOwn(WORDS, name) || !/^[a-z0-9][\w-]*$/.test(name)) return null
  const folder = join(home, 'workspace', 'commands')
  // Some channels (Telegram) allow no hyphens in names of commands.
  const file = world.files
    .names(folder)
    .find((one) => one.toLowerCase().replaceAll('-', '_') === `${name.replaceAll('-', '_')}.md`)
  if (file === undefined) return null
  const read = world.files.read(join(folder, file), MAX_BYTES)
  const found = read.kind === 'file' ? readDocument(file, read.bytes) : null
  if (found?.kind !== 'ok') return null
  return [found.value.body.trim(), rest].filter((text) => text !== '').join('\n\n')
}
