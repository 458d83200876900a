/**
 * spawn_subagent: a part of the work, done by an agent of its own.
 */
import { ok, wrong } from './result.ts'
import type { Tool } from './tool.ts'

export const spawnSubagent: Tool = {
  name: 'spawn_subagent',
  summary: 'Gives a part of the work to a second agent, which works beside you.',
  docs: 'It sees nothing of this conversation: the prompt has to say what is wanted, where it is, and what to give back. It has a worktree of its own, without your changes, and no more rights. Its result comes as a message: with nothing else to do, answer without a call and wait.',
  params: [{ name: 'prompt', type: 'string', doc: 'The whole task', required: 'yes', typed: 'rest' }],
  examples: ['spawn_subagent Read src/parser and list every error message with its line.'],
  effect: 'talks',
  run: async (args, { services, call }) => {
    const prompt = String(args['prompt']).trim()
    return prompt === ''
      ? wrong('Cannot start a subagent: the prompt is empty')
      : ok(await services.spawn(call, prompt))
  },
}
