/**
 * Messages in and out, and places. Invariant 1: a key names one thing for ever: `<channel>:<chat>:<update>` for an incoming
 * message, `reply:<key>` for its answer. Invariant 2: speaker (who wrote), scope (where) and target (about whom) are kept
 * apart.
 */

export interface Place {
  readonly channel: string
  readonly chatId: string
  /** A topic of a group. */
  readonly thread?: string
}

/** Who wrote, as the channel's stable number says: the person whose home this is, a member, or the home itself. */
export type Speaker = 'human' | 'system' | `member:${string}`

export interface Media {
  readonly kind: 'image' | 'file' | 'voice' | 'video'
  /** Absolute path, with a name of our choice. */
  readonly path: string
  readonly type: string
  readonly bytes: number
}

export interface Inbound extends Place {
  readonly key: string
  readonly senderId: string
  /** `channel:chatId[:thread]`. */
  readonly sessionKey: string
  readonly speaker: Speaker
  readonly scope: string
  /** Whom it is about; the speaker unless they name somebody. */
  readonly target: string
  /** Where it is answered. */
  readonly room: string
  readonly content: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** `command`: done at once by the channel itself, whatever its room is busy with. */
  readonly kind: 'message' | 'command'
  readonly media: readonly Media[]
  readonly metadata: Readonly<Record<string, string>>
  /** The channel's id of the message that the reply belongs under. */
  readonly replyTo?: string
}

export interface Button {
  readonly text: string
  /** At most 64 bytes. */
  readonly data: string
}

export interface Outbound extends Place {
  readonly key: string
  /** Markdown. */
  readonly content: string
  readonly replyTo?: string
  readonly buttons?: readonly Button[]
  /** A file to send: its absolute path, and the name that people see. */
  readonly file?: { readonly path: string; readonly name: string }
  /** The ask that a reply to this message answers. */
  readonly ask?: string
  /** The conversation that it belongs to; absent if it is for a place as such. */
  readonly scope?: string
  /** Notices that it tells of; only in queues of version 0.1.0. */
  readonly notices?: readonly { readonly key: string; readonly channel: string }[]
}

/** `telegram:-100123:7`, as `notify:` and scopes name places. */
export function placeText({ channel, chatId, thread }: Place): string {
  return thread === undefined ? `${channel}:${chatId}` : `${channel}:${chatId}:${thread}`
}

/** What the home itself says comes from here: it is not a place that a message can go to. */
const SYSTEM = 'system'

/** `null` if the text names no place of a channel. Ids are the channel's own: any text without blanks and colons. */
export function placeOf(text: string): Place | null {
  const [, channel, chatId, thread] = /^([a-z][a-z0-9-]*):([^\s:]+)(?::([^\s:]+))?$/.exec(text) ?? []
  if (channel === undefined || chatId === undefined || channel === SYSTEM) return null
  return thread === undefined ? { channel, chatId } : { channel, chatId, thread }
}
