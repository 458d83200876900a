/**
 * The action on files: send_file.
 */
import { type Action, fieldOf, given } from './action.ts'

export const sendFile: Action = {
  name: 'send_file',
  who: 'all',
  where: 'scope',
  doc: 'Send a file from the workspace of this room to the person you answer, in their private chat. It arrives before your reply.',
  params: [
    {
      name: 'path',
      aliases: ['file', 'name'],
      type: 'line',
      required: 'yes',
      doc: 'Path in the workspace; the file may have at most 8 MB',
    },
  ],
  step: async (args, { room, scope }) =>
    scope === null
      ? { kind: 'answer', text: 'This works only in a private chat', isError: 'yes' }
      : {
          kind: 'call',
          method: 'file.send',
          params: { roomId: room, scopeId: scope, ...given(args, { path: 'path' }) },
          tell: (sent) => `Sent ${fieldOf(sent, 'name')}`,
        },
}
