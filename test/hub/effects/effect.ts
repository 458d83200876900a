/**
 * What a parameter of a method does, as rows: one proof a parameter, those of a method in one home, in order.
 * Takes a method, the files that it begins with, and proofs by the parameter's name (`updates.title` for nested ones).
 * Leaves to test/hub/effects.test.ts: running them, and holding the names against the table.
 */
import { expect } from 'vitest'
import type { MethodName } from '../../../src/hub/method-table.ts'
import { HUB_CODES } from '../../../src/hub/hub.ts'
import type { HubHome } from '../hub-home.ts'

export type Proof = (home: HubHome) => Promise<void> | void

export interface Effects {
  readonly method: MethodName
  readonly files: Readonly<Record<string, string>>
  readonly proofs: Readonly<Record<string, Proof>>
}

export type Files = Readonly<Record<string, string>>

export function effects(method: MethodName, files: Files, proofs: Readonly<Record<string, Proof>>): Effects {
  return { method, files, proofs }
}

export interface Said {
  readonly value: unknown
  /** What the text says with it, and not without. */
  readonly says: RegExp
  /** What must be given as well. */
  readonly with?: Readonly<Record<string, unknown>>
}

/** Proofs for what is written: `make` calls the method with what it is given, and gives the text that came of it. */
export function written(
  table: Readonly<Record<string, Said>>,
  make: (home: HubHome, given: Readonly<Record<string, unknown>>) => Promise<string>,
): Record<string, Proof> {
  return Object.fromEntries(
    Object.entries(table).map(([name, said]) => [
      name,
      async (home: HubHome) => {
        expect(await make(home, said.with ?? {})).not.toMatch(said.says)
        expect(await make(home, { ...said.with, ...nested(name, said.value) })).toMatch(said.says)
      },
    ]),
  )
}

/** `{budget: {usd: 1}}` of `budget.usd`. */
function nested(name: string, value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = name.split('.')
  return { [first]: rest.length === 0 ? value : nested(rest.join('.'), value) }
}

/** The same proofs for parameters inside `updates`. */
export function inUpdates(proofs: Readonly<Record<string, Proof>>): Record<string, Proof> {
  return Object.fromEntries(Object.entries(proofs).map(([name, proof]) => [`updates.${name}`, proof]))
}

/** What is set by nobody: refused with a word of policy. */
export function fixed(
  method: MethodName,
  params: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): Record<string, Proof> {
  return Object.fromEntries(
    keys.map((key) => [
      key,
      async ({ refusal }: HubHome) => {
        const refused = await refusal(method, { ...params, updates: { [key]: 'x' } })
        expect(refused).toMatchObject({ code: HUB_CODES.denied, message: expect.stringContaining(key) })
      },
    ]),
  )
}
