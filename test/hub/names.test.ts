/** Keys that name a member, persona or provider, as their rows say: files saved by hand get a warning, the hub refuses them. */
import { expect, test } from 'vitest'
import { checkHome } from '../../src/cli/config/check-config.ts'
import { composeFiles } from '../../src/compose.ts'
import { roomKeys } from '../../src/files/kinds/read-room.ts'
import { taskKeys } from '../../src/files/kinds/task-keys.ts'
import type { Shape } from '../../src/files/values/shape.ts'
import { hubHome } from './hub-home.ts'

const PLACES = { task: 'rooms/shop/tasks/a.md', room: 'rooms/shop/ROOM.md' }
const FILES = {
  'workspace/members/ana.md': '---\nname: Ana\n---\n',
  'workspace/agents/reviewer.md': '---\nname: reviewer\ndescription: Reads\n---\nRead.\n',
}
const NAMES = { member: 'ana', persona: 'reviewer', provider: 'anthropic' }

const rowsOf = (kind: keyof typeof PLACES, keys: Readonly<Record<string, Shape<unknown>>>) =>
  Object.entries(keys).flatMap(([key, shape]) => {
    const of = (shape.kind === 'list' ? shape.of : shape).names
    return of === undefined ? [] : [[kind, key, { of, isList: shape.kind === 'list' }] as const]
  })
const ROWS = [...rowsOf('task', taskKeys), ...rowsOf('room', roomKeys)]

test.each(ROWS)(
  'a %s saved by hand gets a warning for a name in %s that nobody has',
  async (kind, key, { of }) => {
    const { home } = await hubHome(FILES)
    const warned = (name: string) => {
      home.write(PLACES[kind], `---\n${key}: ${name}\n---\n# A\n`)
      const { problems } = checkHome(home.dir, composeFiles(), { env: {}, now: 0 })
      return problems.map(({ file, severity, message }) => [file, severity, message])
    }
    expect(warned(NAMES[of])).toEqual([])
    expect(warned('nobody')).toEqual([[PLACES[kind], 'warning', `${key}: no ${of} "nobody"`]])
  },
)

// `room.update` has no model.
test.each(ROWS.filter(([kind, key]) => kind === 'task' || key !== 'model'))(
  'a change of a %s is refused for a new name in %s that nobody has',
  async (kind, key, { of, isList }) => {
    const { home, call, refusal } = await hubHome(FILES)
    const params = (updates: object) =>
      kind === 'task' ? { taskId: 'a', updates } : { roomId: 'shop', updates }
    const value = (name: string) => ({ [key]: isList ? [name] : name })
    const set = (updates: object) => call(`${kind}.update`, params(updates) as never)
    home.write(PLACES[kind], `---\n${key}: gone\n---\n# A\n`)
    expect((await refusal(`${kind}.update`, params(value('nobody')))).issues).toEqual([
      { path: [key], message: expect.stringMatching(`^${key}: no ${of} "nobody"; `) },
    ])
    await set({ [kind === 'task' ? 'priority' : 'description']: 'low' })
    await set(value(NAMES[of]))
    expect(home.read(PLACES[kind])).toContain(NAMES[of])
  },
)

test('neo.yaml gets a warning for rooms, and for servers of them, that do not exist', async () => {
  const { home } = await hubHome(FILES)
  const contexts = ['shop', 'shp'].map(
    (room) => `{ type: repository, identifier: acme/${room}, room: ${room} }`,
  )
  home.write('neo.yaml', `agent:\n  id: us\n  work_ai: mcp:docs\n  contexts: [${contexts.join(', ')}]\n`)
  const { problems } = checkHome(home.dir, composeFiles(), { env: {}, now: 0 })
  expect(problems.map(({ message, hint }) => [message, hint])).toEqual([
    [expect.stringMatching(/^agent\.work_ai: MCP server docs not found, or disabled, under/), ''],
    ['agent.contexts: no room "shp"', 'Did you mean "shop"?'],
  ])
})
