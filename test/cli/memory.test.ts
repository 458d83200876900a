/** neo memory: keeping, listing, finding and deleting what is to be remembered. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataOf, makeHome, neo } from './program.ts'

test('what is added is a committed file, is listed, found with file and line, and deleted', async () => {
  const home = makeHome()
  const added = await home.neo('memory', 'add', 'shop', 'Prices are in euros', '--tag', 'prices', '--json')
  const { id, path } = dataOf(added) as { id: string; path: string }
  expect(home.text(path)).toMatch(/type: note\ntags: \[ ?prices ?\][\s\S]*Prices are in euros\n$/)
  expect(home.git('log', '-1', '--format=%an %s')).toMatch(/^Ana neo\(shop\): remember/)
  expect((await home.neo('memory', 'list', '--room', 'shop')).out).toMatch(
    new RegExp(`^${id} +shop +note .* Prices are in euros\n$`),
  )
  const found = dataOf(await home.neo('memory', 'search', 'EUROS', '--json')) as {
    results: { source: string }[]
  }
  expect(found.results[0]?.source).toMatch(new RegExp(`^${path}:\\d+$`))
  expect((await home.neo('memory', 'delete', id)).code).toBe(0)
  expect((await home.neo('memory', 'list')).out).toBe('')
  expect(home.git('show', `HEAD~1:${path}`)).toContain('euros')
  expect(home.git('status', '--porcelain')).toBe('')
})

test('text comes from stdin, and what looks like a secret is masked and said', async () => {
  const home = makeHome()
  const text = `The token is ghp_${'a1'.repeat(18)} here`
  const { code, err } = await neo(['memory', 'add', 'shop', '-', '--home', home.dir], { input: text })
  expect([code, err]).toEqual([0, 'Text that looks like a secret was masked.\n'])
  expect(home.git('log', '-p')).not.toContain('a1a1a1')
})

test('a list goes over all rooms, newest first, and can be narrowed', async () => {
  const memory = (at: string, text: string, type: string) =>
    `---\ntype: ${type}\nneo: { id: m-${text}, created_at: ${at} }\n---\n${text}\n`
  const home = makeHome({
    'rooms/shop/memories/a.md': memory('2026-01-01T00:00:00Z', 'old', 'note'),
    'rooms/lobby/memories/b.md': memory('2026-02-01T00:00:00Z', 'new', 'pattern'),
  })
  const ids = async (...words: string[]) =>
    (dataOf(await home.neo('memory', 'list', ...words, '--json')) as { id: string }[]).map(({ id }) => id)
  expect(await ids()).toEqual(['m-new', 'm-old'])
  expect(await ids('--type', 'note')).toEqual(['m-old'])
  expect(await ids('--limit', '1')).toEqual(['m-new'])
  const since = await home.neo('memory', 'search', 'old new', '--since', '2026-01-15', '--json')
  expect(dataOf(since)).toMatchObject({ total: 1, results: [{ memoryId: 'm-new' }] })
})

const note = (text: string) => `---\ntype: note\nneo: { id: m-${text} }\n---\n${text} seed\n`

test('a room that cannot be read hides no memories of others', async () => {
  const home = makeHome({
    'rooms/bad/tasks/a.md': '# A\n',
    'rooms/bad/ROOM.md': '---\nreview: maybe\n---\n',
    'rooms/lobby/memories/gate.md': 'The gate is green\n',
  })
  const { code, out, err } = await home.neo('memory', 'list')
  expect({ code, out, err }).toEqual({
    code: 0,
    out: expect.stringContaining('The gate is green'),
    err: expect.stringContaining('rooms/bad/ROOM.md'),
  })
  expect(await home.neo('memory', 'delete', 'gate')).toMatchObject({ code: 0 })
})

test.each([
  ['of which all have settings', 'rooms/attic/ROOM.md'],
  ['of which one is there by its tasks alone', 'rooms/attic/tasks/sweep.md'],
  ['beside a file that is none', 'rooms/notes.md'],
])('a search goes over all rooms, %s', async (_, path) => {
  const room = path.includes('attic') ? 'attic' : 'shop'
  const home = makeHome({
    [path]: '# Here\n',
    'rooms/shop/memories/a.md': note('first'),
    [`rooms/${room}/memories/b.md`]: note('second'),
  })
  const ids = async (...words: string[]) =>
    (
      dataOf(await home.neo('search', 'seed', ...words, '--json')) as { results: { memoryId: string }[] }
    ).results
      .map(({ memoryId }) => memoryId)
      .toSorted()
  expect(await ids()).toEqual(['m-first', 'm-second'])
  expect(await ids('--room', room)).toContain('m-second')
  expect((await home.neo('search', 'seed', '--room', 'nowhere')).code).toBe(4)
})

test.each([
  [['memory', 'add', 'nowhere', 'x'], 4],
  [['memory', 'add', 'shop', ' '], 2],
  [['memory', 'add', 'shop', 'x', '--type', 'robot'], 2],
  [['memory', 'list', '--room', 'nowhere'], 4],
  [['memory', 'search', 'x', '--since', 'yesterday'], 2],
  [['memory', 'delete', 'm-zzzzzz'], 4],
] as const)('neo %j ends with %i', async (words, code) => {
  const ended = await makeHome().neo(...words)
  expect([ended.code, ended.out]).toEqual([code, ''])
  expect(ended.err).toMatch(/^neo: .+\n(why: .+\n)?next: .+\n$/)
})

test.each(['', '"', '(', 'a OR b', '🙂', '*'])('searching for %j is fine', async (query) => {
  expect((await makeHome().neo('memory', 'search', query)).code).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'a command that has ended leaves no file of the index open',
  async () => {
    const home = makeHome({ 'rooms/shop/memories/m.md': 'Prices are in euros\n' })
    expect((await home.neo('search', 'euros')).out).toContain('rooms/shop/memories/m.md:1')
    const fds = readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/self/fd/${fd}`)]
      } catch {
        return []
      }
    })
    const maps = readFileSync('/proc/self/maps', 'utf8').split('\n')
    expect([...fds, ...maps].filter((line) => line.includes(join(home.dir, '.neo/index.db')))).toEqual([])
  },
)
