/** neo task list and names: all that can be read is listed, and a name means one task or none. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dataOf, makeHome, neo } from './program.ts'

describe('names of tasks', () => {
  const home = makeHome({
    'rooms/shop/tasks/one.md': '---\ntitle: One\nneo: { id: t-aaaaaa }\n---\n',
    'rooms/shop/tasks/deep/two.md': '# Two\n',
    'rooms/shop/tasks/same.md': '# Same\n',
    'rooms/lobby/tasks/same.md': '# Same\n',
    'rooms/shop/tasks/three--t-bbbbbb.md': '---\nneo: { id: t-bbbbbb }\n---\n',
    'rooms/shop/tasks/copy--t-bbbbbb.md': '---\nneo: { id: t-cccccc }\n---\n',
  })

  test.each([
    ['one', 'rooms/shop/tasks/one.md'],
    ['shop/one', 'rooms/shop/tasks/one.md'],
    ['rooms/shop/tasks/one.md', 'rooms/shop/tasks/one.md'],
    ['one.md', 'rooms/shop/tasks/one.md'],
    [join(home.dir, 'rooms/shop/tasks/one.md'), 'rooms/shop/tasks/one.md'],
    ['t-aaaaaa', 'rooms/shop/tasks/one.md'],
    ['two', 'rooms/shop/tasks/deep/two.md'],
    ['deep/two', 'rooms/shop/tasks/deep/two.md'],
    ['shop/deep/two', 'rooms/shop/tasks/deep/two.md'],
    ['three', 'rooms/shop/tasks/three--t-bbbbbb.md'],
    ['t-bbbbbb', 'rooms/shop/tasks/three--t-bbbbbb.md'],
    ['t-cccccc', 'rooms/shop/tasks/copy--t-bbbbbb.md'],
    ['lobby/same', 'rooms/lobby/tasks/same.md'],
  ])('%s means %s', async (name, path) => {
    expect(dataOf(await home.neo('task', 'show', name, '--json'))).toMatchObject({ path })
  })

  test('an ambiguous name is refused with its candidates', async () => {
    const { code, err } = await home.neo('task', 'show', 'same')
    expect(code).toBe(2)
    expect(err).toContain('rooms/lobby/tasks/same.md, rooms/shop/tasks/same.md')
  })

  test('a path is understood from the folder that one is in', async () => {
    const { code } = await neo(['task', 'show', 'one.md'], { cwd: join(home.dir, 'rooms/shop/tasks') })
    expect(code).toBe(0)
  })
})

describe('neo task list', () => {
  test('lists all that can be read and names what cannot, with its line', async () => {
    const home = makeHome()
    for (let n = 0; n < 30; n++) home.put(`rooms/shop/tasks/good-${n}.md`, `# Good ${n}\n`)
    home.put('rooms/shop/tasks/colon.md', '---\ntitle: a b: c d\n---\n')
    home.put('rooms/shop/tasks/at.md', '---\nlabels: [a, @b]\n---\n')
    home.put('rooms/shop/tasks/open.md', '---\ntitle: x\n')
    execFileSync('mkfifo', [join(home.dir, 'rooms/shop/tasks/fifo.md')])
    const { code, out, err } = await home.neo('task', 'list')
    expect({ code, lines: out.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 30 })
    expect(err).toContain('rooms/shop/tasks/colon.md:2:')
    expect(err).toContain("4 files can't be read")
  })

  test('narrows by room, status and label', async () => {
    const home = makeHome({
      'rooms/shop/tasks/a.md': '---\nlabels: [x, y]\nstatus: draft\n---\nA\n',
      'rooms/shop/tasks/b.md': '---\nlabels: [x]\n---\nB\n',
      'rooms/lobby/tasks/c.md': '---\nlabels: [x]\n---\nC\n',
    })
    const names = async (...args: string[]) =>
      (dataOf(await home.neo('task', 'list', '--json', ...args)) as { name: string }[]).map(
        ({ name }) => name,
      )
    expect(await names()).toEqual(['c', 'a', 'b'])
    expect(await names('--room', 'shop', '--status', 'pending', '--status', 'failed')).toEqual(['b'])
    expect(await names('--label', 'x', '--label', 'y')).toEqual(['a'])
  })

  test('shows as ready what is pending, in an active room, and whose dependencies are completed', async () => {
    const home = makeHome({
      'rooms/shop/tasks/done.md': '---\nstatus: completed\n---\nx\n',
      'rooms/shop/tasks/next.md': '---\ndepends_on: [done]\n---\nx\n',
      'rooms/shop/tasks/later.md': '---\ndepends_on: [next]\n---\nx\n',
      'rooms/old/ROOM.md': '---\nstatus: archived\n---\n',
      'rooms/old/tasks/never.md': '# Never\n',
    })
    expect((await home.neo('task', 'list', '--ready')).out).toMatch(/^shop\/next +pending.*\n$/)
  })

  test('sees every change though it keeps a cache', async () => {
    const home = makeHome({ 'rooms/shop/tasks/a.md': '---\ntitle: Aaa\n---\n' })
    await home.neo('task', 'list')
    await home.neo('task', 'list')
    home.put('rooms/shop/tasks/a.md', '---\ntitle: Bbb\n---\n')
    home.put('rooms/shop/tasks/b.md', '---\ntitle: Ccc\n---\n')
    expect((await home.neo('task', 'list')).out.replaceAll(/ +/g, ' ')).toBe(
      'shop/a pending Bbb\nshop/b pending Ccc\n',
    )
  })

  test.each(['', '{', '[]', '{"key":1}', 'null', '{"rows":[[1]]}'])(
    'passes over a broken cache: %s',
    async (text) => {
      const home = makeHome({ 'rooms/shop/tasks/a.md': '# A\n' })
      home.put('.neo/cache/tasks.json', text)
      expect(await home.neo('task', 'list')).toMatchObject({ code: 0, err: '' })
      expect(readFileSync(join(home.dir, '.neo/cache/tasks.json'), 'utf8')).not.toBe(text)
    },
  )
})
