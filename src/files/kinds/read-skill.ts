/**
 * The skill file, `workspace/skills/<name>/SKILL.md`, in the Agent Skills format; keys for other programs are
 * ignored.
 */

import type { Read } from '../header/read-header.ts'
import { addProblem } from '../values/check-value.ts'
import { needs, readKind } from '../values/kind.ts'
import { anything, describe, keys, map, matching, text } from '../values/shape.ts'

interface Skill {
  readonly name: string
  /** What it does and when to use it: always shown to the model. */
  readonly description: string
  readonly body: string
}

const MOST_DESCRIPTION = 1024

export const skillShape = keys({
  name: describe(
    'Name of the skill. It must be the name of its folder.',
    matching('1 to 64 of a-z, 0-9 and single -', /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/),
  ),
  description: describe(
    'What the skill does and when to use it. Agents always see this.',
    text(
      `text of 1 to ${MOST_DESCRIPTION} characters`,
      (value) => value.trim() !== '' && value.length <= MOST_DESCRIPTION,
    ),
  ),
  license: describe('Licence of the skill.', text()),
  compatibility: describe('Requirements of the skill.', text()),
  metadata: describe('Additional data. Neo ignores it.', map(anything())),
  'allowed-tools': describe('For other programs. Neo ignores it.', anything()),
  'disable-model-invocation': describe('For other programs. Neo ignores it.', anything()),
  'user-invocable': describe('For other programs. Neo ignores it.', anything()),
  'argument-hint': describe('For other programs. Neo ignores it.', anything()),
  model: describe('For other programs. Neo ignores it.', text()),
  context: describe('For other programs. Neo ignores it.', anything()),
  agent: describe('For other programs. Neo ignores it.', text()),
  hooks: describe('For other programs. Neo ignores it.', anything()),
  paths: describe('For other programs. Neo ignores it.', anything()),
})

export function readSkill(file: string, bytes: Buffer | string): Read<Skill> {
  return readKind(file, bytes, {
    shape: skillShape,
    build: (known, doc, on) => {
      needs(on, known, ['name', 'description'])
      const folder = file.split('/').at(-2)
      if (known.name !== undefined && folder !== undefined && known.name !== folder)
        addProblem(on, ['name'], {
          code: 'type',
          severity: 'warning',
          message: `name: "${known.name}" is not the name of the folder`,
          hint: `Use name: ${folder}, or rename the folder`,
        })
      return { name: known.name ?? '', description: known.description ?? '', body: doc.body }
    },
  })
}
