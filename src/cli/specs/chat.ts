/**
 * `neo chat`: words and options. Leaves to chat/chat.ts: what it does.
 */
import type { Spec } from '../spec.ts'

export const CHAT: readonly Spec[] = [
  {
    name: 'chat',
    args: '[room]',
    about: 'talk to the Neo of a room, else of the lobby; /help in it says more; lines may come from a pipe',
    example: 'neo chat lobby',
    load: async () => (await import('../chat/chat.ts')).chat,
  },
]
