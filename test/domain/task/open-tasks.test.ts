/** Which tasks plan looks at: leaving out what rests changes no decision. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Plan } from '../../../src/domain/plan/decision.ts'
import { plan } from '../../../src/domain/plan/plan.ts'
import { isOpen } from '../../../src/domain/task/readiness.ts'
import { act } from '../plan/acts.ts'
import { anyAct, anyHome } from '../plan/homes.ts'
import { pictureOf, planOf } from '../plan/world.ts'

const said = ({ decisions, waiting, wakeAt }: Plan) => [
  ...[...decisions, ...waiting].map((one) => JSON.stringify(one)).sort(),
  wakeAt,
]

test('plan() decides the same where the open tasks are kept apart', () => {
  fc.assert(
    fc.property(anyHome, fc.array(anyAct, { maxLength: 20 }), (world, acts) => {
      for (const what of acts) act(world, what)
      const { snapshot, facts } = pictureOf(world)
      const open = new Map([...snapshot.tasks].filter(([, file]) => isOpen(file)))
      expect(said(plan({ ...snapshot, open }, facts, world.now))).toEqual(said(planOf(world)))
    }),
    { numRuns: 600 },
  )
})
