/** Fairness of the work of many agents. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openFairQueue } from '../../src/aoi/desk/fair-queue.ts'

/** Work that ends when it is told to, in the order in which it began. */
function held(atOnce: number) {
  const queue = openFairQueue(() => atOnce)
  const begun: { readonly agent: string; readonly end: () => void }[] = []
  const add = (agent: string, most: number) =>
    queue.run(agent, most, () => new Promise<void>((end) => begun.push({ agent, end })))
  return { queue, begun, add }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('one agent with much to do delays another by one piece of work', async () => {
  const { begun, add } = held(1)
  for (let at = 0; at < 50; at++) void add('busy', 50)
  void add('other', 50)
  await settled()
  begun[0]?.end()
  await settled()
  begun[1]?.end()
  await settled()
  expect(begun.slice(0, 3).map(({ agent }) => agent)).toContain('other')
})

test('what is over the limit of an agent is refused, and leaves no trace', async () => {
  const { queue, begun, add } = held(8)
  const given = Array.from({ length: 6 }, () => add('busy', 4))
  expect(given.map((one) => one === null)).toEqual([false, false, false, false, true, true])
  await settled()
  for (const { end } of begun) end()
  await Promise.all(given)
  expect(queue.load()).toBe(0)
})

test('all that was taken is done once, at most so many at a time, whoever asks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }),
      fc.integer({ min: 1, max: 4 }),
      async (agents, atOnce) => {
        const queue = openFairQueue(() => atOnce)
        let [running, most, done] = [0, 0, 0]
        const work = async () => {
          most = Math.max(most, ++running)
          await settled()
          running--
          done++
        }
        const taken = agents.map((agent) => queue.run(agent, 5, work)).filter((one) => one !== null)
        await Promise.all(taken)
        expect(done).toBe(taken.length)
        expect(most).toBeLessThanOrEqual(atOnce)
      },
    ),
    { numRuns: 50 },
  )
})

test('work that fails gives its place back', async () => {
  const queue = openFairQueue(() => 1)
  await expect(queue.run('a', 1, async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await queue.run('a', 1, async () => 'yes')).toBe('yes')
})
