/**
 * The skill file, `workspace/skills/<name>/SKILL.md`, in the Agent Skills format: reading it. Keys that other programs
 * read are known here and passed over.
 */
import { note } from '../values/check-value.ts'
import { readKind } from '../values/kind.ts'
import type { Read } from '../header/read-header.ts'
import { needs } from '../values/required.ts'
import { anything, keys, map, matching, said, text } from '../values/shape.ts'

export interface Skill {
  readonly name: string
  /** What it does and when to use it: always shown to the model. */
  readonly description: string
  readonly body: string
}

const MOST_DESCRIPTION = 1024

export const skillShape = keys({
  name: said(
    'The name, as its folder.',
    matching('1 to 64 of a-z, 0-9 and single -', /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/),
  ),
  description: said(
    'When to use it; agents read this first.',
    text(`text of 1 to ${MOST_DESCRIPTION} characters`, (value) => isDescription(value)),
  ),
  license: said('The licence.', text()),
  compatibility: said('What it needs.', text()),
  metadata: said('Anything else.', map(anything())),
  'allowed-tools': said('Read by other programs.', anything()),
  'disable-model-invocation': said('Read by other programs.', anything()),
  'user-invocable': said('Read by other programs.', anything()),
  'argument-hint': said('Read by other programs.', anything()),
  model: said('Read by other programs.', text()),
  context: said('Read by other programs.', anything()),
  agent: said('Read by other programs.', text()),
  hooks: said('Read by other programs.', anything()),
  paths: said('Read by other programs.', anything()),
})

/** Reads a skill, whose name must be its folder's. */
export function readSkill(file: string, bytes: Buffer | string): Read<Skill> {
  return readKind(file, bytes, {
    shape: skillShape,
    build: (known, doc, on) => {
      needs(on, known, ['name', 'description'])
      const folder = file.split('/').at(-2)
      if (known.name !== undefined && folder !== undefined && known.name !== folder)
        note(on, ['name'], {
          code: 'type',
          severity: 'warning',
          message: `name is "${known.name}", want "${folder}", the name of its folder`,
          hint: `Write name: ${folder}`,
        })
      return { name: known.name ?? '', description: known.description ?? '', body: doc.body }
    },
  })
}

function isDescription(value: string): boolean {
  return value.trim() !== '' && value.length <= MOST_DESCRIPTION
}
