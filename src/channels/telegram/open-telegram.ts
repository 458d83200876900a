/**
 * Telegram beside a daemon. Invariant 1: a wrong setting, a wrong token or a missing library closes this channel alone, and
 * is reported. Invariant 2: changes of neo.yaml and `.env` take effect without a restart.
 */

import { join } from 'node:path'
import type { Update } from 'grammy/types'
import { whoIs } from '../../domain/policy/known-people.ts'
import { installHint } from '../../domain/text/install-hint.ts'
import { membersIn, openPairing, ownersIn } from '../../engine/people/member-files.ts'
import type { ChannelOptions, MessageQueues } from '../channel.ts'
import type { Inbound } from '../channel-message.ts'
import { type FindAsk, asksIn } from '../commands/approval-buttons.ts'
import { type CommandOptions, carryOut, commandList } from '../commands/message-commands.ts'
import { type Chats, openChats } from '../inbox/chats.ts'
import { type Connection, failureOf, openApi } from './api.ts'
import { openGuests } from './guests.ts'
import { openMedia } from './media.ts'
import { type PollTimes, poll, TIMES, take } from './poll.ts'
import { telegramChannel, withOutcome } from './send-message.ts'
import { readSettings, type Settings, TELEGRAM } from './telegram-settings.ts'
import type { Bot } from './update.ts'

export interface TelegramOptions extends ChannelOptions {
  readonly times?: Partial<PollTimes>
}

export interface Open extends Connection {
  readonly bot: Bot
}

export function openTelegram(options: TelegramOptions): () => Promise<void> {
  const { context, queues } = options
  const { files, clock } = context.world
  const abort = new AbortController()
  const chats = openChats(files, join(context.dir, 'queues', 'telegram.json'))
  const line = openConnection(options, (name) => chats.setName(name))
  const findAsk = asksIn(() => queues.seen())
  const media = openMedia({ context, api: line.open, accept: keeping(queues), signal: abort.signal })
  const folders = [join(context.home, 'workspace', 'scopes'), join(context.dir, 'scopes')]
  const groups = { channel: 'telegram', files, folders, now: chats.now }
  const { signal } = abort
  const guests = openGuests({ context, groups, api: line.open, allowFrom: line.allowFrom, signal })
  const channel = telegramChannel({ clock, chats, findAsk, api: line.open })
  const commands = commandsOf(options, { chats, findAsk, line })
  const detach = queues.attach(channel, (message) => carryOut(commands, message))
  const receiving = {
    context,
    queues,
    chats,
    groups,
    allowFrom: line.allowFrom,
    bot: line.bot,
    silenced: guests.silenced,
    media,
    answer: (id: string, text: string) => void answer(line.open, id, text),
  }
  const { times = null, trouble } = options
  const heard = async (update: Update) => {
    if (update.chat_member !== undefined) guests.look()
    await guests.ready()
    await take(receiving, update)
  }
  const timed = times === null ? {} : { times }
  const polling = poll({
    ...{ clock, signal: abort.signal, api: line.open, trouble },
    take: heard,
    kept: () => queues.kept(),
    ...timed,
  })
  return async () => {
    abort.abort('closed')
    guests.close()
    await Promise.all([polling, detach(), media.rest()])
  }
}

function keeping(queues: MessageQueues): (message: Inbound) => Promise<void> {
  return async (message) => {
    queues.accept(message)
    await queues.kept()
  }
}

function commandsOf(
  { context, queues, hub }: TelegramOptions,
  { chats, findAsk, line }: { readonly chats: Chats; readonly findAsk: FindAsk; readonly line: Line },
): CommandOptions {
  const { files, clock } = context.world
  const pairing = openPairing(files, clock, context.dir)
  const isKnown = (number: string) =>
    whoIs({ channel: 'telegram', number }, membersIn(context), line.allowFrom()).kind !== 'unknown'
  const marked: CommandOptions['mark'] = (message, outcome) => mark(line.open, message, outcome)
  return { context, queues, hub, chats, findAsk, pairing, isKnown, mark: marked }
}

interface Line {
  /** As neo.yaml says now; null: shut. */
  readonly open: () => Promise<Open | null>
  readonly allowFrom: () => readonly string[]
  readonly bot: () => Bot
}

function openConnection({ context, trouble, times }: TelegramOptions, named: (name: string) => void): Line {
  const { callMs } = { ...TIMES, ...times }
  let made: { readonly of: string; readonly open: Promise<Open> } | null = null
  let bot: Bot = { id: 0, username: '' }
  const settingsNow = (): Settings | null => {
    const read = readSettings(context.look.config(), context.env)
    if (read.kind === 'wrong') trouble(read.why)
    return read.kind === 'on' ? read.settings : null
  }
  return {
    async open() {
      const settings = settingsNow()
      if (settings === null) return null
      const of = [settings.token, settings.apiRoot, settings.proxy].join(' ')
      if (made?.of !== of) {
        const open = connect({ settings, callMs }, (who) => {
          bot = who
          named(who.username)
        })
        made = { of, open }
        open.catch(() => {
          if (made?.open === open) made = null
        })
      }
      try {
        return await made.open
      } catch (error) {
        trouble(whyNot(error, settings.token))
        return null
      }
    },
    allowFrom: () => ownersIn(context, settingsNow()?.allowFrom ?? []),
    bot: () => bot,
  }
}

async function connect(
  { settings, callMs }: { readonly settings: Settings; readonly callMs: number },
  known: (bot: Bot) => void,
): Promise<Open> {
  const api = await openApi(settings, callMs)
  const me = await api.getMe()
  const bot = { id: me.id, username: me.username }
  known(bot)
  const list = commandList('telegram').map(({ name, does }) => ({ command: name, description: does }))
  // A convenience: without it the words are typed in full.
  void api.setMyCommands(list).catch(() => {})
  return { api, token: settings.token, root: settings.apiRoot ?? TELEGRAM, proxy: settings.proxy, bot }
}

function whyNot(error: unknown, token: string): string {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (code === 'ERR_MODULE_NOT_FOUND')
    return `the library is missing: ${installHint(import.meta.url, ['grammy', '@grammyjs/auto-retry', 'marked'])}`
  return failureOf(error, token).why
}

async function answer(open: Line['open'], id: string, text: string): Promise<void> {
  try {
    const more = text === '' ? {} : { text, show_alert: true }
    await (await open())?.api.answerCallbackQuery(id, more)
  } catch {
    // Too late, or twice: the client has given up waiting.
  }
}

async function mark(open: Line['open'], message: Inbound, outcome: string): Promise<boolean> {
  const { metadata, chatId } = message
  const now = await open()
  if (now === null) return false
  try {
    const text = withOutcome(metadata['text'] ?? '', outcome)
    await now.api.editMessageText(chatId, Number(metadata['message']), text, { parse_mode: 'HTML' })
    return true
  } catch (error) {
    return failureOf(error, now.token).kind === 'same'
  }
}
