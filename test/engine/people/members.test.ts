/** The members of a home, asked before each decision: as their files say now, without reading all of them each time. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { MEMBERS, membersIn, ownersIn, recallMembers } from '../../../src/engine/people/member-files.ts'

function people() {
  const home = mkdtempSync(join(tmpdir(), 'neo-members-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  mkdirSync(join(home, MEMBERS), { recursive: true })
  const disk = openFiles()
  let reads = 0
  const files = {
    scan: disk.scan.bind(disk),
    stat: disk.stat,
    read: (path: string, most: number) => {
      reads += 1
      return disk.read(path, most)
    },
  }
  const put = (id: string, text: string): void => {
    const path = join(home, MEMBERS, `${id}.md`)
    writeFileSync(path, text)
    utimesSync(path, 1_000_000, 1_000_000)
  }
  const clock = { now: () => Date.now() + 60_000 }
  const now = async () => {
    await turn()
    return membersIn({ home, world: { files, clock } })
  }
  const recall = (committed: Readonly<Record<string, string>>) => {
    const paths = Object.keys(committed).map((id) => [`${MEMBERS}/${id}.md`, id] as const)
    const git = {
      tree: async () => new Map(paths),
      blob: async (id: string) => Buffer.from(committed[id] ?? ''),
    }
    return recallMembers({ home, world: { files, clock } }, git, 'HEAD')
  }
  const owners = (allowFrom: readonly string[]) => ownersIn({ home, world: { files, clock } }, allowFrom)
  return { home, put, now, recall, owners, reads: () => reads }
}

const roleOf = (list: readonly { readonly id: string; readonly role: string }[], id: string) =>
  list.find((one) => one.id === id)?.role

test('files that have not changed are read once, and give the same list', async () => {
  const { put, now, reads } = people()
  for (let n = 0; n < 50; n++) put(`p-${n}`, `---\nrole: parent\n---\n`)
  const first = await now()
  expect([first.length, reads()]).toEqual([50, 50])
  expect(await now()).toBe(first)
  expect(reads()).toBe(50)
})

test('a change counts at the next look: another role of the same length, a new file, a removed one', async () => {
  const { home, put, now, reads } = people()
  put('ana', '---\nrole: parent\n---\n')
  put('kim', '---\nrole: child\n---\n')
  expect(roleOf(await now(), 'ana')).toBe('parent')
  put('ana', '---\nrole: friend\n---\n')
  expect(roleOf(await now(), 'ana')).toBe('friend')
  expect(reads()).toBe(3)
  rmSync(join(home, MEMBERS, 'ana.md'))
  put('lee', '---\nrole: child\n---\n')
  expect((await now()).map(({ id }) => id)).toEqual(['kim', 'lee'])
})

test('a file that cannot be read is nobody, and somebody as soon as it can', async () => {
  const { put, now } = people()
  put('ana', '---\nrole: [\n---\n')
  expect(await now()).toEqual([])
  put('ana', '---\nrole: parent\n---\n')
  expect(roleOf(await now(), 'ana')).toBe('parent')
})

test('a member whose file cannot be read any more keeps the role that it said last', async () => {
  const { put, now } = people()
  put('kim', '---\nrole: child\n---\n')
  expect(roleOf(await now(), 'kim')).toBe('child')
  put('kim', '---\nrole: [\n---\n')
  expect(roleOf(await now(), 'kim')).toBe('child')
})

const CHILD = '---\nrole: child\nchannels:\n  telegram: "42"\n---\n'
const FORMS = {
  'a typo': CHILD.replace('child', '[child'),
  'conflict markers': `<<<<<<< ours\n${CHILD}=======\n>>>>>>> theirs\n`,
  'an open fence': '---\nrole: child\nchannels:\n  telegram: 42\n',
  'UTF-16': Buffer.from(`\ufeff${CHILD}`, 'utf16le').toString('latin1'),
  'too large': `${CHILD.replace('child', '[child')}${'x'.repeat(3 << 20)}`,
}

test.each(Object.entries(FORMS))(
  'a file broken at the start makes no owner of a child: %s',
  async (_, text) => {
    const { home, put, now, recall, owners } = people()
    const write = (bytes: string) => writeFileSync(join(home, MEMBERS, 'kim.md'), bytes, 'latin1')
    write(text)
    await recall({})
    expect([(await now()).length, owners(['42'])]).toEqual([0, []])
    await recall({ kim: CHILD })
    expect([roleOf(await now(), 'kim'), owners(['7'])]).toEqual(['child', ['7']])
    put('kim', CHILD.replace('child', 'guest'))
    expect([roleOf(await now(), 'kim'), owners(['7'])]).toEqual(['guest', ['7']])
  },
)
