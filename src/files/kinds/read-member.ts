/**
 * The member file, `workspace/members/<id>.md`: reading it. Invariant 1: a misspelled key that decides rights makes the
 * file not understood: its member is nobody until it is mended.
 */
import type { Guards } from '../../domain/policy/scope-types.ts'
import { accountOf, ROLES } from '../../domain/policy/known-people.ts'
import type { NotifyRule } from '../../domain/room/notice-kinds.ts'
import { type Checked, note } from '../values/check-value.ts'
import type { Doc } from '../header/document.ts'
import { filled, neoBlock } from '../values/header-values.ts'
import { guardsOf, guardsShape } from './guards-shape.ts'
import { baseName, readKind } from '../values/kind.ts'
import { notifyRule, ruleOf } from './notify-shape.ts'
import type { Read } from '../header/read-header.ts'
import { anything, either, type Given, keys, map, said, text, texts } from '../values/shape.ts'
import { isSlipOf, nearest } from '../values/suggest.ts'

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

const memberKeys = {
  name: said('What the person is called. Default: the file name.', filled),
  role: said(
    '`parent`, `member`, `guest` or `child`. Any other gives no more rights than a child has. Default: `member`.',
    filled,
  ),
  channels: said('Accounts, such as `telegram: "123456"`.', map(text())),
  permissions: said('Further rights, room by room.', either(map(anything()), texts())),
  guards: said('Topics that Neo does not talk about with this person.', guardsShape),
  notify: said('Which notices the person gets, with quiet hours.', notifyRule),
  neo: said("Neo's own block, always last.", keys(neoBlock)),
}

export const memberShape = keys(memberKeys)

/** Reads a member; the file's name stands in for a name. */
export function readMember(file: string, bytes: Buffer | string): Read<Member> {
  return readKind(file, bytes, {
    shape: memberShape,
    build: (known, doc, on) => {
      noteSlips(on, Object.keys(doc.data))
      return memberOf(file, known, { doc, on })
    },
  })
}

const DECIDING = ['role', 'guards', 'permissions', 'channels'] as const

function noteSlips(on: Checked, keysOfFile: readonly string[]): void {
  for (const key of keysOfFile) {
    const meant = DECIDING.find((one) => isSlipOf(key, one))
    if (meant === undefined || Object.hasOwn(memberKeys, key)) continue
    const message = `${key} is not a known key, and looks like ${meant}, which decides rights`
    const said = on.problems.findIndex(({ message: one }) => one.startsWith(`${key} is not a known key`))
    if (said >= 0) on.problems.splice(said, 1)
    note(on, [key], { code: 'unknown-key', message, hint: `Write ${meant}:` })
  }
}

/** Left out, it is a member's. */
function roleOf(on: Checked, role = 'member'): string {
  if (ROLES.some((one) => one === role)) return role
  const message = `role is "${role}", which gives no more rights than a child's`
  const meant = nearest(role, ROLES)
  const hint = meant === null ? `Roles are ${ROLES.join(', ')}` : `Write ${meant}`
  note(on, ['role'], { code: 'role', message, hint, severity: 'warning' })
  return role
}

function memberOf(
  file: string,
  known: Given<typeof memberShape>,
  { doc, on }: { readonly doc: Doc; readonly on: Checked },
): Member {
  return {
    id: baseName(file),
    name: known.name ?? baseName(file),
    role: roleOf(on, known.role),
    channels: Object.fromEntries(
      Object.entries(known.channels ?? {}).map(([name, account]) => [name, accountOf(account, name)]),
    ),
    permissions: permissionsOf(known.permissions ?? {}),
    guards: guardsOf(on, known.guards),
    ...(known.notify === undefined ? {} : { notify: ruleOf(known.notify) }),
    body: doc.body,
  }
}

/** A list of names means `allow` for each. */
function permissionsOf(
  given: readonly string[] | Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Array.isArray(given)
    ? Object.fromEntries(given.map((name) => [name, 'allow']))
    : (given as Readonly<Record<string, unknown>>)
}
