/** `neo mcp` as an editor starts it: on the files, beside a daemon, and while daemons come and go. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { makeHome, until } from '../../path/home.ts'
import { servedHome } from '../served-home.ts'
import { ERAS, type Era, overStdio, use } from './client.ts'
import { NEO_ARGV } from './program.ts'

const TASK = { roomId: 'shop', title: 'Paint the door', description: 'Green.', worker: 'human' }

/** Addresses that a client was told of, from now on. */
async function following(client: Client, era: Era, uri: string): Promise<Set<string>> {
  const told = new Set<string>()
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.add(params.uri))
  client.setNotificationHandler('notifications/resources/list_changed', () => void told.add('list'))
  if (era === 'legacy') {
    await client.listResources()
    await client.subscribeResource({ uri })
  } else await client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true })
  return told
}

test.each(ERAS)('without a daemon a tool acts on the files, as an editor (%s)', async (era) => {
  const home = makeHome({ 'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n\nDo it.\n' })
  const client = await overStdio(home.dir, era)
  const { data } = await use(client, 'neo_task_create', TASK)
  expect(home.read(String(data['path']))).toMatch(/^ {2}created_by: editor$/m)
  expect(home.git('log', '-1', '--format=%an')).toBe('Neo')
  const uri = 'neo://rooms/shop/tasks/a'
  const { contents } = await client.readResource({ uri })
  expect(contents).toEqual([{ uri, mimeType: 'text/markdown', text: home.read('rooms/shop/tasks/a.md') }])
  await expect(client.readResource({ uri: `${uri}/../b` })).rejects.toMatchObject({ code: -32602 })
})

test.each(ERAS)('beside a daemon a tool goes through its hub, and changes are told (%s)', async (era) => {
  const { home, door, watching } = servedHome({ 'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n' })
  await door()
  const client = await overStdio(home.dir, era)
  const { data } = await use(client, 'neo_status_global')
  expect(data['health']).toContainEqual({ part: 'daemon', state: 'ok', says: 'running' })
  const told = await following(client, era, 'neo://rooms/shop/tasks/a')
  await use(client, 'neo_task_create', TASK)
  await until(() => told.has('list'))
  home.write('rooms/shop/tasks/a.md', home.read('rooms/shop/tasks/a.md').replace('# A', '# Another'))
  await until(() => told.has('neo://rooms/shop/tasks/a'))
  expect([...told].sort()).toEqual(['list', 'neo://rooms/shop/tasks/a'])
  await client.close()
  await watching.stop()
})

test('a daemon comes and goes while the editor is open; nothing that is followed is lost', async () => {
  const first = servedHome({ 'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n' })
  await first.door()
  const { home } = first
  const client = await overStdio(home.dir, 'legacy')
  const told = await following(client, 'legacy', 'neo://rooms/shop/tasks')
  await first.watching.stop()
  const made = await use(client, 'neo_task_create', TASK)
  // Said on a line that was just being closed: nobody knows what came of it, so a client looks, and says it again.
  const isUnknown = made.text.includes('look before you call again')
  expect([made.isError, isUnknown && home.has('rooms/shop/tasks/paint-the-door.md')]).toEqual([
    isUnknown,
    false,
  ])
  if (isUnknown) expect((await use(client, 'neo_task_create', TASK)).isError).toBe(false)
  await until(() => told.has('neo://rooms/shop/tasks'))
  told.clear()
  const again = home.watch()
  await again.ready()
  writeFileSync(join(home.dir, 'rooms/shop/tasks/b.md'), '---\nstatus: draft\n---\n# B\n')
  await until(() => told.has('neo://rooms/shop/tasks'))
  expect((await use(client, 'neo_task_get', { taskId: 'b' })).data['title']).toBe('B')
  await again.stop()
})

test('a home that is not trusted, or not valid, is told by each tool until the user has mended it', async () => {
  const home = makeHome({
    'rooms/shop/ROOM.md': '---\nsetup: [touch ran]\n---\n',
    'rooms/shop/tasks/a.md': '# A\n',
  })
  const config = mkdtempSync(join(tmpdir(), 'neo-mcp-'))
  onTestFinished(() => rmSync(config, { recursive: true, force: true }))
  const env = { NEO_TRUST: '', XDG_CONFIG_HOME: config }
  const client = await overStdio(home.dir, 'legacy', env)
  expect((await client.listTools()).tools.length).toBeGreaterThan(20)
  const refused = await use(client, 'neo_room_list')
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('not trusted') })
  expect(refused.text).toContain('neo trust')
  // What an unknown home says is no text for a model.
  expect(refused.text).not.toContain('touch ran')
  await expect(client.listResources()).rejects.toThrow('not trusted')
  const [command, ...args] = NEO_ARGV
  execFileSync(command, [...args, 'trust', '--home', home.dir], { env: { ...process.env, ...env } })
  const before = home.read('neo.yaml')
  home.write('neo.yaml', 'daemon: { settle: 1x }\n')
  expect((await use(client, 'neo_room_list')).text).toMatch(/neo\.yaml:1:\d+/)
  home.write('neo.yaml', before)
  expect((await use(client, 'neo_room_list')).isError).toBe(false)
})

test('what is listed comes in pages, and names are completed', async () => {
  const tasks = Object.fromEntries(
    Array.from({ length: 120 }, (_, at) => [`rooms/shop/tasks/t${String(at).padStart(3, '0')}.md`, '# T\n']),
  )
  const client = await overStdio(makeHome(tasks).dir, 'auto')
  // Without a cursor the client asks for all pages.
  const all = (await client.listResources()).resources.map(({ uri }) => uri)
  expect(all.filter((uri) => uri.includes('/tasks/')).length).toBe(120)
  expect(new Set(all).size).toBe(all.length)
  const cursor = Buffer.from('rooms/shop/tasks/t009.md').toString('base64url')
  const page = await client.listResources({ cursor })
  expect([page.resources.length, page.resources[0]?.name]).toEqual([100, 'shop/t010'])
  expect(page.nextCursor).toEqual(expect.any(String))
  await expect(client.listResources({ cursor: 'made-up' })).rejects.toMatchObject({ code: -32602 })
  const ref = { type: 'ref/resource', uri: 'neo://rooms/{room}/tasks/{+task}' } as const
  const { completion } = await client.complete({
    ref,
    argument: { name: 'task', value: 't11' },
    context: { arguments: { room: 'shop' } },
  })
  expect(completion.values).toHaveLength(10)
})
