/** Files and ids that Neo makes: names that are safe, rooms that can be read back, ids that two hosts agree on. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { openActed } from '../../../src/engine/commit/acted-log.ts'
import { newId, noteGone } from '../../../src/engine/commit/new-id.ts'
import { isRoomName, newRoomFiles } from '../../../src/engine/commit/new-room.ts'
import { inExistingRooms } from '../../../src/engine/commit/transact.ts'
import type { Context } from '../../../src/engine/context.ts'
import { readRoom } from '../../../src/files/kinds/read-room.ts'
import { session, snapshot, taskFile } from '../../builders.ts'

const files = openFiles()

function home(texts: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-new-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  return dir
}

test.each([
  ['shop', true],
  ['Läden-2.0_x', true],
  ['店', true],
  ['.git', false],
  ['_old', false],
  ['-x', false],
  ['a/b', false],
  ['a b', false],
  ['shop.', false],
  ['', false],
  ['ä'.repeat(40), true],
  ['ä'.repeat(41), false],
])('isRoomName(%j) is %s', (name, is) => {
  expect(isRoomName(name)).toBe(is)
})

describe('newRoomFiles()', () => {
  test('are ROOM.md and an empty folder of tasks', () => {
    const made = newRoomFiles(home(), files, {
      name: 'shop',
      template: null,
      set: { description: 'Sells: things' },
    })
    expect(made.map(({ path }) => path)).toEqual(['rooms/shop/ROOM.md', 'rooms/shop/tasks/.gitkeep'])
    expect(readRoom('ROOM.md', made[0].text, 'shop')).toMatchObject({
      kind: 'ok',
      value: { name: 'shop', description: 'Sells: things', status: 'active' },
    })
  })

  test('of a template are its files, with its instructions under the new name', () => {
    const at = home({
      'templates/rooms/web/ROOM.md': '---\nname: Web\nreview: none\n---\nKeep it small.\n',
      'templates/rooms/web/tasks/first.md': '# First\n',
    })
    const made = newRoomFiles(at, files, { name: 'site', template: 'web', set: {}, neo: { id: 'r-1' } })
    expect(made.map(({ path }) => path)).toEqual(['rooms/site/ROOM.md', 'rooms/site/tasks/first.md'])
    expect(made[0].text).toMatch(/^---\nname: site\nreview: none\nneo:\n {2}id: r-1\n---\nKeep it small\.\n$/)
  })

  test.each([
    [{}, 'this home has no room templates'],
    [{ 'templates/rooms/web/ROOM.md': 'x' }, 'the room templates are web'],
    [{ 'rooms/shop/ROOM.md': 'x', 'templates/rooms/web/ROOM.md': 'x' }, 'the room templates are web'],
  ])('refuse a template that is not there, also one outside of their folder: %j', (texts, why) => {
    const make = () => newRoomFiles(home(texts), files, { name: 'x', template: '../../rooms/shop', set: {} })
    expect(make).toThrow(expect.objectContaining({ code: 'missing', more: { why } }))
  })

  test('refuse what can not be read back as a room', () => {
    const make = () => newRoomFiles(home(), files, { name: 'x', template: null, set: { status: 'asleep' } })
    expect(make).toThrow(/^Cannot write the room: rooms\/x\/ROOM\.md:\d+.*status/)
  })
})

describe('newId()', () => {
  const blobId = (bytes: Buffer) => createHash('sha1').update(bytes).digest('hex')
  const contextAt = (dir: string) =>
    ({
      dir: join(dir, 'neo'),
      world: { git: { blobId }, files },
      acted: openActed(files, join(dir, 'neo')),
      sessions: { facts: () => new Map([['s-a', session('taken')]]) },
    }) as unknown as Context
  const file = { prefix: 't', path: 'rooms/shop/tasks/a.md', hash: 'h1' } as const

  test('is the same on two hosts, and another for another path or other bytes', () => {
    const [one, two] = [contextAt(home()), contextAt(home())]
    const id = newId(one, snapshot(), file)
    expect(newId(two, snapshot(), file)).toBe(id)
    const others = [
      { ...file, hash: 'h2' },
      { ...file, path: 'b.md' },
    ].map((of) => newId(one, snapshot(), of))
    expect(new Set([id, ...others]).size).toBe(3)
  })

  test('is longer where the short one belongs to a task, a deleted task or a file of this round', () => {
    const context = contextAt(home())
    const id = newId(context, snapshot(), file)
    const used = snapshot({ tasks: [taskFile('x', { neo: { id } })] })
    expect(newId(context, used, file)).toHaveLength(id.length + 1)
    const round = snapshot()
    expect([newId(context, round, file), newId(context, round, file)].map(({ length }) => length)).toEqual([
      8, 9,
    ])
    noteGone(context, [id])
    expect(newId(context, snapshot(), file)).toHaveLength(id.length + 1)
  })

  test('has the form of an id for any path', () => {
    const context = contextAt(home())
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('t', 'r', 'c'), (path, prefix) => {
        expect(newId(context, snapshot(), { prefix, path, hash: 'h' })).toMatch(/^[trc]-[a-z0-9]{6}$/)
      }),
      { numRuns: 50 },
    )
  })
})

describe('inExistingRooms()', () => {
  const made = (path: string) => ({ path, before: null, after: 'x' })
  const gone = (path: string) => ({ path, before: 'h', after: null })
  const at = (...changes: Parameters<typeof inExistingRooms>[1]) => {
    const dir = home({ 'rooms/shop/ROOM.md': 'x' })
    return inExistingRooms({ home: dir, world: { files } as Context['world'] }, changes).map(
      ({ path }) => path,
    )
  }

  test.each<[string, Parameters<typeof inExistingRooms>[1], readonly string[]]>([
    ['a new file in a room that is there', [made('rooms/shop/a.md')], ['rooms/shop/a.md']],
    ['a new file in a room that is gone', [made('rooms/gone/a.md')], []],
    [
      'a new room with its files',
      [made('rooms/new/ROOM.md'), made('rooms/new/a.md')],
      ['rooms/new/ROOM.md', 'rooms/new/a.md'],
    ],
    ['a removal in a room that is gone', [gone('rooms/gone/a.md')], ['rooms/gone/a.md']],
    ['a file outside of rooms', [made('workspace/a.md')], ['workspace/a.md']],
    ['the lobby, which has no folder', [made('rooms/lobby/inbox/a.md')], ['rooms/lobby/inbox/a.md']],
    ['a move into a room that is gone', [gone('rooms/shop/a.md'), made('rooms/gone/a.md')], []],
    [
      'a move within a room that is gone',
      [gone('rooms/gone/a.md'), made('rooms/gone/b.md')],
      ['rooms/gone/a.md'],
    ],
    [
      'a file here and one in a room that is gone',
      [made('rooms/shop/a.md'), made('rooms/gone/a.md')],
      ['rooms/shop/a.md'],
    ],
  ])('of %s', (_what, changes, kept) => {
    expect(at(...changes)).toEqual(kept)
  })
})
