/** The actions on rooms and schedules: update_room, create_room (lobby only), schedule. */
import { z } from 'zod'
import { roomCreate, roomUpdate } from '../../hub/methods/room-methods.ts'
import { scheduleCreate } from '../../hub/methods/schedule-methods.ts'
import { action, fieldOf, hubParams, needs, takes } from './action.ts'

const updates = roomUpdate.params.shape.updates.shape

export const updateRoom = action({
  name: 'update_room',
  who: 'all',
  doc: 'Change this room: name, description, concurrency, keep. A person decides on everything else about it.',
  input: {
    updates: z.looseObject({}).optional().describe('Keys with their new values'),
    name: takes(updates.name, 'Display name'),
    description: takes(updates.description, 'One line'),
    concurrency: takes(updates.concurrency, 'How many sessions may run at a time'),
  },
  aliases: { fields: 'updates' },
  step: async ({ updates: more = {}, ...own }, { room }) => {
    const all = { ...hubParams(more), ...hubParams(own) }
    if (Object.keys(all).length === 0)
      return {
        kind: 'answer',
        text: 'Nothing to change: give name, description, concurrency or updates',
        isError: true,
      }
    return {
      kind: 'call',
      method: 'room.update',
      params: { roomId: room, updates: all },
      tell: () => 'Changed',
    }
  },
})

const room = roomCreate.params.shape

export const createRoom = action({
  name: 'create_room',
  who: 'lobby',
  doc: 'Create a room: a lasting area of work with its own Neo, tasks and memory. Then tell its Neo what to do with send_message.',
  input: {
    name: needs(room.name, 'Letters, digits and dashes; it becomes the name of the folder'),
    description: takes(room.description, 'One line'),
    default_workspace: takes(room.defaultWorkspace, 'A repository or folder; a person has to approve it'),
    default_model: takes(room.defaultModel, '<provider>/<model>; a person has to approve it'),
    template: takes(room.template, 'Name of a room template'),
  },
  aliases: { workspace: 'default_workspace', workspace_path: 'default_workspace', model: 'default_model' },
  step: async (args) => ({
    kind: 'call',
    method: 'room.create',
    params: hubParams(args),
    tell: (made) => `Created room ${fieldOf(made, 'id')}`,
  }),
})

const plan = scheduleCreate.params.shape

export const schedule = action({
  name: 'schedule',
  who: 'all',
  doc: 'Schedule a task, or a message to yourself, once or repeatedly. Give exactly one of cron, every, at.',
  input: {
    title: needs(plan.name, 'Name of the schedule'),
    content: needs(plan.content, 'Text of the task or of the message'),
    kind: takes(plan.kind, 'Default: task'),
    cron: takes(plan.cron, 'Such as 0 9 * * 1-5'),
    every: takes(plan.every, 'Such as 30m or 1d'),
    at: takes(plan.at, 'Such as 2026-03-01T09:00'),
    timezone: takes(plan.timezone, 'Default: the time zone of the home'),
  },
  aliases: { name: 'title', body: 'content', description: 'content', message: 'content' },
  step: async ({ title, ...args }, { room: roomId }) =>
    [args.cron, args.every, args.at].filter((when) => when !== undefined).length === 1
      ? {
          kind: 'call',
          method: 'schedule.create',
          params: { roomId, name: title, ...hubParams(args) },
          tell: (made) => `Scheduled ${fieldOf(made, 'name')}`.trim(),
        }
      : { kind: 'answer', text: 'Give exactly one of cron, every and at', isError: true },
})
