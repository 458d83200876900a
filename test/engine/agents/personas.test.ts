/** Personas of tasks. */
import { expect, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import { personaFor } from '../../../src/engine/agents/personas.ts'
import { makeHome } from '../../path/home.ts'

test('a label gives the text of the persona, and names one that is missing', async () => {
  const { dir } = makeHome({
    'workspace/agents/reviewer.md': '---\nname: reviewer\ndescription: Reads changes\n---\nBe strict.\n',
    'workspace/agents/ben.md': '---\nowner: Ben\n---\n',
  })
  const context = { home: dir, world: await composeWorld(dir) }
  expect(personaFor(context, { labels: ['css'] })).toEqual({ texts: [], problems: [] })
  expect(personaFor(context, { labels: ['persona:reviewer', 'persona:ben'] })).toEqual({
    texts: [expect.stringContaining('Be strict.')],
    problems: ['persona "ben" not found in workspace/agents/'],
  })
})
