/**
 * spawn_subagent: a part of the work, done by an agent of its own.
 * Takes the prompt; gives the subagent's result. Leaves its limits and its session to the session's services.
 */
import { ok, wrong } from './result.ts'
import type { Tool } from './tool.ts'

export const spawnSubagent: Tool = {
  name: 'spawn_subagent',
  summary: 'Gives a part of the work to a second agent, and waits for its result.',
  docs: 'It sees nothing of this conversation: the prompt has to say what is wanted, where it is, and what to give back. It has the same worktree and no more rights.',
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
