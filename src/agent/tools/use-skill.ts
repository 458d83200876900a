/** use_skill: the text of a skill, when it is needed. */
import { ok, wrong } from './result.ts'
import type { Tool } from './tool.ts'

export const useSkill: Tool = {
  name: 'use_skill',
  summary: 'Read a skill: how something is done here.',
  docs: 'The task lists the names and purposes of the skills; read a skill before you do what it describes. Its text names the files that come with it.',
  params: [
    { name: 'name', type: 'string', doc: 'Name of the skill', required: 'yes', typed: 'positional' },
    { name: 'file', type: 'string', doc: 'A file of the skill to read', required: 'no', typed: 'positional' },
  ],
  examples: ['use_skill release-notes', 'use_skill release-notes reference.md'],
  effect: 'reads',
  run: async (args, { services }) => {
    const skill = await services.skill(
      String(args['name']),
      args['file'] === undefined ? null : String(args['file']),
    )
    return 'wrong' in skill ? wrong(skill.wrong) : ok(skill.text)
  },
}
