/**
 * Skills: `workspace/skills/<name>/SKILL.md`; name and description always in the context, the body on demand.
 * Takes the home; gives the list, and a body by name. A skill that cannot be read is left out.
 */
import { join } from 'node:path'
import { readSkill } from '../formats/skill.ts'
import type { Context } from './context.ts'

const MOST_BYTES = 256 * 1024

export interface Skill {
  readonly name: string
  readonly description: string
  readonly body: string
}

export function skillsOf({ home, world }: Pick<Context, 'home' | 'world'>): readonly Skill[] {
  const root = join(home, 'workspace', 'skills')
  return world.files.names(root).flatMap((folder) => {
    const read = world.files.read(join(root, folder, 'SKILL.md'), MOST_BYTES)
    if (read.kind !== 'file') return []
    const skill = readSkill(`workspace/skills/${folder}/SKILL.md`, read.bytes)
    return skill.kind === 'ok' ? [skill.value] : []
  })
}

export function skillNamed(
  of: Pick<Context, 'home' | 'world'>,
  name: string,
): { readonly text: string } | { readonly wrong: string } {
  const skills = skillsOf(of)
  const found = skills.find((skill) => skill.name === name)
  if (found !== undefined) return { text: found.body }
  const known = skills.map((skill) => skill.name).join(', ')
  return { wrong: `there is no skill ${name}; there are ${known === '' ? 'none' : known}` }
}
