/** Each parameter of memory for its effect (effects.test.ts holds the rows against the table). */
import { describe } from 'vitest'
import { MEMORY } from './effects/memory.ts'
import { prove } from './effects/run.ts'

describe('what is remembered is listed, changed and forgotten as asked:', () => prove(MEMORY))
