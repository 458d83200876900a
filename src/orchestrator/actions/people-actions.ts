/**
 * The actions that speak to people: report_status, ask_human. An answer comes back as a message.
 */
import { type Action, textOf } from './action.ts'

export const reportStatus: Action = {
  name: 'report_status',
  who: 'all',
  where: 'room',
  doc: 'Tells the people of this room how things stand, at once. What you answer at the end of a turn reaches them too: do not say it twice.',
  params: [
    { name: 'message', aliases: ['content', 'status', 'text'], type: 'text', required: 'yes', doc: 'Short' },
  ],
  step: async (args) => ({ kind: 'say', what: 'report', text: textOf(args, 'message'), tell: 'Told' }),
}

export const askHuman: Action = {
  name: 'ask_human',
  who: 'all',
  where: 'room',
  doc: 'Puts a question to a person, where only a person can decide. The answer comes later, as a message: end the turn.',
  params: [
    {
      name: 'question',
      aliases: ['content', 'message', 'text'],
      type: 'text',
      required: 'yes',
      doc: 'One question, with what you would do',
    },
    { name: 'task_id', aliases: ['task'], type: 'line', required: 'no', doc: 'The task it is about' },
  ],
  step: async (args) => {
    const task = textOf(args, 'task_id')
    const text = `${textOf(args, 'question')}${task === '' ? '' : ` (${task})`}`
    return { kind: 'say', what: 'question', text, tell: 'Asked; the answer will come as a message' }
  },
}
