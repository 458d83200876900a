/** A task is found by its id through what was seen last, which never counts more than the files. */
import { renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataOf, makeHome } from './program.ts'

const task = (id: string, title: string) => `---\nneo: { id: ${id} }\n---\n# ${title}\n`
const block = (id: string, title: string) => `---\nstatus: draft\nneo:\n  id: ${id}\n---\n# ${title}\n`

test('an id is found where it was seen, where its file went, and in what was made since', async () => {
  const home = makeHome({
    'rooms/shop/tasks/a.md': block('t-aaaaaa', 'A'),
    'rooms/shop/tasks/b.md': task('t-bbbbbb', 'B'),
  })
  const pathOf = async (id: string) => {
    const shown = await home.neo('task', 'show', id, '--json')
    return shown.code === 0 ? (dataOf(shown) as { readonly path: string }).path : shown.err
  }
  // What was saved just now is read again by the next list.
  utimesSync(join(home.dir, 'rooms/shop/tasks/a.md'), 1, 1)
  await home.neo('task', 'list')
  expect(home.text('.neo/cache/tasks.json')).toMatch(/\["rooms\/shop\/tasks\/a\.md",.*"id":"t-aaaaaa"/)
  expect(await pathOf('t-aaaaaa')).toBe('rooms/shop/tasks/a.md')
  expect(await pathOf('t-bbbbbb')).toBe('rooms/shop/tasks/b.md')
  renameSync(join(home.dir, 'rooms/shop/tasks/a.md'), join(home.dir, 'rooms/shop/tasks/c.md'))
  expect(await pathOf('t-aaaaaa')).toBe('rooms/shop/tasks/c.md')
  home.put('rooms/shop/tasks/c.md', block('t-cccccc', 'C'))
  expect(await pathOf('t-cccccc')).toBe('rooms/shop/tasks/c.md')
  expect(await pathOf('t-aaaaaa')).toContain('Cannot find the task')
  home.put(
    '.neo/cache/tasks.json',
    '["rooms/../etc/passwd.md",{"id":"t-bbbbbb"}],["rooms/\\x",{"id":"t-bbbbbb"}',
  )
  expect(await pathOf('t-bbbbbb')).toBe('rooms/shop/tasks/b.md')
})

test('a name that no task has is answered with the names that are like it', async () => {
  const home = makeHome({
    'rooms/shop/tasks/fix-the-redirect--t-aaaaaa.md': task('t-aaaaaa', 'A'),
    'rooms/shop/tasks/fix-the-footer.md': task('t-bbbbbb', 'B'),
  })
  const answer = async (name: string) => (await home.neo('task', 'show', name)).err
  expect(await answer('fix-the')).toMatch(/similar names: .*fix-the-footer/)
  expect(await answer('shop/fix-the-redirct')).toContain('similar names: fix-the-redirect\n')
  expect(await answer('prices')).not.toContain('similar')
})
