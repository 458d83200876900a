/**
 * The schema of a file as data: check-value.ts reads files by it, schemas.ts turns it into zod and JSON Schema.
 * Not zod itself: loading zod takes longer than reading the headers of a small home, and its messages name no lines.
 * Invariant 1: a key that is empty or null counts as absent; if it restrains, it is an error.
 * Invariant 2: if text is expected, a number or `true` in the file means its source text: `0012` stays `0012`.
 */

interface TextShape {
  readonly kind: 'text'
  /** For messages: `text`, `a duration such as 30s`. */
  readonly expected: string
  /** Absent: any text. */
  readonly accepts?: (text: string) => boolean
  /** Without quotes, `true` and `false` are not what was meant. */
  readonly refusesFlags?: true
}
interface NumberShape {
  readonly kind: 'number'
  readonly min: number
  readonly max: number
  readonly isInteger: boolean
}
interface ChoiceShape {
  readonly kind: 'choice'
  readonly of: readonly string[]
}
interface FlagShape {
  readonly kind: 'flag'
}
interface ListShape {
  readonly kind: 'list'
  readonly of: Shape<unknown>
  /** A single value without brackets counts as a list of one. */
  readonly acceptsSingle: boolean
  /** `[]` is an error: it would limit nothing. */
  readonly isFilled?: true
}
/** A map with any keys. */
interface MapShape {
  readonly kind: 'map'
  readonly of: Shape<unknown>
}
/** A map with known keys. */
interface KeysShape {
  readonly kind: 'keys'
  readonly keys: Readonly<Record<string, Shape<unknown>>>
  /**
   * If set, an unknown key is an error unless it is in this list, since it may be a misspelled restriction.
   * Otherwise it is a warning.
   */
  readonly harmless?: readonly string[]
  /** Keys that files may have and this version ignores: a warning says so. */
  readonly unused?: readonly string[]
  /** Keys that restrain in another kind of file and have no effect here: what to do. */
  readonly elsewhere?: Readonly<Record<string, string>>
}
/** The first one that fits the type of the value. */
interface EitherShape {
  readonly kind: 'either'
  readonly of: readonly Shape<unknown>[]
}
interface AnyShape {
  readonly kind: 'any'
}

type Spec =
  | TextShape
  | NumberShape
  | ChoiceShape
  | FlagShape
  | ListShape
  | MapShape
  | KeysShape
  | EitherShape
  | AnyShape

/** `output` exists for the compiler only: the type that check-value.ts returns. */
export type Shape<T> = Spec & {
  readonly output?: T
  readonly description?: string
  /** Of a key without which more runs, or runs with fewer checks and limits; see unknown-key.ts. */
  readonly restrains?: true
  /** The text names one of these, which must exist: `engine/snapshot/validate-names.ts`. */
  readonly names?: Named
}
export type Named = 'member' | 'persona' | 'provider'
export type Infer<S> = S extends { readonly output?: infer T } ? NonNullable<T> : never
export type KeysOf<K> = { readonly [P in keyof K]?: Infer<K[P]> }

/** @param description one or two sentences with unit, default and example; shown in docs and editors */
export function describe<T>(description: string, shape: Shape<T>): Shape<T> {
  return { ...shape, description }
}

/** `describe` for a key that restrains: a misspelled one is an error of the file. */
export function guard<T>(description: string, shape: Shape<T>): Shape<T> {
  return { ...describe(description, shape), restrains: true }
}

export function text(expected = 'text', accepts?: (text: string) => boolean): Shape<string> {
  return accepts === undefined ? { kind: 'text', expected } : { kind: 'text', expected, accepts }
}

/** The name of something that must exist. */
export function naming(names: Named): Shape<string> {
  return { ...text('text', (value) => value.trim() !== ''), names }
}

/** Text that does not answer yes or no: `verify: yes` and `verify: true` hardly name commands. */
export function notFlag(expected: string): Shape<string> {
  const accepts = (value: string) => !/^\s*(?:yes|no|on|off|none|allow|ask|deny)?\s*$/i.test(value)
  return { kind: 'text', expected, accepts, refusesFlags: true }
}

export function matching(expected: string, pattern: RegExp): Shape<string> {
  return text(expected, (value) => pattern.test(value))
}

export function choice<const C extends readonly string[]>(...of: C): Shape<C[number]> {
  return { kind: 'choice', of }
}

export function integer(min = 0, max = Number.MAX_SAFE_INTEGER): Shape<number> {
  return { kind: 'number', min, max, isInteger: true }
}

export function decimal(min = 0, max = Number.MAX_SAFE_INTEGER): Shape<number> {
  return { kind: 'number', min, max, isInteger: false }
}

export function flag(): Shape<boolean> {
  return { kind: 'flag' }
}

/** A list of texts; a single text is a list of one. */
export function textList(of: Shape<string> = text()): Shape<readonly string[]> {
  return { kind: 'list', of, acceptsSingle: true }
}

/** For limits: an empty list would admit everything. */
export function filledList(of: Shape<string>): Shape<readonly string[]> {
  return { kind: 'list', of, acceptsSingle: true, isFilled: true }
}

export function list<T>(of: Shape<T>): Shape<readonly T[]> {
  return { kind: 'list', of, acceptsSingle: false }
}

export function map<T>(of: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return { kind: 'map', of }
}

/** @param unused keys that are accepted with the warning that they have no effect */
export function keys<const K extends Readonly<Record<string, Shape<unknown>>>>(
  known: K,
  { unused = [], elsewhere = {} }: Pick<KeysShape, 'unused' | 'elsewhere'> = {},
): Shape<KeysOf<K>> {
  return { kind: 'keys', keys: known, unused, elsewhere }
}

/** Like `keys`, for permissions: an unknown key is an error unless it is harmless. */
export function onlyKeys<const K extends Readonly<Record<string, Shape<unknown>>>>(
  known: K,
  harmless: readonly string[] = [],
): Shape<KeysOf<K>> {
  return { kind: 'keys', keys: known, harmless }
}

export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return { kind: 'either', of: [first, second] }
}

export function anything(): Shape<unknown> {
  return { kind: 'any' }
}
