/**
 * Skills, `<name>/SKILL.md`: name and description always in the context, the body on demand. From `workspace/skills`, and
 * from the folders that other tools read, in the home and in the repository of a session's workspace.
 * Takes the home and a repository; gives the list, and a body by name. A skill that cannot be read is left out.
 * Invariant 1: of two of one name the home's is meant. Invariant 2: no link is followed out of the folder of skills.
 */
import { join } from 'node:path'
import { readSkill } from '../formats/skill.ts'
import type { Context } from './context.ts'

const MOST_BYTES = 256 * 1024
const MOST_SKILLS = 100
/** Of a home first; the rest are where other tools look, too. */
const OF_HOME = 'workspace/skills'
const SHARED = ['.agents/skills', '.claude/skills'] as const

export interface Skill {
  readonly name: string
  readonly description: string
  readonly body: string
  /** `workspace`: of the repository that is worked on, not of the home. */
  readonly from: 'home' | 'workspace'
}

type Where = Pick<Context, 'home' | 'world'>

/** @param repository top folder of the workspace's repository; null for none */
export function skillsOf(of: Where, repository: string | null): readonly Skill[] {
  const { home } = of
  const own = [OF_HOME, ...SHARED].flatMap((folder) => skillsIn(of, { root: home, folder, from: 'home' }))
  const shared =
    repository === null || repository === home
      ? []
      : SHARED.flatMap((folder) => skillsIn(of, { root: repository, folder, from: 'workspace' }))
  const names = new Set<string>()
  return [...own, ...shared]
    .filter(({ name }) => !names.has(name) && names.add(name) !== undefined)
    .slice(0, MOST_SKILLS)
}

function skillsIn(
  { world }: Where,
  { root, folder, from }: { readonly root: string; readonly folder: string; readonly from: Skill['from'] },
): readonly Skill[] {
  return world.files.names(join(root, folder)).flatMap((name): readonly Skill[] => {
    const read = world.files.read(join(root, folder, name, 'SKILL.md'), MOST_BYTES)
    if (read.kind !== 'file') return []
    const skill = readSkill(`${folder}/${name}/SKILL.md`, read.bytes)
    return skill.kind === 'ok' ? [{ ...skill.value, from }] : []
  })
}

export function skillNamed(
  of: Where,
  { name, repository }: { readonly name: string; readonly repository: string | null },
): { readonly text: string } | { readonly wrong: string } {
  const skills = skillsOf(of, repository)
  const found = skills.find((skill) => skill.name === name)
  if (found !== undefined) return { text: found.body }
  const known = skills.map((skill) => skill.name).join(', ')
  return { wrong: `there is no skill ${name}; there are ${known === '' ? 'none' : known}` }
}
