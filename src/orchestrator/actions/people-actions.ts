/**
 * The actions that speak to people: report_status, ask_human, send_file. An answer comes back as a message.
 */
import { type Action, fieldOf, given, textOf } from './action.ts'

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
      ? { kind: 'answer', text: 'This works only in a private chat', isError: true }
      : {
          kind: 'call',
          method: 'file.send',
          params: { roomId: room, scopeId: scope, ...given(args, { path: 'path' }) },
          tell: (sent) => `Sent ${fieldOf(sent, 'name')}`,
        },
}

export const reportStatus: Action = {
  name: 'report_status',
  who: 'all',
  where: 'room',
  doc: 'Report the status to the people of this room at once. Your answer at the end of the turn reaches them too: do not say it twice.',
  params: [
    {
      name: 'message',
      aliases: ['content', 'status', 'text'],
      type: 'text',
      required: 'yes',
      doc: 'A short message',
    },
  ],
  step: async (args) => ({ kind: 'say', what: 'report', text: textOf(args, 'message'), tell: 'Reported' }),
}

export const askHuman: Action = {
  name: 'ask_human',
  who: 'all',
  where: 'room',
  doc: 'Ask a person, if only a person can decide. The answer comes later, as a message: end the turn.',
  params: [
    {
      name: 'question',
      aliases: ['content', 'message', 'text'],
      type: 'text',
      required: 'yes',
      doc: 'One question, with your recommendation',
    },
    {
      name: 'task_id',
      aliases: ['task'],
      type: 'line',
      required: 'no',
      doc: 'Id of the task that it is about',
    },
  ],
  step: async (args) => {
    const task = textOf(args, 'task_id')
    const text = `${textOf(args, 'question')}${task === '' ? '' : ` (${task})`}`
    return { kind: 'say', what: 'question', text, tell: 'Asked; the answer will come as a message' }
  },
}
