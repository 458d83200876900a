/**
 * remember: a lasting note of the room, for later sessions.
 */
import { listOf } from './files/grep.ts'
import { ok, wrong } from './result.ts'
import type { Tool } from './tool.ts'

export const remember: Tool = {
  name: 'remember',
  summary: "Keeps something in the room's memory, for later sessions.",
  docs: 'For what holds beyond this task: a decision, a fact, a preference, a way that does not lead anywhere. Not for secrets, and not for what files say already.',
  params: [
    { name: 'type', type: 'string', doc: 'What it is', required: 'no', typed: 'flag' },
    { name: 'tag', type: 'strings', doc: 'Words to find it by', required: 'no', typed: 'flag' },
    {
      name: 'text',
      type: 'string',
      doc: 'One or a few sentences that make sense alone',
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
