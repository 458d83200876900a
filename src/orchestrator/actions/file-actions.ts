/**
 * The action on files: send_file.
 */
import { type Action, fieldOf, given } from './action.ts'

export const sendFile: Action = {
  name: 'send_file',
  who: 'all',
  where: 'scope',
  doc: "Sends a file of this room's workspace to whoever you answer, in their private chat. It arrives before your words.",
  params: [
    {
      name: 'path',
      aliases: ['file', 'name'],
      type: 'line',
      required: 'yes',
      doc: 'In the workspace, at most 8 MB',
    },
  ],
  step: async (args, { room, scope }) =>
    scope === null
      ? { kind: 'answer', text: 'Only in a private chat', isError: 'yes' }
      : {
          kind: 'call',
          method: 'file.send',
          params: { roomId: room, scopeId: scope, ...given(args, { path: 'path' }) },
          tell: (sent) => `Sent ${fieldOf(sent, 'name')}`,
        },
}
