/** Each parameter about agents of other homes for its effect (effects.test.ts holds the rows against the table). */
import { describe } from 'vitest'
import { AGENTS_IN } from './effects/agents-in.ts'
import { AGENTS } from './effects/agents.ts'
import { MIRROR } from './effects/mirror.ts'
import { prove } from './effects/run.ts'

describe('agents are added, asked and refused as said:', () => prove([...AGENTS, ...AGENTS_IN]))

describe('what an editor tells is in the context mirror:', () => prove(MIRROR))
