/** remember: a lasting note of the room, for later sessions. */
import { listOf } from './files/grep.ts'
import { ok, wrong } from './result.ts'
import type { Tool } from './tool.ts'

export const remember: Tool = {
  name: 'remember',
  summary: 'Save something to the memory of the room, for later sessions.',
  docs: 'For what stays true after this task: a decision, a fact, a preference, a dead end. Not for secrets, and not for what the files already say.',
  params: [
    { name: 'type', type: 'string', doc: 'Kind of memory', required: 'no', typed: 'flag' },
    { name: 'tag', type: 'strings', doc: 'Tags to find it by', required: 'no', typed: 'flag' },
    {
      name: 'text',
      type: 'string',
      doc: 'One or a few sentences that make sense on their own',
      required: 'yes',
      typed: 'rest',
    },
  ],
  examples: ['remember --type=decision --tag=build Releases are made from main alone.'],
  effect: 'talks',
  run: async (args, { services }) => {
    const text = String(args['text']).trim()
    if (text === '') return wrong('Cannot remember: the text is empty')
    return ok(
      await services.remember({ text, tags: listOf(args['tag']), type: String(args['type'] ?? 'fact') }),
    )
  },
}
