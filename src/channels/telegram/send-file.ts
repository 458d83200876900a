/**
 * Sends a file as a message of its own. Invariant 1: it is announced before it leaves; a possible duplicate says so.
 */
import type { Progress } from '../channel.ts'
import type { Outbound } from '../channel-message.ts'
import { type Api, type Failure, failureOf } from './api.ts'
import type { Chats } from './chats.ts'

export interface FileSending {
  readonly api: Api
  readonly token: string
  readonly chats: Pick<Chats, 'now' | 'moved'>
  readonly progress: Progress
  readonly again: string
  readonly signal: AbortSignal
}

const MOST_CAPTION = 1_024

/** `null`: it was sent. */
export async function sendFile(of: FileSending, message: Outbound): Promise<Failure | null> {
  const failure = await attempt(of, message)
  if (failure?.kind !== 'moved' || failure.to === undefined) return failure
  if (of.chats.now(message.chatId) === failure.to) return failure
  of.chats.moved(message.chatId, failure.to)
  return attempt(of, message)
}

async function attempt(
  { api, token, chats, progress, again, signal }: FileSending,
  { chatId, thread, content, replyTo, file }: Outbound,
): Promise<Failure | null> {
  if (file === undefined) return null
  const { InputFile } = await import('grammy')
  const words = [content.trim(), ...(progress.unsure ? [again] : [])]
    .filter((text) => text !== '')
    .join('\n\n')
  progress.begin(0)
  try {
    await api.sendDocument(
      chats.now(chatId),
      new InputFile(file.path, file.name),
      {
        ...(words === '' ? {} : { caption: words.slice(0, MOST_CAPTION) }),
        ...(thread === undefined || thread === '1' ? {} : { message_thread_id: Number(thread) }),
        ...(replyTo === undefined
          ? {}
          : { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
      },
      signal as Parameters<Api['sendDocument']>[3],
    )
    progress.did(0)
    return null
  } catch (error) {
    const failure = failureOf(error, token)
    if (failure.kind !== 'unsure') progress.undone(0)
    return failure
  }
}
