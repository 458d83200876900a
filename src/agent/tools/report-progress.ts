/** report_progress: a line for people who watch the session. */
import { ok } from './result.ts'
import type { Tool } from './tool.ts'

export const reportProgress: Tool = {
  name: 'report_progress',
  summary: 'Report progress to the people who watch.',
  docs: 'One line after each part of the work; nobody answers. Name the checklist items of the task that are done: their boxes are ticked.',
  params: [
    {
      name: 'percent',
      type: 'number',
      doc: 'How much is done',
      required: 'no',
      typed: 'flag',
      least: 0,
      most: 100,
    },
    {
      name: 'done',
      type: 'strings',
      doc: 'Checklist items of the task that are done, word for word',
      required: 'no',
      typed: 'flag',
    },
    { name: 'text', type: 'string', doc: 'One line', required: 'yes', typed: 'rest' },
  ],
  examples: ['report_progress --percent=50 The parser is done, the tests are next.'],
  effect: 'talks',
  run: async (args, { services }) => {
    const percent = args['percent'] === undefined ? null : Number(args['percent'])
    const done = Array.isArray(args['done']) ? args['done'] : []
    return ok(await services.report({ text: String(args['text']), percent, done }))
  },
}
