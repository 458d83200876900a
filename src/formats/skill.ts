/**
 * The skill file, `workspace/skills/<name>/SKILL.md`, in the Agent Skills format: reading it.
 * Takes bytes; gives a Skill, or problems. Keys that other programs read are known here and passed over.
 */
import { note } from './check.ts'
import { readKind } from './kind.ts'
import type { Read } from './read.ts'
import { needs } from './required.ts'
import { anything, keys, map, matching, text } from './shape.ts'

export interface Skill {
  readonly name: string
  /** What it does and when to use it: always shown to the model. */
  readonly description: string
  readonly body: string
}

const MOST_DESCRIPTION = 1024

export const skillShape = keys({
  name: matching('1 to 64 of a-z, 0-9 and single -', /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/),
  description: text(`text of 1 to ${MOST_DESCRIPTION} characters`, (value) => isDescription(value)),
  license: text(),
  compatibility: text(),
  metadata: map(anything()),
  'allowed-tools': anything(),
  'disable-model-invocation': anything(),
  'user-invocable': anything(),
  'argument-hint': anything(),
  model: text(),
  context: anything(),
  agent: text(),
  hooks: anything(),
  paths: anything(),
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
