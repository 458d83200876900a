/**
 * A chat service beside a daemon. What all services need is here: the connection, who is known, groups and their guests,
 * files, commands. A service says how it connects, sends and listens.
 */
import { join } from 'node:path'
import { whoIs } from '../domain/policy/known-people.ts'
import { membersIn, openPairing } from '../engine/people/member-files.ts'
import type { Channel, ChannelOptions } from './channel.ts'
import type { Inbound, MediaFile } from './channel-message.ts'
import { asksIn, type FindAsk } from './commands/approval-buttons.ts'
import { carryOut } from './commands/message-commands.ts'
import { type Connecting, type Connection, openConnection } from './connection.ts'
import { type Chats, openChats } from './inbox/chats.ts'
import { type Guests, openGuests, type Roster } from './inbox/guests.ts'
import { type HeardPress, type HeardText, type Listening, messageOf, pressOf } from './inbox/heard-message.ts'
import { type FetchFile, NO_FILES, openMedia, unreadNote } from './inbox/media.ts'

export interface ChatService<S extends object, O> extends Connecting<S, O> {
  readonly channel: (at: ServiceAt<O>) => Channel
  /** Hears until the signal is aborted; never rejects. What it hears goes to `hear` and `press`. */
  readonly listen: (at: ServiceAt<O>, listener: Listener) => Promise<void>
  /** Who is in a group; without it, groups for some people stay silent. */
  readonly roster?: (open: O) => Roster
  /** Writes a decision under its message, and removes the buttons; false if that failed. */
  readonly mark?: (open: O, message: Inbound, outcome: string) => Promise<boolean>
  /** Downloads a file that somebody sent. */
  readonly fetch?: FetchFile<O>
}

export interface ServiceAt<O> extends ChannelOptions {
  readonly connection: Connection<O>
  readonly chats: Chats
  readonly findAsk: FindAsk
  readonly signal: AbortSignal
}

export interface Listener {
  /** When it returns, the message survives this process, or means nothing. */
  hear(heard: HeardText, files?: readonly MediaFile[]): void
  /** Returns why the press is refused; '' if it isn't. */
  press(heard: HeardPress): string
  /** A service that has albums calls this after all that waited there was heard, and asks again soon while `gathers`. */
  caughtUp(): void
  gathers(): boolean
  readonly guests: Guests
}

/** Returns what closes it. */
export function openChatService<S extends object, O>(
  service: ChatService<S, O>,
  options: ChannelOptions,
): () => Promise<void> {
  const { context, queues } = options
  const { files, clock } = context.world
  const { name } = service
  const abort = new AbortController()
  const { signal } = abort
  const chats = openChats(files, join(context.dir, 'queues', `${name}.json`))
  const connection = openConnection(service, options)
  const at = { ...options, connection, chats, findAsk: asksIn(() => queues.seen()), signal }
  const media = openMedia({ ...at, name, ...(service.fetch === undefined ? {} : { fetch: service.fetch }) })
  const folders = [join(context.home, 'workspace', 'scopes'), join(context.dir, 'scopes')]
  const groups = { channel: name, files, folders, now: chats.now }
  const guests = openGuests({ ...at, groups, roster: service.roster ?? null })
  const isKnown = (number: string) =>
    whoIs({ channel: name, number }, membersIn(context), connection.allowFrom()).kind !== 'unknown'
  const mark = async (message: Inbound, outcome: string) => {
    const open = service.mark === undefined ? null : await connection.open()
    return open !== null && (await service.mark?.(open, message, outcome)) === true
  }
  const commands = { ...at, pairing: openPairing(files, clock, context.dir), isKnown, mark }
  const detach = queues.attach(service.channel(at), (message) => carryOut(commands, message))
  const { allowFrom } = connection
  const listening = { channel: name, context, queues, chats, groups, allowFrom, silenced: guests.silenced }
  const done = service.listen(at, { ...listener({ listening, media }), guests })
  return async () => {
    abort.abort('closed')
    guests.close()
    await Promise.all([done, detach(), media.rest()])
    connection.end()
  }
}

interface Hearing {
  readonly listening: Listening
  readonly media: ReturnType<typeof openMedia>
}

const INSTEAD = 'Send text, pictures or files instead.'

function listener({ listening, media }: Hearing): Omit<Listener, 'guests'> {
  const { queues } = listening
  return {
    hear(heard, files = []) {
      const message = messageOf(listening, heard)
      if (message === null || queues.has(message.key) || media.has(message.key)) return
      const { album, unread, text } = heard
      const takesFiles = album !== undefined || message.kind === 'message'
      const cantRead = unread === undefined ? null : `Neo can't read ${unread}. ${INSTEAD}`
      const note = cantRead ?? (takesFiles || files.length === 0 ? null : NO_FILES)
      if (note !== null) queues.put(unreadNote(message, note))
      if (note !== null && text === '') return
      if (takesFiles && (files.length > 0 || media.waits(message.sessionKey)))
        media.hold(message, files, album)
      else queues.accept(message)
    },
    caughtUp: media.caughtUp,
    gathers: media.gathers,
    press(heard) {
      const message = pressOf(listening, heard)
      if (typeof message === 'string') return message
      queues.accept(message)
      return ''
    },
  }
}
