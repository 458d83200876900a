/**
 * use_skill: the text of a skill, when it is needed.
 * Takes its name; gives its body. Leaves where skills are, and which there are, to the session's services.
 */
import { ok, wrong } from './result.ts'
import type { Tool } from './tool.ts'

export const useSkill: Tool = {
  name: 'use_skill',
  summary: 'Reads a skill: how something is done here.',
  docs: 'The names and purposes of skills stand in the task; read one before you do what it is about.',
  params: [{ name: 'name', type: 'string', doc: 'Name of the skill', required: 'yes', typed: 'positional' }],
  examples: ['use_skill release-notes'],
  effect: 'reads',
  run: async (args, { services }) => {
    const skill = await services.skill(String(args['name']))
    return 'wrong' in skill ? wrong(skill.wrong) : ok(skill.text)
  },
}
