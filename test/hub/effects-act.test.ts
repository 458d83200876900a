/** Each parameter of acting methods for its effect (effects.test.ts holds the rows against the table). */
import { describe } from 'vitest'
import { ACTS } from './effects/act.ts'
import { LIVE } from './effects/live.ts'
import { PEOPLE } from './effects/people.ts'
import { prove } from './effects/run.ts'
import { SCOPES } from './effects/scopes.ts'

describe('what is named is what changes:', () => prove(ACTS))
describe('whoever is named is who it is about:', () => prove([...LIVE, ...PEOPLE]))
describe('a conversation is what is named:', () => prove(SCOPES))
