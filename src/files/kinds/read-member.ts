/**
 * The member file, `workspace/members/<id>.md`. Invariant 1: a misspelled key that decides rights is an error of the
 * file, and its member has no rights until it is corrected.
 */

import { accountOf, ROLES } from '../../domain/policy/known-people.ts'
import type { Guards } from '../../domain/policy/scope-types.ts'
import type { NotifyRule } from '../../domain/room/notice-kinds.ts'
import type { Doc } from '../header/document.ts'
import type { Read } from '../header/read-header.ts'
import { addProblem, type CheckContext } from '../values/check-value.ts'
import { camelKeys, bookkeeping, nonEmptyText } from '../values/header-values.ts'
import { baseName, type Covers, readKind } from '../values/kind.ts'
import {
  anything,
  describe,
  either,
  flag,
  guard,
  type Infer,
  keys,
  map,
  text,
  textList,
} from '../values/shape.ts'
import { nearestHint } from '../values/suggest.ts'
import { notifyRule, ruleOf } from './read-room.ts'
import { guardsOf, guardsShape } from './read-scope.ts'

export interface Member {
  /** The file's name. */
  readonly id: string
  readonly name: string
  readonly role: string
  /** Channel to the sender's id there, as text: `telegram: "123456"`. */
  readonly channels: Readonly<Record<string, string>>
  readonly permissions: Readonly<Record<string, unknown>>
  /** Filters for messages from and to this member, in each conversation. */
  readonly guards: Guards
  /** No access at all until it is removed; the file and the accounts stay. */
  readonly suspended?: boolean
  /** For notices to their own account. */
  readonly notify?: NotifyRule
  readonly body: string
}

const memberKeys = {
  name: describe('Name of the person. Default: the file name.', nonEmptyText),
  role: guard(
    'Role: `parent`, `member`, `guest` or `child`. Any other role has the permissions of a child. Default: `member`.',
    nonEmptyText,
  ),
  channels: guard('Accounts, such as `{ telegram: "123456" }`.', map(text())),
  permissions: guard(
    '`rooms`: the rooms that the member has access to, such as `{ rooms: [lobby] }`.',
    either(map(anything()), textList()),
  ),
  suspended: guard('Takes all access away, without removing the member. Default: `false`.', flag()),
  guards: describe('Filters for messages from and to this person.', guardsShape),
  notify: describe('Which notices the person gets, and when.', notifyRule),
  neo: bookkeeping({}),
}

export const memberShape = keys(memberKeys)
type MemberGiven = Infer<typeof memberShape>

export function readMember(file: string, bytes: Buffer | string): Read<Member> {
  return readKind(file, bytes, {
    shape: memberShape,
    build: (known, doc, on) => memberOf(file, known, { doc, on }),
  })
}

/** The default role is `member`. */
function roleOf(on: CheckContext, role = 'member'): string {
  if (ROLES.some((one) => one === role)) return role
  const message = `unknown role "${role}": it has the permissions of a child`
  const hint = nearestHint(role, ROLES, `Use one of ${ROLES.join(', ')}`)
  addProblem(on, ['role'], { code: 'role', message, hint, severity: 'warning' })
  return role
}

function memberOf(
  file: string,
  known: MemberGiven,
  { doc, on }: { readonly doc: Doc; readonly on: CheckContext },
): Covers<Member, MemberGiven, { neo: null }, 'id' | 'body'> {
  const { role, channels, permissions, guards, notify, neo: _neo, ...same } = known
  return {
    id: baseName(file),
    name: baseName(file),
    ...camelKeys(same),
    role: roleOf(on, role),
    channels: Object.fromEntries(
      Object.entries(channels ?? {}).map(([name, account]) => [name, accountOf(account, name)]),
    ),
    permissions: permissionsOf(permissions ?? {}),
    guards: guardsOf(on, guards),
    ...(notify === undefined ? {} : { notify: ruleOf(notify) }),
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
