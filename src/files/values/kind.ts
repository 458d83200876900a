/** What readers of documents share: read the document, check its header against a shape, build the noun. */
import { isMap } from '../../domain/text/is-map.ts'
import type { Problem } from '../../domain/home/problem.ts'
import type { Worker } from '../../domain/task/task.ts'
import { type Doc, readDocument } from '../header/document.ts'
import { type Flaw, problemAt, type Read, readResult } from '../header/read-header.ts'
import { commentFlaws, oddSpaceFlaw } from '../header/yaml-flaws.ts'
import { addProblem, type CheckContext, check } from './check-value.ts'
import { type Camel, parseWorker } from './header-values.ts'
import type { Shape } from './shape.ts'
import { isRestraint } from './unknown-key.ts'

/** `build` may add further problems to `on`. */
export interface Kind<G, T> {
  readonly shape: Shape<G>
  readonly build: (given: G, doc: Doc, on: CheckContext) => T
}

type FieldsOf<G, Names> = {
  [K in keyof G & string]-?: K extends keyof Names ? Names[K] : Camel<K>
}[keyof G & string]

/**
 * The noun `T`, if the header's keys `G` and its fields match one to one; else a type that names the key or field
 * without a counterpart, so that the reader does not compile. `Names` has the fields of keys that are not in
 * camelCase there, null for keys that the noun leaves out; `Own` are the fields that come from elsewhere.
 */
export type Covers<
  T,
  G,
  Names extends { readonly [K in keyof G]?: keyof T | null } = object,
  Own extends keyof T = never,
> = [Exclude<FieldsOf<G, Names>, keyof T | null>] extends [never]
  ? [Exclude<keyof T, FieldsOf<G, Names> | Own>] extends [never]
    ? T
    : { readonly 'field without a key': Exclude<keyof T, FieldsOf<G, Names> | Own> }
  : { readonly 'key without a field': Exclude<FieldsOf<G, Names>, keyof T | null> }

export function readKind<G, T>(file: string, bytes: Buffer | string, kind: Kind<G, T>): Read<T> {
  const read = readDocument(file, bytes)
  return read.kind === 'ok' ? buildKind(file, read.value, kind) : read
}

export function buildKind<G, T>(file: string, doc: Doc, kind: Kind<G, T>): Read<T> {
  const on = contextOf(file, doc)
  on.problems.push(...headerWarnings(on, kind.shape))
  const given = check(on, kind.shape, doc.data)
  const value = given === undefined ? undefined : kind.build(given, doc, on)
  return value === undefined ? { kind: 'bad', problems: on.problems } : readResult(value, on.problems)
}

export function contextOf(file: string, { text, header }: Doc): CheckContext {
  return { file, text, source: header?.source ?? '', from: header?.from ?? 0, problems: [] }
}

function headerWarnings(
  { file, text, source, from }: CheckContext,
  shape: Shape<unknown>,
): readonly Problem[] {
  const space = oddSpaceFlaw(source)
  const flaws = [...commentFlaws(source), ...(space === null ? [] : [space])]
  return flaws.map((flaw) => ({
    ...problemAt(file, text, { ...flaw, offset: from + flaw.offset }),
    severity: flaw.code === 'comment' && isCut(flaw, source, shape) ? 'error' : 'warning',
  }))
}

/** True if a comment takes the value, or a part that is not checked, from a key that restrains. */
function isCut({ offset, message }: Flaw, source: string, shape: Shape<unknown>): boolean {
  const [key] = [...source.slice(0, offset).matchAll(/^[\w-]+(?= *:)/gm)].at(-1) ?? []
  const row = shape.kind === 'keys' && key !== undefined ? shape.keys[key] : undefined
  if (row === undefined || !isRestraint(row)) return false
  return (
    message.includes(' is empty: ') || row.kind === 'list' || (row.kind === 'text' && row.expected === 'text')
  )
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

/** The name of a file without its folders and `.md`. */
export function baseName(file: string): string {
  const base = file.slice(file.lastIndexOf('/') + 1)
  return base.endsWith('.md') ? base.slice(0, -3) : base
}

export function workerOf(value: string | undefined): Worker | undefined {
  return value === undefined ? undefined : (parseWorker(value) ?? undefined)
}

/** Lower case, so that no parameter can replace PATH or HOME in the environment of a step. */
const NAME_OF_PARAM = /^[a-z][a-z0-9_]{0,63}$/

/** The names under `params:`; adds a problem for each invalid one. */
export function paramNames(on: CheckContext, params: unknown): readonly string[] {
  const names = isMap(params) ? Object.keys(params) : []
  for (const name of names.filter((one) => !NAME_OF_PARAM.test(one)))
    addProblem(on, ['params', name], {
      code: 'type',
      message: `invalid parameter name "${name}"`,
      hint: `Use a-z, 0-9 and _, such as ${name.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')}`,
    })
  return names
}
