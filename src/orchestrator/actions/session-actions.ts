/** The actions that talk to workers: create_session, send_message. */
import { type Action, fieldOf, given } from './action.ts'

export const createSession: Action = {
  name: 'create_session',
  who: 'all',
  doc: 'Open an idle session: assign_task gives it one task after the other, all in one worktree; send_message can give it instructions first. With task_id, that task starts in it now. Tasks start by themselves in their own sessions, so this is rarely needed.',
  params: [
    {
      name: 'workspace_path',
      aliases: ['workspace'],
      type: 'line',
      required: 'no',
      doc: 'Folder to work in; default: the workspace of the room. Another one must be allowed in the configuration of the home',
    },
    {
      name: 'model',
      type: 'line',
      required: 'no',
      doc: '<provider>/<model>; default: the model of the room',
    },
    {
      name: 'worker',
      type: 'line',
      required: 'no',
      doc: 'agent or exec:<name>; default: the worker of the room',
    },
    { name: 'task_id', aliases: ['task'], type: 'line', required: 'no', doc: 'Id of the task to start' },
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
  doc: 'Send a message to a session of this room. If the session waits for an answer, the message is the answer.',
  params: [
    { ...SESSION, required: 'yes', doc: 'Id of the session' },
    { ...CONTENT, doc: 'The message' },
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
  doc: 'Send a message to the Neo of a room, which then acts there; or to a session of the lobby.',
  params: [
    { name: 'room_id', aliases: ['room'], type: 'line', required: 'no', doc: 'Name of the room' },
    { ...SESSION, required: 'no', doc: 'Id of a session of the lobby' },
    {
      ...CONTENT,
      doc: 'The message, complete and clear: the receiver knows nothing of this conversation',
    },
  ],
  step: async (args) => {
    const to = given(args, { room_id: 'roomId', session_id: 'sessionId' })
    if (Object.keys(to).length !== 1)
      return { kind: 'answer', text: 'Give exactly one of room_id and session_id', isError: true }
    const params = { ...to, ...given(args, { content: 'content' }) }
    return { kind: 'call', method: 'message.send', params, tell: () => 'Sent' }
  },
}
