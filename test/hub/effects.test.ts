/** Every method of the table, and each of its parameters for its effect: a parameter without a proof fails here. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { METHODS } from '../../src/hub/method-table.ts'
import { ACTS } from './effects/act.ts'
import { AGENTS_IN } from './effects/agents-in.ts'
import { AGENTS } from './effects/agents.ts'
import { CHATS } from './effects/chat.ts'
import { FINDS } from './effects/find.ts'
import { HOME } from './effects/home.ts'
import { LIVE } from './effects/live.ts'
import { MEMORY } from './effects/memory.ts'
import { MIRROR } from './effects/mirror.ts'
import { PEOPLE } from './effects/people.ts'
import { PLANS } from './effects/plan.ts'
import { prove } from './effects/run.ts'
import { SCOPES } from './effects/scopes.ts'
import { WRITES } from './effects/write.ts'

const ALL = [
  ...WRITES,
  ...FINDS,
  ...ACTS,
  ...LIVE,
  ...MEMORY,
  ...CHATS,
  ...HOME,
  ...SCOPES,
  ...PLANS,
  ...PEOPLE,
  ...AGENTS,
  ...AGENTS_IN,
  ...MIRROR,
]

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly anyOf?: readonly Schema[]
}

/** `updates.budget.usd`, for everything that a client can give; '' for a method that takes nothing. */
function namesIn(schema: Schema, before = ''): readonly string[] {
  const within = objectIn(schema)?.properties
  if (within === undefined || Object.keys(within).length === 0) return [before]
  return Object.entries(within).flatMap(([name, inner]) =>
    namesIn(inner, before === '' ? name : `${before}.${name}`),
  )
}

function objectIn(schema: Schema): Schema | undefined {
  return schema.properties === undefined ? schema.anyOf?.map(objectIn).find(Boolean) : schema
}

test.each(METHODS.map(({ name, params }) => [name, params] as const))(
  '%s has a proof for each parameter',
  (name, params) => {
    const wanted = namesIn(z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }) as Schema)
    const proved = ALL.filter(({ method }) => method === name).flatMap(({ proofs }) => Object.keys(proofs))
    expect(proved.toSorted()).toEqual(wanted.toSorted())
  },
)

describe('what is written has its effect in files:', () => prove(WRITES))
