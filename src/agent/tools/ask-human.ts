/** ask_human: a question that the session waits with. */
import { ok, wrong } from './result.ts'
import type { Tool } from './tool.ts'

export const askHuman: Tool = {
  name: 'ask_human',
  summary: 'Ask a person, and wait for the answer.',
  docs: 'Only if files, memory and tools cannot answer it and a wrong guess would be costly: the answer may take hours. Ask one question, and say what you would do and why.',
  params: [{ name: 'question', type: 'string', doc: 'The question', required: 'yes', typed: 'rest' }],
  examples: ['ask_human Which of the two addresses do invoices go to? I would take the newer one.'],
  effect: 'talks',
  run: async (args, { services, call }) => {
    const question = String(args['question']).trim()
    return question === ''
      ? wrong('Cannot ask: the question is empty')
      : ok(await services.ask(call, question))
  },
}
