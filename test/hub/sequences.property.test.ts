/** Any order of creating, changing and deleting tasks keeps every file readable and every commit clean. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTask } from '../../src/files/kinds/read-task.ts'
import { HubError } from '../../src/hub/hub.ts'
import { hubHome, HUMAN, NEO, SESSION } from './hub-home.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 60 })
const fields = fc.record(
  {
    title: text,
    description: fc.oneof(text, fc.constantFrom('```sh\nls\n```', '---\nstatus: x\n---', '~~~', '# A\r\nb')),
    priority: fc.constantFrom('low', 'urgent', null),
    labels: fc.array(text, { maxLength: 3 }),
    due: fc.constantFrom('2026-03-05', '0012', 'soon'),
    worker: fc.constantFrom('shell', 'human', 'exec:x'),
    dependsOn: fc.array(fc.constantFrom('0', '1', 'nothing'), { maxLength: 2 }),
  },
  { requiredKeys: [] },
)
const step = fc.record({
  kind: fc.constantFrom('create', 'update', 'delete'),
  at: fc.nat(5),
  as: fc.constantFrom(HUMAN, NEO, SESSION),
  fields,
})

test('a random sequence of task.create, update and delete', async () => {
  const { home, hub } = await hubHome()
  const ids: string[] = []
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      for (const { kind, at, as, fields: given } of steps) {
        const taskId = ids[at] ?? 'nothing'
        const named = (given.dependsOn ?? []).map((name) => ids[Number(name)] ?? name)
        const updates = given.dependsOn === undefined ? given : { ...given, dependsOn: named }
        const call =
          kind === 'create'
            ? hub.call(as, 'task.create', { title: 'x', description: '', ...updates, roomId: 'shop' })
            : hub.call(as, `task.${kind}`, kind === 'update' ? { taskId, updates } : { taskId })
        const result = await call.catch((error: unknown) => {
          if (error instanceof HubError && error.code !== -32603) return null
          throw error
        })
        if (kind === 'create' && result !== null) ids.unshift((result as { id: string }).id)
      }
      expect(home.git('status', '--porcelain')).toBe('')
      for (const path of home.git('ls-files', '-z', 'rooms/shop/tasks').split('\0').filter(Boolean))
        expect(readTask(path, home.read(path), 'UTC').kind).toBe('ok')
    }),
    { numRuns: 12 },
  )
})
