/**
 * `neo chat`: words and options.
 */
import type { Spec } from '../spec.ts'

export const CHAT: readonly Spec[] = [
  {
    name: 'chat',
    args: '[room]',
    about:
      'talk to the Neo of a room, else of the lobby; outside a home to a plain assistant; lines may come from a pipe',
    options: [
      {
        flags: '--workspace <dir>',
        about: 'a plain assistant with tools for this folder and nothing outside it',
      },
      {
        flags: '--model <ref>',
        about: 'the model of a plain assistant; else NEO_MODEL, or what a key is set for',
      },
      { flags: '--save', about: 'keep a plain conversation, as a new file in this folder' },
    ],
    example: 'neo chat lobby',
    load: async () => (await import('../chat/chat-command.ts')).chat,
  },
]
