/** One thing that was said or done in a conversation. */
import { Icon } from '../../parts/icons.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { STATUSES, StatusMark } from '../../parts/status.tsx'
import { visible } from '../../parts/text.ts'
import { Time } from '../../parts/time.tsx'
import { addressOf, roomAddress } from '../../store/routes.ts'
import { me } from '../../store/session.ts'
import type { TaskStatus } from '../../store/types.ts'
import { fileAddress } from '../../store/upload.ts'
import type { ChatDid, ChatFile, ChatItem, Conversation, Waiting } from './use-conversation.ts'

interface SaidProps {
  readonly item: ChatItem
  readonly room: string
  readonly isFirstNew: boolean
}

export function Said({ item, room, isFirstNew }: SaidProps) {
  const { kind, text, at, from, files, did } = item
  return (
    <>
      {isFirstNew ? (
        <li class="chat-line strong">
          <span>New</span>
        </li>
      ) : null}
      {kind === 'new' ? (
        <li class="chat-line">
          <span>New conversation</span>
        </li>
      ) : kind === 'event' ? (
        <EventItem item={item} />
      ) : kind === 'note' ? (
        <li class="chat-event soft small">
          <Icon name="stop" /> {visible(text)} <Time at={at} />
        </li>
      ) : (
        <li class="chat-message" data-role={kind === 'answer' ? 'assistant' : isMe(from) ? 'user' : 'other'}>
          <p class="soft small">
            {kind === 'answer' ? 'Neo' : visible(nameOf(from))} · <Time at={at} />
          </p>
          {text === '' ? null : <Markdown text={text} />}
          <Files files={files} room={room} />
          <DidList did={did} />
        </li>
      )}
    </>
  )
}

function isMe(from: string): boolean {
  return from === '' || from === me.value?.who
}

function nameOf(from: string): string {
  if (isMe(from)) return 'You'
  if (from === 'human') return 'Owner'
  const [kind = '', name = ''] = from.split(':')
  switch (kind) {
    case 'member':
      return name
    case 'neo':
      return `Neo of ${name}`
    case 'schedule':
      return `Schedule ${name}`
    case 'session':
      return 'An agent'
    default:
      return from
  }
}

/** What the home told Neo: the first line, the rest folded. */
function EventItem({ item: { text, at } }: { readonly item: ChatItem }) {
  const [first = '', ...rest] = visible(text).split('\n')
  if (rest.length === 0)
    return (
      <li class="chat-event soft small wrap">
        {first} · <Time at={at} />
      </li>
    )
  return (
    <li class="chat-event soft small">
      <details>
        <summary>
          {first} · <Time at={at} />
        </summary>
        <p class="wrap">{rest.join('\n')}</p>
      </details>
    </li>
  )
}

export function Files({ files, room }: { readonly files: readonly ChatFile[]; readonly room: string }) {
  if (files.length === 0) return null
  return (
    <ul class="chat-files">
      {files.map((file) => (
        <li key={file.id}>
          <FileLink file={file} room={room} />
        </li>
      ))}
    </ul>
  )
}

function FileLink({
  file: { id, name, type, bytes },
  room,
}: {
  readonly file: ChatFile
  readonly room: string
}) {
  const address = fileAddress(room, id)
  const label = visible(name)
  if (/^image\//.test(type))
    return (
      <a class="chat-picture" href={address} target="_blank" rel="noopener">
        <img src={address} alt={label} loading="lazy" />
      </a>
    )
  return (
    <a class="chat-file" href={address} target="_blank" rel="noopener" download={label}>
      <Icon name="file" /> {label} <span class="soft small">{size(bytes)}</span>
    </a>
  )
}

export function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

export function WaitingMessage({ message, room }: { readonly message: Waiting; readonly room: string }) {
  const { from, text, files } = message
  return (
    <li class="chat-message" data-role={isMe(from) ? 'user' : 'other'}>
      <p class="soft small">{visible(nameOf(from))} · waits for its turn</p>
      <Markdown text={text} />
      <Files files={files} room={room} />
    </li>
  )
}

export function Present({ conversation: { status, saying } }: { readonly conversation: Conversation }) {
  if (status !== 'thinking' && saying === '') return null
  return (
    <li class="chat-message" data-role="assistant" aria-busy="true">
      <p class="soft small working">{status === 'thinking' ? 'Neo is working…' : 'Neo'}</p>
      {saying.trim() === '' ? null : <Markdown text={saying} />}
    </li>
  )
}

function DidList({ did }: { readonly did: readonly ChatDid[] }) {
  if (did.length === 0) return null
  return (
    <ul class="chat-did" aria-label="What Neo did">
      {did.map((one, at) => (
        <li key={`${at} ${one.action}`}>
          <DidLine did={one} />
        </li>
      ))}
    </ul>
  )
}

const WORDS: Readonly<Record<string, string>> = {
  create_task: 'Created the task',
  assign_task: 'Started the task',
  complete_task: 'Finished the task',
  create_session: 'Opened a session',
  send_message: 'Sent a message',
  add_memory: 'Remembered',
  search_memory: 'Searched memory',
  ask_human: 'Asked',
  report_status: 'Reported',
  update_room: 'Changed the room',
  schedule: 'Scheduled',
  create_room: 'Created the room',
  send_file: 'Sent the file',
}

function DidLine({ did: { action, about, result, failed, link } }: { readonly did: ChatDid }) {
  const words = WORDS[action] ?? action
  const isAsked = link?.kind === 'request'
  return (
    <>
      <Icon name={result === null ? 'more' : failed ? 'warning' : 'check'} />
      <span class="min0 wrap">
        {isAsked ? `${words}: needs a decision` : failed ? `${words}: not done` : words}{' '}
        {link === null ? (
          <span class="soft">{visible(about)}</span>
        ) : (
          <a href={addressOfLink(link)}>{visible(link.title)}</a>
        )}{' '}
        {link?.status === null || link?.status === undefined ? null : <LinkStatus status={link.status} />}
        {failed && !isAsked ? <span class="soft small"> {visible(result ?? '')}</span> : null}
      </span>
    </>
  )
}

function LinkStatus({ status }: { readonly status: string }) {
  const known = STATUSES.find((one): one is TaskStatus => one === status)
  return known === undefined ? (
    <span class="label">{status.replaceAll('_', ' ')}</span>
  ) : (
    <StatusMark status={known} word />
  )
}

function addressOfLink({ kind, id, roomId, path }: NonNullable<ChatDid['link']>): string {
  switch (kind) {
    case 'task':
    case 'session':
    case 'request':
      return addressOf(kind, id)
    case 'memory':
      return `/memory?${new URLSearchParams({ room: roomId, ...(path === null ? {} : { at: path }) }).toString()}`
    case 'schedule':
      return '/schedules'
    case 'room':
      return roomAddress(id)
  }
}
