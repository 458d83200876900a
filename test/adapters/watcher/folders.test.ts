/** The folders of a home, walked again and again. */
import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holdsMore, openFolderWalk, walk } from '../../../src/adapters/watcher/folders.ts'
import { makeHome } from './listen.ts'

/** Gives every folder a time long past, so that the next walk may take it as it was. */
function age(root: string, folders: Iterable<string>): void {
  for (const folder of folders) utimesSync(join(root, folder), 1_000_000_000, 1_000_000_000)
}

test('a repeated walk says what a fresh one says, whatever was made, moved and removed in between', () => {
  const { root, write } = makeHome([
    'rooms/shop/tasks/a.md',
    'workspace/skills/x/SKILL.md',
    'templates/tasks/t.md',
  ])
  const again = openFolderWalk(root)
  const same = () => expect([...again()].sort()).toEqual([...walk(root, '')].sort())
  same()
  age(root, walk(root, '').keys())
  same()
  write('rooms/shop/tasks/deep/er/b.md')
  same()
  write('rooms/new/tasks/c.md')
  same()
  age(root, walk(root, '').keys())
  same()
  renameSync(join(root, 'rooms/new'), join(root, 'rooms/moved'))
  same()
  rmSync(join(root, 'rooms/shop/tasks'), { recursive: true })
  mkdirSync(join(root, 'rooms/shop/tasks'))
  same()
  rmSync(join(root, 'rooms'), { recursive: true })
  same()
})

test.each([
  [2, true],
  [3, false],
  [-1, true],
])('holdsMore() than %i of 3 files is %s', (limit, more) => {
  const { root } = makeHome(['rooms/a/tasks/1.md', 'rooms/a/tasks/2.md', 'neo.yaml', 'rooms/a/sessions/s.md'])
  expect(holdsMore(root, limit)).toBe(more)
})
