/**
 * The scope file, `workspace/scopes/<scope>/SCOPE.md`: reading it. Invariant 1: a scope that is limited by roles or
 * members is private unless it says `commit: true`. Invariant 2: a key that nobody knows may have been meant to limit:
 * such a file is not understood, and nobody is heard.
 */
import { SCOPE_TYPES, type ScopeRules } from '../../domain/policy/scope-types.ts'
import type { Read } from '../header/read-header.ts'
import { neoBlock, nonEmptyText, withoutUndefined } from '../values/header-values.ts'
import { type Covers, readKind } from '../values/kind.ts'
import { choice, describe, flag, type Infer, keys, onlyKeys, text, textList } from '../values/shape.ts'
import { guardsOf, guardsShape } from './guards-shape.ts'

export interface Scope extends Omit<ScopeRules, 'problem'> {
  /** `telegram:-100…` */
  readonly channel?: string
  readonly body: string
}

/** What people and editors write into headers without meaning anybody's rights. */
const HARMLESS = ['name', 'title', 'description', 'tags', 'aliases', 'created', 'updated'] as const

const scopeKeys = {
  type: describe('Type of the conversation. Default: `group`.', choice(...SCOPE_TYPES)),
  channel: describe('Chat, such as `telegram:-100123`.', text()),
  roles: describe('Roles that may take part. Default: all members.', textList(nonEmptyText)),
  members: describe('Members who may take part. Default: all members.', textList(nonEmptyText)),
  commit: describe(
    'Whether to commit the conversation to git, although it is private. Default: false.',
    flag(),
  ),
  guards: describe('Filters for messages in this conversation.', guardsShape),
  neo: describe('Bookkeeping of Neo, always last. Do not edit it.', keys(neoBlock)),
}

export const scopeShape = onlyKeys(scopeKeys, HARMLESS)
type ScopeGiven = Infer<typeof scopeShape>

/** Reads a scope; one without a type is a group. */
export function readScope(file: string, bytes: Buffer | string): Read<Scope> {
  return readKind(file, bytes, {
    shape: scopeShape,
    build: (known, doc, on): Covers<Scope, ScopeGiven, { commit: 'keeps'; neo: null }, 'body'> => {
      const [type, roles, members] = [known.type ?? 'group', known.roles ?? [], known.members ?? []]
      const isLimited = type === 'dm' || type === 'parents_group' || roles.length + members.length > 0
      return {
        type,
        roles,
        members,
        keeps: isLimited && known.commit !== true ? 'private' : 'shared',
        guards: guardsOf(on, known.guards),
        body: doc.body,
        ...withoutUndefined<{ channel?: string }>({ channel: known.channel?.trim() }),
      }
    },
  })
}
