/** neo room: rooms are folders, and their status is a line of ROOM.md. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { dataOf, makeHome } from './program.ts'

/** Without what the hub adds to a file that it takes in. */
function unadopted(text: string): string {
  return text.replace(/^neo:\n(?: {2}.*\n)*/m, '')
}

test('neo room new makes a folder with ROOM.md and prints its path', async () => {
  const home = makeHome()
  const { out } = await home.neo(
    'room',
    'new',
    'web-läden',
    '--description',
    'a: b',
    '--worker',
    'shell',
    '--workspace',
    '../web',
  )
  expect(out).toBe('rooms/web-läden/ROOM.md\n')
  expect(home.text('rooms/web-läden/ROOM.md')).toMatch(
    /^---\nname: web-läden\nstatus: active\ndescription: "a: b"\nworkspace: \.\.\/web\nworker: shell\nneo:\n(?: {2}.*\n)+---\n/,
  )
})

test('neo room new refuses a name that differs only in case from one that is there', async () => {
  expect((await makeHome().neo('room', 'new', 'Shop')).code).toBe(1)
})

test('neo room new takes a template with its tasks', async () => {
  const home = makeHome({
    'templates/rooms/code/ROOM.md': '---\n# Ours\nname: Code\nworker: human\n---\nBe kind.\n',
    'templates/rooms/code/tasks/first.md': '# First\n',
  })
  await home.neo('room', 'new', 'web', '--template', 'code')
  expect(unadopted(home.text('rooms/web/ROOM.md'))).toBe(
    '---\n# Ours\nname: web\nworker: human\n---\nBe kind.\n',
  )
  expect(home.names('rooms/web/tasks')).toEqual(['first.md'])
  expect((await home.neo('room', 'new', 'x', '--template', '../..')).code).toBe(4)
})

test.each([
  ['pause', 'paused'],
  ['archive', 'archived'],
])('neo room %s writes status: %s, and resume takes it back', async (verb, status) => {
  const home = makeHome({ 'rooms/shop/ROOM.md': '---\nname: Shop # mine\nstatus: active\n---\nText\n' })
  await home.neo('room', verb, 'shop')
  expect(unadopted(home.text('rooms/shop/ROOM.md'))).toBe(
    `---\nname: Shop # mine\nstatus: ${status}\n---\nText\n`,
  )
  expect((await home.neo('room', 'resume', 'shop', 'lobby')).out).toBe(
    'shop is now active\nlobby is already active\n',
  )
})

test('neo room pause gives a bare folder its ROOM.md', async () => {
  const home = makeHome({ 'rooms/bare/tasks/x.md': '# X\n' })
  expect(await home.neo('room', 'pause', 'bare')).toMatchObject({ code: 0 })
  expect(unadopted(home.text('rooms/bare/ROOM.md'))).toBe('---\nname: bare\nstatus: paused\n---\n')
})

test('neo room list counts tasks by status, leaves archived rooms out, and says which are broken', async () => {
  const home = makeHome({
    'rooms/shop/tasks/a.md': '# A\n',
    'rooms/shop/tasks/b.md': '---\nstatus: done\n---\nB\n',
    'rooms/old/ROOM.md': '---\nstatus: archived\n---\n',
    'rooms/bad/ROOM.md': '---\nstatus: [\n---\n',
  })
  const { out, err } = await home.neo('room', 'list')
  expect(out.replaceAll(/ +/g, ' ')).toBe(
    'bad broken no tasks\nlobby active no tasks\nshop active 1 pending, 1 unreadable The web shop\n',
  )
  expect(err).toContain('rooms/bad/ROOM.md:2:')
  expect(dataOf(await home.neo('room', 'list', '--all', '--json'))).toHaveLength(4)
})

test('neo room show prints settings and text', async () => {
  const home = makeHome({ 'rooms/shop/ROOM.md': '---\nname: Shop\nsetup: [npm ci]\n---\nBe kind.\n' })
  expect((await home.neo('room', 'show', 'shop')).out).toMatch(
    /^Shop\npath .*\n(?:.*\n)*setup +npm ci\n(?:.*\n)*\nBe kind\.\n$/,
  )
})

test('a new room is committed whole, also where a person committed its ROOM.md', async () => {
  const home = makeHome()
  home.put('rooms/tools/ROOM.md', '---\nname: tools\n---\n')
  home.put('rooms/tools/tasks/.gitkeep', '')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: home.dir, encoding: 'utf8' })
  git('add', 'rooms/tools/ROOM.md')
  git('commit', '-qm', 'tools')
  expect((await home.neo('run')).code).toBe(0)
  expect(git('status', '--porcelain', '-uall')).toBe('')
})
