/**
 * What all readers of documents share: read the document, check its header against a shape, build the noun.
 */
import type { Problem } from '../../domain/home/problem.ts'
import { type CheckContext, check, addProblem } from './check-value.ts'
import { type Doc, readDocument } from '../header/document.ts'
import { commentFlaws, oddSpaceFlaw } from '../header/header-warnings.ts'
import { problemAt, type Read, readResult } from '../header/read-header.ts'
import type { Shape } from './shape.ts'

/** `build` may add further problems to `on`. */
export interface Kind<G, T> {
  readonly shape: Shape<G>
  readonly build: (given: G, doc: Doc, on: CheckContext) => T
}

export function readKind<G, T>(file: string, bytes: Buffer | string, kind: Kind<G, T>): Read<T> {
  const read = readDocument(file, bytes)
  return read.kind === 'ok' ? buildKind(file, read.value, kind) : read
}

/** From the document to the noun. */
export function buildKind<G, T>(file: string, doc: Doc, kind: Kind<G, T>): Read<T> {
  const on: CheckContext = {
    file,
    text: doc.text,
    source: doc.header?.source ?? '',
    from: doc.header?.from ?? 0,
    problems: [],
  }
  on.problems.push(...headerWarnings(on))
  const given = check(on, kind.shape, doc.data)
  const value = given === undefined ? undefined : kind.build(given, doc, on)
  return value === undefined ? { kind: 'bad', problems: on.problems } : readResult(value, on.problems)
}

function headerWarnings({ file, text, source, from }: CheckContext): readonly Problem[] {
  const space = oddSpaceFlaw(source)
  const flaws = [...commentFlaws(source), ...(space === null ? [] : [space])]
  return flaws.map((flaw) => ({
    ...problemAt(file, text, { ...flaw, offset: from + flaw.offset }),
    severity: 'warning',
  }))
}

/** Adds a problem for each of these keys that is missing. A key with an invalid value has a problem already. */
export function needs(
  on: CheckContext,
  known: Readonly<Record<string, unknown>>,
  names: readonly string[],
): void {
  for (const name of names) {
    if (known[name] !== undefined || on.problems.some(({ message }) => message.startsWith(`${name}: `)))
      continue
    addProblem(on, [], {
      code: 'type',
      message: `missing key "${name}"`,
      hint: `Add a line ${name}: … to the header`,
    })
  }
}

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S

/** Header keys under the names of the domain, `on_interrupt` as `onInterrupt`, without those that are undefined. */
export function camelKeys<T extends object>(
  fields: T,
): { readonly [K in keyof T & string as Camel<K>]?: NonNullable<T[K]> } {
  const named = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()), value])
  return Object.fromEntries(named)
}

/** Without undefined fields: optional fields may be absent, but not undefined. */
export function withoutUndefined<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  const present: Partial<T> = {}
  for (const key in fields) {
    const value = fields[key]
    if (value !== undefined) present[key] = value
  }
  return present as T
}

/** The name of a file without its folders and `.md`. */
export function baseName(file: string): string {
  const base = file.slice(file.lastIndexOf('/') + 1)
  return base.endsWith('.md') ? base.slice(0, -3) : base
}
