/** The actions on rooms and schedules: update_room, create_room (lobby only), schedule. */
import type { Json, JsonObject } from '../../domain/agent/model-message.ts'
import { type Action, fieldOf, given } from './action.ts'

export const updateRoom: Action = {
  name: 'update_room',
  who: 'all',
  doc: 'Change this room: name, description, concurrency, keep. A person decides on everything else about it.',
  params: [
    {
      name: 'updates',
      aliases: ['fields'],
      type: 'object',
      required: 'no',
      doc: 'Keys with their new values',
    },
    { name: 'name', type: 'line', required: 'no', doc: 'Display name' },
    { name: 'description', type: 'line', required: 'no', doc: 'One line' },
    { name: 'concurrency', type: 'count', required: 'no', doc: 'How many sessions may run at a time' },
  ],
  step: async (args, { room }) => {
    const own = args['updates'] as JsonObject | undefined
    const updates = {
      ...camel(own ?? {}),
      ...given(args, { name: 'name', description: 'description', concurrency: 'concurrency' }),
    }
    if (Object.keys(updates).length === 0)
      return {
        kind: 'answer',
        text: 'Nothing to change: give name, description, concurrency or updates',
        isError: true,
      }
    return { kind: 'call', method: 'room.update', params: { roomId: room, updates }, tell: () => 'Changed' }
  },
}

/** Top keys as the hub names them. */
function camel(keys: JsonObject): JsonObject {
  const named = (key: string) => key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(keys).map(([key, value]): [string, Json] => [named(key), value]))
}

export const createRoom: Action = {
  name: 'create_room',
  who: 'lobby',
  doc: 'Create a room: a lasting area of work with its own Neo, tasks and memory. Then tell its Neo what to do with send_message.',
  params: [
    {
      name: 'name',
      type: 'line',
      required: 'yes',
      doc: 'Letters, digits and dashes; it becomes the name of the folder',
    },
    { name: 'description', type: 'line', required: 'no', doc: 'One line' },
    {
      name: 'default_workspace',
      aliases: ['workspace', 'workspace_path'],
      type: 'line',
      required: 'no',
      doc: 'A repository or folder; a person has to approve it',
    },
    {
      name: 'default_model',
      aliases: ['model'],
      type: 'line',
      required: 'no',
      doc: '<provider>/<model>; a person has to approve it',
    },
    { name: 'template', type: 'line', required: 'no', doc: 'Name of a room template' },
  ],
  step: async (args) => ({
    kind: 'call',
    method: 'room.create',
    params: given(args, {
      name: 'name',
      description: 'description',
      default_workspace: 'defaultWorkspace',
      default_model: 'defaultModel',
      template: 'template',
    }),
    tell: (room) => `Created room ${fieldOf(room, 'id')}`,
  }),
}

export const schedule: Action = {
  name: 'schedule',
  who: 'all',
  doc: 'Schedule a task, or a message to yourself, once or repeatedly. Give exactly one of cron, every, at.',
  params: [
    { name: 'title', aliases: ['name'], type: 'line', required: 'yes', doc: 'Name of the schedule' },
    {
      name: 'content',
      aliases: ['body', 'description', 'message'],
      type: 'text',
      required: 'yes',
      doc: 'Text of the task or of the message',
    },
    { name: 'kind', type: 'choice', of: ['task', 'message'], required: 'no', doc: 'Default: task' },
    { name: 'cron', type: 'line', required: 'no', doc: 'Such as 0 9 * * 1-5' },
    { name: 'every', type: 'line', required: 'no', doc: 'Such as 30m or 1d' },
    { name: 'at', type: 'line', required: 'no', doc: 'Such as 2026-03-01T09:00' },
    { name: 'timezone', type: 'line', required: 'no', doc: 'Default: the time zone of the home' },
  ],
  step: async (args, { room }) => {
    const when = given(args, { cron: 'cron', every: 'every', at: 'at' })
    if (Object.keys(when).length !== 1)
      return { kind: 'answer', text: 'Give exactly one of cron, every and at', isError: true }
    const rest = given(args, { title: 'name', content: 'content', kind: 'kind', timezone: 'timezone' })
    const params = { roomId: room, ...rest, ...when }
    return {
      kind: 'call',
      method: 'schedule.create',
      params,
      tell: (made) => `Scheduled ${fieldOf(made, 'name')}`.trim(),
    }
  },
}
