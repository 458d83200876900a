/** Calls in a room's name (guards, distilling) are counted before they are made, so that a kill leaves none out. */
import { expect, test } from 'vitest'
import { composeWorld } from '../../../src/compose.ts'
import type { Reply } from '../../../src/domain/agent/model-message.ts'
import { ModelError } from '../../../src/domain/agent/model-retry.ts'
import { openUsage } from '../../../src/engine/agents/usage-ledger.ts'
import { openHome } from '../../../src/engine/open-engine.ts'
import type { Model, ModelRequest } from '../../../src/ports/model-port.ts'
import { makeHome } from '../../path/home.ts'

test.each([
  ['while it waits', null, 1],
  ['that answers', { input: 7, cacheRead: 0, cacheWrite: 0, output: 2, source: 'told' }, 1],
  ['that reaches no model', new ModelError('auth', 'no key'), 0],
] as const)('a call in the name of a room %s is in the ledger of any process', async (_, end, calls) => {
  const home = makeHome()
  const world = await composeWorld(home.dir)
  const { agents, dir } = await openHome({ home: home.dir, world })
  const said = () => openUsage(world.files, dir).calls()
  const before: number[] = []
  const call = async () => {
    before.push(said().length)
    if (end instanceof ModelError) throw end
    return end === null ? await new Promise<never>(() => {}) : ({ usage: end } as Reply)
  }
  const asked = agents.askOnce(
    'shop',
    { ref: 'local/one', call } as unknown as Model,
    { system: [], tools: [], messages: [] } as unknown as ModelRequest,
  )
  await (end === null ? Promise.resolve() : asked.catch(() => {}))
  expect([before, said().length]).toEqual([[1], calls])
})
