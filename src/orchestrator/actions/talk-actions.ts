/** The actions that speak to people and to workers. Answers come back as messages. */
import { z } from 'zod'
import { PROGRAM_FORMS } from '../../domain/task/task.ts'
import { fileSend, messageSend } from '../../hub/methods/conversations/message-methods.ts'
import { sessionCreate } from '../../hub/methods/session-methods.ts'
import { action, fieldOf, hubParams, needs, takes } from './action.ts'

export const sendFile = action({
  name: 'send_file',
  who: 'all',
  where: 'scope',
  doc: 'Send a file from the workspace of this room to the person you answer, in their private chat. It arrives before your reply.',
  input: { path: needs(fileSend.params.shape.path, 'Path in the workspace; the file may have at most 8 MB') },
  aliases: { file: 'path', name: 'path' },
  step: async (args, { room, scope }) =>
    scope === null
      ? { kind: 'answer', text: 'This works only in a private chat', isError: true }
      : {
          kind: 'call',
          method: 'file.send',
          params: { roomId: room, scopeId: scope, ...args },
          tell: (sent) => `Sent ${fieldOf(sent, 'name')}`,
        },
})

export const reportStatus = action({
  name: 'report_status',
  who: 'all',
  where: 'room',
  doc: 'Report the status to the people of this room at once. Your answer at the end of the turn reaches them too: do not say it twice.',
  input: { message: z.string().describe('A short message') },
  aliases: { content: 'message', status: 'message', text: 'message' },
  step: async ({ message }) => ({ kind: 'say', what: 'report', text: message, tell: 'Reported' }),
})

export const askHuman = action({
  name: 'ask_human',
  who: 'all',
  where: 'room',
  doc: 'Ask a person, if only a person can decide. The answer comes later, as a message: end the turn.',
  input: {
    question: z.string().describe('One question, with your recommendation'),
    task_id: takes(sessionCreate.params.shape.taskId, 'Id of the task that it is about'),
  },
  aliases: { content: 'question', message: 'question', text: 'question', task: 'task_id' },
  step: async ({ question, task_id: task }) => {
    const text = `${question}${task === undefined ? '' : ` (${task})`}`
    return { kind: 'say', what: 'question', text, tell: 'Asked; the answer will come as a message' }
  },
})

const session = sessionCreate.params.shape

export const createSession = action({
  name: 'create_session',
  who: 'all',
  doc: 'Open an idle session: assign_task gives it one task after the other, all in one worktree; send_message can give it instructions first. With task_id, that task starts in it now. Tasks start by themselves in their own sessions, so this is rarely needed.',
  input: {
    workspace_path: takes(
      session.workspacePath,
      'Folder to work in; default: the workspace of the room. Another one must be allowed in the configuration of the home',
    ),
    model: takes(session.model, '<provider>/<model>; default: the model of the room'),
    worker: takes(session.worker, `agent, ${PROGRAM_FORMS}; default: the worker of the room`),
    task_id: takes(session.taskId, 'Id of the task to start'),
  },
  aliases: { workspace: 'workspace_path', task: 'task_id' },
  step: async (args, { room }) => ({
    kind: 'call',
    method: 'session.create',
    params: { roomId: room, ...hubParams(args) },
    tell: (result) => `Opened session ${fieldOf(result, 'sessionId')}`,
  }),
})

const { content, sessionId, roomId } = messageSend.params.shape
const CONTENT = { message: 'content', text: 'content', answer: 'content', session: 'session_id' }

export const sendMessage = action({
  name: 'send_message',
  who: 'rooms',
  doc: 'Send a message to a session of this room. If the session waits for an answer, the message is the answer.',
  input: {
    session_id: needs(sessionId, 'Id of the session'),
    content: needs(content, 'The message'),
  },
  aliases: CONTENT,
  step: async (args) => ({
    kind: 'call',
    method: 'message.send',
    params: hubParams(args),
    tell: () => 'Sent',
  }),
})

export const passMessage = action({
  name: 'send_message',
  who: 'lobby',
  doc: 'Send a message to the Neo of a room, which then acts there; or to a session of the lobby.',
  input: {
    room_id: takes(roomId, 'Name of the room'),
    session_id: takes(sessionId, 'Id of a session of the lobby'),
    content: needs(
      content,
      'The message, complete and clear: the receiver knows nothing of this conversation',
    ),
  },
  aliases: { ...CONTENT, room: 'room_id' },
  step: async (args) =>
    (args.room_id === undefined) === (args.session_id === undefined)
      ? { kind: 'answer', text: 'Give exactly one of room_id and session_id', isError: true }
      : { kind: 'call', method: 'message.send', params: hubParams(args), tell: () => 'Sent' },
})
