/** A search by name: who finds what. */
import { describe, expect, test } from 'vitest'
import { HOME, NAMES } from './effects/home.ts'
import { prove } from './effects/run.ts'
import { hubHome } from './hub-home.ts'

describe('what is typed is found:', () => prove(HOME))

test('home.search gives a member tasks of their rooms, and nobody else’s name', async () => {
  const { call } = await hubHome(NAMES)
  const { tasks, people } = await call('home.search', { text: 'pump' }, { kind: 'member', id: 'kim' })
  expect([tasks.map(({ roomId }) => roomId), people]).toEqual([['shop', 'shop'], []])
})
