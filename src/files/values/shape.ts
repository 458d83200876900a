/**
 * What a value of a file may be, as data: one description from which check.ts reads files and zod-of.ts makes the
 * zod schema and so the JSON Schema. Each kind of file has one, in its own file.
 * Invariant 1: a key that is absent, empty or null is the same: not given.
 * Invariant 2: where text is wanted, a number or `true` in the file means its source text: `0012` stays `0012`.
 */

interface TextShape {
  readonly kind: 'text'
  /** What is wanted, for messages: `text`, `a duration such as 30s`. */
  readonly want: string
  /** Absent: any text. */
  readonly accepts?: (text: string) => boolean
}
interface NumberShape {
  readonly kind: 'number'
  readonly min: number
  readonly max: number
  readonly whole: 'yes' | 'no'
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
  /** Whether one value without brackets counts as a list of one. */
  readonly one: 'yes' | 'no'
}
/** A map with any keys. */
interface MapShape {
  readonly kind: 'map'
  readonly of: Shape<unknown>
}
/** A map with known keys; others are kept with a warning. */
interface KeysShape {
  readonly kind: 'keys'
  readonly keys: Readonly<Record<string, Shape<unknown>>>
  /** Given: keys beside the known ones that mean nothing; any other is wrong, as it may have been meant to limit. */
  readonly harmless?: readonly string[]
}
/** The first that fits the value's type. */
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

/**
 * `gives` exists for the compiler only: the type that check.ts returns.
 * `says` is what a key means, for the reference and for editors.
 */
export type Shape<T> = Spec & { readonly gives?: T; readonly says?: string }
export type Given<S> = S extends { readonly gives?: infer T } ? NonNullable<T> : never
export type KeysOf<K> = { readonly [P in keyof K]?: Given<K[P]> }

/** A key with its description: one or two sentences, the default included. */
export function said<T>(says: string, shape: Shape<T>): Shape<T> {
  return { ...shape, says }
}

export function text(want = 'text', accepts?: (text: string) => boolean): Shape<string> {
  return accepts === undefined ? { kind: 'text', want } : { kind: 'text', want, accepts }
}

export function matching(want: string, pattern: RegExp): Shape<string> {
  return text(want, (value) => pattern.test(value))
}

export function choice<const C extends readonly string[]>(...of: C): Shape<C[number]> {
  return { kind: 'choice', of }
}

export function whole(min = 0, max = Number.MAX_SAFE_INTEGER): Shape<number> {
  return { kind: 'number', min, max, whole: 'yes' }
}

export function decimal(min = 0, max = Number.MAX_SAFE_INTEGER): Shape<number> {
  return { kind: 'number', min, max, whole: 'no' }
}

export function flag(): Shape<boolean> {
  return { kind: 'flag' }
}

/** A list of texts; one text alone is a list of one. */
export function texts(of: Shape<string> = text()): Shape<readonly string[]> {
  return { kind: 'list', of, one: 'yes' }
}

export function list<T>(of: Shape<T>): Shape<readonly T[]> {
  return { kind: 'list', of, one: 'no' }
}

export function map<T>(of: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return { kind: 'map', of }
}

export function keys<const K extends Readonly<Record<string, Shape<unknown>>>>(known: K): Shape<KeysOf<K>> {
  return { kind: 'keys', keys: known }
}

/** As `keys`, for what decides rights: an unknown key is an error, unless it is one of the harmless. */
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
