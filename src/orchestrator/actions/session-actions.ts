/**
 * The actions that talk to workers: create_session, send_message.
 */
import { type Action, fieldOf, given } from './action.ts'

export const createSession: Action = {
  name: 'create_session',
  who: 'all',
  doc: 'Opens a session that waits: assign_task gives it one task after the other, all in one worktree; send_message says something to it before. With task_id that task starts in it now. Tasks start by themselves in sessions of their own: this is rarely needed.',
  params: [
    {
      name: 'workspace_path',
      aliases: ['workspace'],
      type: 'line',
      required: 'no',
      doc: 'Folder to work in; default the room’s. Another one must be allowed in the home’s configuration',
    },
    { name: 'model', type: 'line', required: 'no', doc: '<provider>/<model>; default the room’s' },
    { name: 'worker', type: 'line', required: 'no', doc: 'agent or exec:<name>; default the room’s' },
    { name: 'task_id', aliases: ['task'], type: 'line', required: 'no', doc: 'The task' },
  ],
  step: async (args, { room }) => ({
    kind: 'call',
    method: 'session.create',
    params: {
      roomId: room,
      ...given(args, {
        workspace_path: 'workspacePath',
        model: 'model',
        worker: 'worker',
        task_id: 'taskId',
      }),
    },
    tell: (result) => `Opened session ${fieldOf(result, 'sessionId')}`,
  }),
}

const CONTENT = {
  name: 'content',
  aliases: ['message', 'text', 'answer'],
  type: 'text',
  required: 'yes',
} as const
const SESSION = { name: 'session_id', aliases: ['session'], type: 'line' } as const

export const sendMessage: Action = {
  name: 'send_message',
  who: 'rooms',
  doc: 'Says something to a session of this room. If it waits with a question, this is the answer.',
  params: [
    { ...SESSION, required: 'yes', doc: 'Its id' },
    { ...CONTENT, doc: 'What it is told' },
  ],
  step: async (args) => ({
    kind: 'call',
    method: 'message.send',
    params: given(args, { session_id: 'sessionId', content: 'content' }),
    tell: () => 'Sent',
  }),
}

export const passMessage: Action = {
  name: 'send_message',
  who: 'lobby',
  doc: 'Says something to the Neo of a room, who then acts there; or to a session of the lobby.',
  params: [
    { name: 'room_id', aliases: ['room'], type: 'line', required: 'no', doc: 'The room’s name' },
    { ...SESSION, required: 'no', doc: 'A session of the lobby' },
    {
      ...CONTENT,
      doc: 'What is said: whole and clear, since the other one knows nothing of this conversation',
    },
  ],
  step: async (args) => {
    const to = given(args, { room_id: 'roomId', session_id: 'sessionId' })
    if (Object.keys(to).length !== 1)
      return { kind: 'answer', text: 'Give one of room_id and session_id', isError: 'yes' }
    const params = { ...to, ...given(args, { content: 'content' }) }
    return { kind: 'call', method: 'message.send', params, tell: () => 'Sent' }
  },
}
