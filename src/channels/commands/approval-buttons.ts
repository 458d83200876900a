/**
 * Buttons of approval requests. Invariant 1: a button is bound to its request, to what it showed and to its chat: pressed
 * elsewhere or after a change it does nothing. Invariant 2: its data fits 64 bytes and needs no file. Invariant 3: what a
 * message can't show whole has no buttons.
 */
import { createHash } from 'node:crypto'
import type { Button, Outbound, Place } from '../channel-message.ts'
import type { Ask } from '../../domain/ask/ask.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { spelled } from '../../domain/policy/channel-kinds.ts'
import { beginning } from '../../domain/text/one-line.ts'
import { fenced } from '../../files/body/markdown.ts'

export interface AskSeen {
  readonly id: string
  readonly kind: 'approval' | 'question'
  readonly sha256: string
  readonly room: string
  readonly isOpen: boolean
  /** What exactly a yes allows, as text, such as the commands of a task; empty for a question. */
  readonly shows: string
}

/** An ask as the last round saw it. */
export type FindAsk = (id: string) => AskSeen | null

export function asksIn(seen: () => Snapshot | null): FindAsk {
  return (id) => {
    const found = [...(seen()?.asks.values() ?? [])].filter(({ ask }) => ask.id === id).map(askSeen)
    const open = found.filter(({ isOpen }) => isOpen)
    // Several files may claim an id for a moment: then none of them is the one that was shown.
    return open.length > 1 ? null : (open[0] ?? found[0] ?? null)
  }
}

function askSeen({ ask, room }: { readonly ask: Ask; readonly room: string }): AskSeen {
  return {
    ...{ id: ask.id, kind: ask.kind, sha256: ask.action.sha256, room },
    isOpen: ask.decision === 'pending' && ask.handledAt === undefined && ask.answer === undefined,
    shows: ask.kind === 'question' ? '' : shownOf(ask),
  }
}

/** A button approves all of it, so all of it is shown above the button. */
function shownOf({ action, body }: Ask): string {
  const args =
    Object.keys(action.arguments).length === 0 ? '' : `\n${JSON.stringify(action.arguments, null, 2)}`
  const files = action.files.length === 0 ? '' : `\n${action.files.join('\n')}`
  const text = body.replace(HOW, '').trim()
  return `${action.tool}${args}${files}${text === '' ? '' : `\n\n${text}`}`
}

/** How the file is decided by hand: the first line of its text. */
const HOW = /^\s*Set `decision: approved`[^\n]*/

/** Characters: a few messages of a chat. */
const MOST_SHOWN = 12_000

/** The content of a message with what its request shows: what a yes allows, or how a question is answered. */
export function withRequest(findAsk: FindAsk, { content, ask }: Pick<Outbound, 'content' | 'ask'>): string {
  const found = ask === undefined ? null : findAsk(ask)
  if (found === null || !found.isOpen) return content
  if (found.kind === 'question') return `${content}\n\n*Reply to this message to answer.*`
  if (found.shows.length <= MOST_SHOWN) return `${content}\n\n${fenced(found.shows).trimEnd()}`
  const next = `It is too long to decide here. Read it with \`neo ask show ${found.id}\`, or on the web page.`
  return `${content}\n\n${fenced(beginning(found.shows, MOST_SHOWN))}\n${next}`
}

const MOST_ID = 40

export function buttonsOf(ask: AskSeen, chatId: string): readonly Button[] {
  if (ask.kind !== 'approval' || !ask.isOpen || ask.id.length > MOST_ID) return []
  if (ask.shows.length > MOST_SHOWN) return []
  return [
    { text: 'Approve', data: `y:${ask.id}:${sealOf(ask, chatId)}` },
    { text: 'Deny', data: `n:${ask.id}:${sealOf(ask, chatId)}` },
  ]
}

export type ButtonMeaning =
  | { readonly kind: 'decision'; readonly ask: AskSeen; readonly decision: 'approved' | 'denied' }
  | { readonly kind: 'nothing'; readonly why: string }

export function buttonMeaning(
  findAsk: FindAsk,
  data: string,
  at: Pick<Place, 'channel' | 'chatId'>,
): ButtonMeaning {
  const [, letter, id = '', seal] = /^([yn]):([\w-]{1,40}):([\w-]{16})$/.exec(data) ?? []
  const ask = findAsk(id)
  if (ask === null) return { kind: 'nothing', why: 'This request no longer exists.' }
  if (seal !== sealOf(ask, at.chatId))
    return {
      kind: 'nothing',
      why: `Not decided: the request has changed since this button was sent. Type ${spelled(at.channel, 'approve')} to see it.`,
    }
  return { kind: 'decision', ask, decision: letter === 'y' ? 'approved' : 'denied' }
}

function sealOf({ id, sha256 }: AskSeen, chatId: string): string {
  return createHash('sha256').update(`${id}\n${sha256}\n${chatId}`).digest('base64url').slice(0, 16)
}
