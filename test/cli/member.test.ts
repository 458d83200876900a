/** neo member: people as files with commits, codes that are kept as hashes; beside a daemon and without one. */
import { expect, test } from 'vitest'
import { watching } from './daemon.ts'
import { dataOf, makeHome } from './program.ts'

test('a member is a file with a commit; one of another role than parent is let into the lobby alone', async () => {
  const home = makeHome()
  const added = await home.neo('member', 'add', 'kim', '--name', 'Kim', '--role', 'child')
  expect([added.code, added.out]).toEqual([0, 'workspace/members/kim.md\n'])
  expect(home.text('workspace/members/kim.md')).toBe(
    '---\nname: Kim\nrole: child\npermissions: { rooms: [lobby] }\n---\n',
  )
  await home.neo('member', 'add', 'ana', '--role', 'parent')
  const list = await home.neo('member', 'list')
  expect(list.out).toBe('ana  ana  parent  all rooms  not paired\nkim  Kim  child   lobby      not paired\n')
  expect(home.git('log', '-1', '--format=%s by %an').trim()).toBe('neo(members): add ana by Ana')
  expect(home.git('status', '--porcelain')).toBe('')
})

test('a code is printed once and kept as its hash', async () => {
  const home = makeHome()
  await home.neo('member', 'add', 'kim')
  const paired = await home.neo('member', 'pair', 'kim', '--json')
  const { code, link } = dataOf(paired) as { readonly code: string; readonly link: string | null }
  expect([code.length, link]).toEqual([16, null])
  expect(home.text('.git/neo/pairing.json')).not.toContain(code)
  expect((await home.neo('member', 'pair', 'kim')).out).toMatch(/^\/start [\w-]{16}\n$/)
})

test('where the bot has a name the code is a link', async () => {
  const home = makeHome({ 'workspace/members/kim.md': '---\nrole: child\n---\n' })
  home.put('.git/neo/queues/telegram.json', '{"username":"neo_test_bot"}\n')
  expect((await home.neo('member', 'pair', 'kim')).out).toMatch(
    /^https:\/\/t\.me\/neo_test_bot\?start=[\w-]{16}\n$/,
  )
})

test('beside a daemon members are added and taken out, each with its commit', async () => {
  const home = makeHome()
  const daemon = await watching(home)
  expect((await home.neo('member', 'add', 'kim')).code).toBe(0)
  expect((await home.neo('member', 'remove', 'kim')).code).toBe(0)
  await daemon.stop()
  expect(home.git('log', '-2', '--format=%s').trim()).toBe('neo(members): remove kim\nneo(members): add kim')
  expect(home.git('status', '--porcelain')).toBe('')
})

test.each([
  [['member', 'add', 'Kim/../x'], 2],
  [['member', 'pair', 'nobody'], 4],
  [['member', 'remove', 'nobody'], 4],
] as const)('neo %j ends with %i', async (words, code) => {
  expect((await makeHome().neo(...words)).code).toBe(code)
})

test('a role that there is not is refused with those that there are', async () => {
  const home = makeHome()
  const { code, err } = await home.neo('member', 'add', 'bob', '--role', 'king')
  expect([code, home.names('workspace')]).toEqual([2, expect.not.arrayContaining(['members'])])
  expect(err).toContain('parent, member, guest, child')
})

test('a role in a file that there is not is a warning of config check and status', async () => {
  const home = makeHome({ 'workspace/members/kim.md': '---\nrole: chidl\n---\n' })
  const checked = await home.neo('config', 'check')
  expect(checked.out + checked.err).toMatch(/kim\.md:2.*unknown role "chidl".*permissions of a child/)
  expect((await home.neo('status')).out).toMatch(/kim\.md:2.*unknown role "chidl".*Did you mean "child"/)
})

test('a member who is there is not replaced', async () => {
  const home = makeHome({ 'workspace/members/kim.md': '---\nrole: child\n---\nMine.\n' })
  expect((await home.neo('member', 'add', 'kim')).code).toBe(1)
  expect(home.text('workspace/members/kim.md')).toContain('Mine.')
})

const NAMED = {
  'workspace/members/aaa.md': '---\nname: anna\nrole: parent\n---\n',
  'workspace/members/anna.md': '---\nname: Anna\nrole: guest\n---\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: child\n---\n',
  'workspace/members/max.md': '---\nname: Max\n---\n',
  'workspace/members/max-2.md': '---\nname: Max\n---\n',
}

test('a member is meant by the exact id first, else by a name that nobody else has', async () => {
  const home = makeHome(NAMED)
  const idOf = async (...words: string[]) =>
    (dataOf(await home.neo('member', ...words, '--json')) as { id: string }).id
  for (const words of [['token'], ['pair'], ['token', '--revoke'], ['remove']])
    expect([words, await idOf(words[0] ?? '', 'anna', ...words.slice(1))]).toEqual([words, 'anna'])
  expect(home.text('workspace/members/aaa.md')).toContain('anna')
  for (const words of [['token'], ['token', '--revoke'], ['pair'], ['remove']])
    expect([words, await idOf(words[0] ?? '', 'Kim', ...words.slice(1))]).toEqual([words, 'kim'])
})

test.each([['token'], ['token', '--revoke'], ['pair'], ['remove']])(
  'neo member %s %s of a name that several have, or nobody, is refused and says so',
  async (word, ...more) => {
    const home = makeHome(NAMED)
    const several = await home.neo('member', word, 'Max', ...more)
    expect([several.code, several.err]).toEqual([4, expect.stringMatching(/max, max-2|max-2, max/)])
    expect((await home.neo('member', word, 'nobody', ...more)).code).toBe(4)
    expect(home.git('status', '--porcelain')).toBe('')
  },
)

test('a token that is taken back by the name of its member is over', async () => {
  const home = makeHome(NAMED)
  await home.neo('member', 'token', 'kim')
  const revoked = await home.neo('member', 'token', 'Kim', '--revoke', '--json')
  expect(dataOf(revoked)).toEqual({ id: 'kim', revoked: true })
  expect((await home.neo('member', 'list')).out).not.toContain('token')
})
