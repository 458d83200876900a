/** A room's conversation as clients see it. Pure. */

import { tokensOfMessage, tokensOfText } from '../domain/agent/compact.ts'
import { imageText, type Message } from '../domain/agent/model-message.ts'
import type { ConversationMessage, ConversationView } from '../hub/hub.ts'
import type { NeoStatus } from './options.ts'
import type { Conversation } from './orchestrator-conversation.ts'

export interface Present {
  readonly status: NeoStatus
  readonly task: string | null
  readonly session: string | null
}

export function viewConversation(state: Conversation, present: Present): ConversationView {
  const summary: readonly ConversationMessage[] =
    state.summary === ''
      ? []
      : [
          {
            role: 'system',
            content: state.summary,
            timestamp: state.compactedAt ?? '',
            tokenCount: tokensOfText(state.summary),
          },
        ]
  const messages = state.items.map(
    ({ at, message }): ConversationMessage => ({
      role: message.role,
      content: contentOf(message),
      timestamp: at,
      tokenCount: tokensOfMessage(message),
    }),
  )
  const all = [...summary, ...messages]
  return {
    messages: all,
    totalTokens: all.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
    lastCompactedAt: state.compactedAt,
    status: present.status,
    currentTaskId: present.task,
    currentSessionId: present.session,
  }
}

function contentOf(message: Message): string {
  return message.parts
    .map((part) => {
      if (part.kind === 'text') return part.text
      if (part.kind === 'image') return imageText(part)
      return part.kind === 'call'
        ? `[${part.name} ${JSON.stringify(part.input)}]`
        : `[${part.name}${part.isError ? ' failed' : ''}: ${part.text}]`
    })
    .join('\n')
}
