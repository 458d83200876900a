/** Telegram: how it connects, who is in its groups, its files, and decisions under their messages. */
import type { ChannelOptions } from '../channel.ts'
import type { Inbound } from '../channel-message.ts'
import { openChatService } from '../chat-service.ts'
import { sentAs } from '../delivery/send-parts.ts'
import { commandList } from '../commands/message-commands.ts'
import type { Roster } from '../inbox/guests.ts'
import { type Missing, MOST_BYTES } from '../inbox/media.ts'
import { installHint } from '../../domain/text/install-hint.ts'
import { agentFor, download, type Failure, failureOf, type Open, openApi } from './api.ts'
import { listen, type PollTimes, TIMES } from './poll.ts'
import { telegramChannel, withOutcome } from './send-message.ts'
import { type Settings, TELEGRAM, telegramSettings } from './telegram-settings.ts'

export interface TelegramOptions extends ChannelOptions {
  readonly times?: Partial<PollTimes>
}

export function openTelegram({ times: own, ...options }: TelegramOptions): () => Promise<void> {
  const times = { ...TIMES, ...own }
  return openChatService<Settings, Open>(
    {
      name: 'telegram',
      readSettings: telegramSettings,
      connect: (settings) => connect(settings, times.callMs),
      whyNot,
      waits: { first: times.firstWaitMs, most: times.longestWaitMs },
      channel: ({ context, chats, findAsk, connection }) =>
        telegramChannel({ clock: context.world.clock, chats, findAsk, api: connection.open }),
      listen: (at, listener) => listen(at, listener, times),
      roster,
      mark,
      fetch: fetchFile,
    },
    options,
  )
}

async function connect(settings: Settings, callMs: number): Promise<Open> {
  const api = await openApi(settings, callMs)
  const { id, username } = await api.getMe()
  const list = commandList('telegram').map(({ name, does }) => ({ command: name, description: does }))
  // A convenience: without it the words are typed in full.
  void api.setMyCommands(list).catch(() => {})
  const { token, apiRoot, proxy } = settings
  return { api, token, root: apiRoot ?? TELEGRAM, proxy, bot: { id, username } }
}

function whyNot(error: unknown, { token }: Settings): Pick<Failure, 'why' | 'afterMs'> {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (code === 'ERR_MODULE_NOT_FOUND')
    return {
      why: `the library is missing: ${installHint(import.meta.url, ['grammy', '@grammyjs/auto-retry', 'marked'])}`,
    }
  return failureOf(error, token)
}

/** Telegram has no list of members. */
function roster({ api }: Open): Roster {
  return {
    async isInside(chatId, account) {
      try {
        const member = await api.getChatMember(chatId, Number(account))
        if (member.status === 'restricted') return member.is_member
        return member.status !== 'left' && member.status !== 'kicked'
      } catch (error) {
        // Somebody who was never there is an error too.
        if ((error as { readonly error_code?: number }).error_code === 400) return false
        throw error
      }
    },
    count: (chatId) => api.getChatMemberCount(chatId),
  }
}

async function mark({ api, token }: Open, { metadata, chatId }: Inbound, outcome: string): Promise<boolean> {
  try {
    const text = withOutcome(metadata['text'] ?? '', outcome)
    await api.editMessageText(chatId, Number(metadata['message']), text, { parse_mode: 'HTML' })
    return true
  } catch (error) {
    return failureOf(error, token).kind === 'same'
  }
}

async function fetchFile(
  { api, token, root, proxy }: Open,
  fileId: string,
  signal: AbortSignal,
): Promise<Buffer | Missing> {
  const agent = agentFor(root, proxy)
  try {
    const { file_path: path } = await api.getFile(fileId)
    if (path === undefined) return { why: 'Telegram returned no file path', mayCome: true }
    return await download(`${root}/file/bot${token}/${path}`, { agent, mostBytes: MOST_BYTES, signal })
  } catch (error) {
    const failure = failureOf(error, token)
    return { ...failure, mayCome: sentAs(failure).kind === 'later' }
  } finally {
    agent?.destroy()
  }
}
