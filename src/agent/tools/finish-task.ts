/** finish_task: the worker says that the task is done. */
import { ok, wrong } from './result.ts'
import type { Tool } from './tool.ts'

/** Letters of the one line. */
const LINE = 300

export const finishTask: Tool = {
  name: 'finish_task',
  summary: 'End the session: the task is done.',
  docs: 'Call it last, on its own, when everything is written and tested. The checks of the task run after it. Do not commit: that is done for you.',
  params: [
    {
      name: 'details',
      type: 'string',
      doc: 'What a reviewer needs to know: what changed, why, what is still open',
      required: 'no',
      typed: 'flag',
    },
    {
      name: 'result',
      type: 'string',
      doc: 'One line that says what is true now',
      required: 'yes',
      typed: 'rest',
    },
  ],
  examples: ['finish_task The list can be sorted by date.'],
  effect: 'talks',
  run: async (args) => {
    const [first = '', ...more] = String(args['result']).trim().split('\n')
    if (first === '')
      return wrong('Cannot finish: "result" is empty; give one line that says what is true now')
    const line = first.length > LINE ? `${first.slice(0, LINE - 1)}…` : first
    const beyond = first.length > LINE ? [first, ...more] : more
    const details = [beyond.join('\n').trim(), String(args['details'] ?? '').trim()].filter(
      (text) => text !== '',
    )
    return { ...ok('Finished'), finished: { result: line, details: details.join('\n\n') } }
  },
}
