/**
 * The member file, `workspace/members/<id>.md`: reading it.
 * Takes bytes; gives a Member, or problems. Leaves to core/rules: what a role may do.
 */
import type { Guards } from '../core/model/scope.ts'
import type { NotifyRule } from '../core/model/notify.ts'
import { filled, id } from './fields.ts'
import { guardsOf, guardsShape } from './guards.ts'
import { baseName, readKind } from './kind.ts'
import { notifyRule, ruleOf } from './notify.ts'
import type { Read } from './read.ts'
import { anything, either, keys, map, text, texts } from './shape.ts'
import { time } from './times.ts'

export interface Member {
  /** The file's name. */
  readonly id: string
  readonly name: string
  readonly role: string
  /** Channel to the sender's id there, as text: `telegram: "123456"`. */
  readonly channels: Readonly<Record<string, string>>
  readonly permissions: Readonly<Record<string, unknown>>
  /** Of all that this member says and is answered, wherever. */
  readonly guards: Guards
  /** For whatever is sent to their own number. */
  readonly notify?: NotifyRule
  readonly body: string
}

export const memberShape = keys({
  name: filled,
  role: filled,
  channels: map(text()),
  permissions: either(map(anything()), texts()),
  guards: guardsShape,
  notify: notifyRule,
  neo: keys({ id, created_at: time }),
})

/** Reads a member; the file's name stands in for a name. */
export function readMember(file: string, bytes: Buffer | string): Read<Member> {
  return readKind(file, bytes, {
    shape: memberShape,
    build: (known, doc, on) => ({
      id: baseName(file),
      name: known.name ?? baseName(file),
      role: known.role ?? '',
      channels: known.channels ?? {},
      permissions: permissionsOf(known.permissions ?? {}),
      guards: guardsOf(on, known.guards),
      ...(known.notify === undefined ? {} : { notify: ruleOf(known.notify) }),
      body: doc.body,
    }),
  })
}

/** A list of names means `allow` for each. */
function permissionsOf(
  given: readonly string[] | Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Array.isArray(given)
    ? Object.fromEntries(given.map((name) => [name, 'allow']))
    : (given as Readonly<Record<string, unknown>>)
}
