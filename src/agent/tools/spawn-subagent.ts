/** spawn_subagent: a part of the work, done by an agent of its own. */
import { ok, wrong } from './result.ts'
import type { Tool } from './tool.ts'

export const spawnSubagent: Tool = {
  name: 'spawn_subagent',
  summary: 'Start a second agent on a part of the work, in parallel with you.',
  docs: 'It sees nothing of this conversation: the prompt has to say what to do, where, and what to return. It has its own worktree, without your changes, and the same permissions. Its result arrives as a message: if you have nothing else to do, answer without a call and wait.',
  params: [{ name: 'prompt', type: 'string', doc: 'The complete task', required: 'yes', typed: 'rest' }],
  examples: ['spawn_subagent Read src/parser and list every error message with its line.'],
  effect: 'talks',
  run: async (args, { services, call }) => {
    const prompt = String(args['prompt']).trim()
    return prompt === ''
      ? wrong('Cannot start a subagent: the prompt is empty')
      : ok(await services.spawn(call, prompt))
  },
}
