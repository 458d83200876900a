/**
 * The scope file, `workspace/scopes/<scope>/SCOPE.md`, and guards, which members have too. Invariant 1: a scope
 * limited to roles or members is private unless it has `commit: true`. Invariant 2: an unknown key may be a
 * misspelled limit: it is an error of the file, and messages of the scope are ignored. Invariant 3: a guard that
 * can't be read is an error of the file, never treated as absent.
 */

import { type Guard, type Guards, SCOPE_TYPES, type ScopeRules } from '../../domain/policy/scope-types.ts'
import type { Read } from '../header/read-header.ts'
import { addProblem, type CheckContext } from '../values/check-value.ts'
import { bookkeeping, nonEmptyText, withoutUndefined } from '../values/header-values.ts'
import { type Covers, readKind } from '../values/kind.ts'
import {
  choice,
  describe,
  either,
  filledList,
  flag,
  type Infer,
  onlyKeys,
  text,
  textList,
} from '../values/shape.ts'

interface Scope extends Omit<ScopeRules, 'problem'> {
  /** `telegram:-100…` */
  readonly channel?: string
  readonly body: string
}

/** `[./check.sh]`, or `{ model: local/small, rule: "Nothing about …" }`. */
const guard = either(
  textList(nonEmptyText),
  onlyKeys({
    model: describe('Model that checks, as `provider/model`.', nonEmptyText),
    rule: describe('Rule in plain words, such as "No addresses".', nonEmptyText),
  }),
)
export const guardsShape = onlyKeys({
  in: describe(
    'Check of each incoming message: a command such as `[./check.sh]`, or a model with a rule.',
    guard,
  ),
  out: describe('Check of each answer: a command, or a model with a rule.', guard),
})

export function guardsOf(on: CheckContext, given: Infer<typeof guardsShape> | undefined): Guards {
  const before = guardOf(on, 'in', given?.in)
  const after = guardOf(on, 'out', given?.out)
  return { ...(before === null ? {} : { in: before }), ...(after === null ? {} : { out: after }) }
}

function guardOf(on: CheckContext, at: string, value: Infer<typeof guard> | undefined): Guard | null {
  if (value === undefined) return null
  if (Array.isArray(value)) {
    const [program, ...rest] = value as readonly string[]
    if (program !== undefined) return { kind: 'command', argv: [program, ...rest] }
  } else {
    const { model, rule } = value as { readonly model?: string; readonly rule?: string }
    if (model !== undefined && rule !== undefined) return { kind: 'model', model, rule }
  }
  addProblem(on, ['guards', at], {
    code: 'guard',
    message: 'incomplete guard',
    hint: 'Use a command such as [./check.sh], or both model and rule',
  })
  return null
}

/** Keys that have nothing to do with rights. */
const HARMLESS = ['name', 'title', 'description', 'tags', 'aliases', 'created', 'updated'] as const

const scopeKeys = {
  type: describe('Type of the conversation. Default: `group`.', choice(...SCOPE_TYPES)),
  channel: describe('Chat, such as `telegram:-100123`.', text()),
  roles: describe(
    'Roles that may take part. Default: all members. An empty list is an error, and nobody may take part.',
    filledList(nonEmptyText),
  ),
  members: describe(
    'Members who may take part; with `roles`, both must fit. Default: all members. An empty list is an error, and nobody may take part.',
    filledList(nonEmptyText),
  ),
  commit: describe(
    'Whether to commit the conversation to git, although it is private. Default: false.',
    flag(),
  ),
  guards: describe('Filters for messages in this conversation.', guardsShape),
  neo: bookkeeping({}),
}

export const scopeShape = onlyKeys(scopeKeys, HARMLESS)
type ScopeGiven = Infer<typeof scopeShape>

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
