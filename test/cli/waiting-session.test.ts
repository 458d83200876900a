/** A session that waits for its next task, as commands show it, keep it and end it. */
import { expect, test } from 'vitest'
import { watching } from './daemon.ts'
import { dataOf, type Home, makeHome, until } from './program.ts'

const FILES = {
  'workspace/files/.gitignore': 'cache\n',
  'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n\n```sh\necho warm > cache\n```\n',
}

async function opened(home: Home): Promise<string> {
  const { code, out } = await home.neo('rpc', 'session.create', '{"roomId": "shop"}')
  expect(code).toBe(0)
  return (JSON.parse(out) as { sessionId: string }).sessionId
}

async function shown(home: Home, id: string): Promise<unknown> {
  const all = dataOf(await home.neo('session', 'list', '--json')) as { id: string; status: string }[]
  return all.find((one) => one.id === id)?.status
}

test('it is listed as waiting after its first task, doctor keeps its worktree, and stop ends it', async () => {
  const home = makeHome(FILES)
  const daemon = await watching(home)
  const id = await opened(home)
  await home.neo('rpc', 'task.start', JSON.stringify({ taskId: 'a', sessionId: id }))
  await until(() => home.text('rooms/shop/tasks/a.md').includes('status: completed'))
  await until(async () => (await shown(home, id)) === 'waiting_for_input')
  await home.neo('doctor', '--fix')
  expect(home.names('.neo/worktrees')).toEqual([id])
  expect((await home.neo('doctor')).out).toMatch(
    new RegExp(`worktree +ok +${id} is idle and waits for its next task`),
  )
  await daemon.stop()
  expect(await shown(home, id)).toBe('waiting_for_input')
  expect(await home.neo('stop', id)).toMatchObject({ code: 0, out: `${id} stopped\n` })
  expect([await shown(home, id), home.names('.neo/worktrees')]).not.toContain('waiting_for_input')
  expect(home.names('.neo/worktrees')).toEqual([])
  expect((await home.neo('stop', id)).code).toBe(4)
})

test('beside a daemon, stop ends it through the hub', async () => {
  const home = makeHome(FILES)
  await watching(home)
  const id = await opened(home)
  expect(await home.neo('stop', id)).toMatchObject({ code: 0, out: `${id} stopped\n` })
  expect(home.text('.git/neo/audit.jsonl')).toContain('"method":"session.stop"')
  expect(home.text(`rooms/shop/sessions/${id}.md`)).toMatch(/^ended_at:/m)
})
