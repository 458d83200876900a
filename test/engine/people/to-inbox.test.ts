/** A message in a room's inbox: one new file, or an error; nothing is said to be kept that is not. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { putMessage } from '../../../src/engine/effects/wake-orchestrator.ts'
import { hubHome } from '../../hub/hub-home.ts'

const SAID = { room: 'shop', content: ' Hello \n', from: 'human' }

test('putMessage() writes one file that says who speaks', async () => {
  const { home, context } = await hubHome()
  const path = putMessage(context, SAID)
  expect(path).toMatch(/^rooms\/shop\/inbox\/\w+-[\w-]+\.md$/)
  expect(readFileSync(join(home.dir, path), 'utf8')).toMatch(/^---\nfrom: human\nat: .*\n---\nHello\n$/)
})

test('putMessage() throws where the file cannot be put there', async () => {
  const { context } = await hubHome()
  const save = () => ({ kind: 'changed', hash: null }) as const
  const world = { ...context.world, files: { ...context.world.files, save } }
  expect(() => putMessage({ ...context, world }, SAID)).toThrow('Cannot write "rooms/shop/inbox/')
})
