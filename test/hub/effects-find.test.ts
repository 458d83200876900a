/** Each parameter of lists and searches for its effect (effects.test.ts holds the rows against the table). */
import { describe } from 'vitest'
import { FINDS } from './effects/find.ts'
import { PLANS } from './effects/plan.ts'
import { prove } from './effects/run.ts'

describe('what is asked for is what is found:', () => prove([...FINDS, ...PLANS]))
