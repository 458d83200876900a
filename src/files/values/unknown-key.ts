/**
 * What is said of a key that a shape doesn't know, and of one that restrains and has no value. Invariants: 1. a key that
 * may be meant to restrain is an error, so that nothing runs without its check, review or limit; 2. the keys of other
 * programs, and those that start with `x-`, are never errors of invariant 1.
 */
import type { Problem } from '../../domain/home/problem.ts'
import { isMap } from '../../domain/text/is-map.ts'
import type { Path } from '../header/yaml.ts'
import type { Shape } from './shape.ts'
import { misspelled, nearest } from './suggest.ts'

/** Keys that other tools write into markdown files, without a warning. */
export const FOREIGN: ReadonlySet<string> = new Set(
  `
    aliases alias author authors banner category categories cover created created_at cssclass
    cssclasses date icon id kanban-plugin lang last_modified layout lastmod modified permalink
    publish published slug source tag tags uid updated updated_at url uuid version weight assignee
    assignees reporter sprint epic created_date updated_date date_created date_modified ordinal
    milestone references project component estimate points owner parent type keywords comments
    scheduled start start_date completed completed_at color pinned
  `
    .trim()
    .split(/\s+/),
)

export type KeysShape = Shape<unknown> & { readonly kind: 'keys' }

/** What `unknownKey` compares the keys below this one with; Neo's own block has keys of other versions. */
export function mapAround(key: string, shape: KeysShape): KeysShape | undefined {
  return key === 'neo' ? undefined : shape
}

/**
 * Null for nothing.
 * @param name the key with those that it is under
 * @param around the map that has the one with the key
 */
export function unknownKey(
  key: string,
  shape: KeysShape,
  { name, around }: { readonly name: string; readonly around?: KeysShape | undefined },
): Pick<Problem, 'code' | 'severity' | 'message' | 'hint'> | null {
  if (shape.harmless?.includes(key) === true || /^x-/i.test(key)) return null
  if (shape.unused?.includes(key) === true) return unused(name)
  const isStrict = shape.harmless !== undefined
  const known = Object.keys(shape.keys)
  const restraint = FOREIGN.has(key.toLowerCase())
    ? null
    : (restraintMeant(key, shape) ?? misplaced(key, shape, around))
  const meant = restraint ?? nearest(key, known)
  const isError = isStrict || restraint !== null
  return {
    code: 'unknown-key',
    severity: isError ? 'error' : 'warning',
    message: `unknown key "${name}"`,
    hint: meant === null ? knownHint(known, isStrict) : meantHint(meant, isError, shape),
  }
}

/** The key that it is a typing error of, or another name for, if that key restrains. */
function restraintMeant(key: string, { keys, elsewhere = {} }: KeysShape): string | null {
  const all = [...Object.keys(keys), ...Object.keys(elsewhere)]
  const isSafe = (one: string): boolean => keys[one] !== undefined && !isRestraint(keys[one])
  const meant = misspelled(key, [...all.filter((one) => !isSafe(one)), ...all.filter(isSafe)])
  return meant === null || isSafe(meant) ? null : meant
}

/** A key that restrains, one level too high or too deep: its indentation is wrong. */
function misplaced(key: string, { keys }: KeysShape, around: KeysShape | undefined): string | null {
  if (around !== undefined && restrainsIn(key, around)) return key
  const section = Object.keys(keys).find((name) =>
    [keys[name], ...(keys[name]?.kind === 'either' ? keys[name].of : [])].some(
      (one) => one?.kind === 'keys' && restrainsIn(key, one),
    ),
  )
  return section === undefined ? null : `${section}.${key}`
}

function restrainsIn(key: string, { keys, harmless }: KeysShape): boolean {
  const shape = Object.hasOwn(keys, key) ? keys[key] : undefined
  return shape !== undefined && (harmless !== undefined || isRestraint(shape))
}

/** A restraint, or a section with one. */
export function isRestraint(shape: Shape<unknown>): boolean {
  if (shape.restrains === true) return true
  switch (shape.kind) {
    case 'keys':
      return shape.harmless !== undefined || Object.values(shape.keys).some(isRestraint)
    case 'list':
    case 'map':
      return isRestraint(shape.of)
    case 'either':
      return shape.of.some(isRestraint)
    default:
      return false
  }
}

/** Whether a known key restrains: by itself, or as a section or a part of one in which every key may. */
export function restrains(key: string, { keys, harmless }: KeysShape): boolean {
  const shape = keys[key]
  return shape !== undefined && key !== 'neo' && (harmless !== undefined || isStrict(shape))
}

function isStrict(shape: Shape<unknown>): boolean {
  if (shape.restrains === true || (shape.kind === 'keys' && shape.harmless !== undefined)) return true
  return shape.kind === 'either' && shape.of.some(isStrict)
}

/**
 * Where the value of a key that restrains is missing, as in an edit that is not finished: [], or the item of a list;
 * null if nowhere. `[]` is a value: none.
 */
export function gapIn(value: unknown): Path | null {
  if (typeof value === 'string' ? value.trim() === '' : value === null) return []
  if (!Array.isArray(value)) return isMap(value) && Object.keys(value).length === 0 ? [] : null
  const at = value.indexOf(null)
  return at === -1 ? null : [at]
}

function unused(name: string): ReturnType<typeof unknownKey> {
  return {
    code: 'unused',
    severity: 'warning',
    message: `"${name}" has no effect in this version`,
    hint: 'Remove it, or keep it for a later version',
  }
}

function meantHint(meant: string, isError: boolean, { elsewhere = {} }: KeysShape): string {
  const question = elsewhere[meant] ?? `Did you mean "${meant}"?`
  return isError ? `${question} If the key is your own, start it with x-` : question
}

/** Longest list in a message. */
export const LONGEST_LIST = 80

function knownHint(known: readonly string[], isStrict: boolean): string {
  const list = known.join(', ')
  if (isStrict) return `Correct or remove it; known keys are ${list}`
  return list.length > LONGEST_LIST ? 'Remove it, or keep it: Neo ignores it' : `Known keys are ${list}`
}
