import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holdsMore, walk } from '../../../src/adapters/watcher/folders.ts'
import { cpuMs } from '../../wait.ts'
import { listen, makeHome, until } from './listen.ts'

function many(count: number, path: (n: number) => string) {
  const home = makeHome()
  for (let n = 0; n < count; n += 1) home.write(path(n))
  return home
}

test('watch() walks 10,000 files once or twice to be ready, and keeps at most 15 MB', async () => {
  const home = many(10_000, (n) => `rooms/r${n % 100}/tasks/t${n}.md`)
  walk(home.root, '')
  const walked = cpuMs(() => walk(home.root, ''))
  const before = process.memoryUsage().heapUsed
  const begun = process.cpuUsage()
  await listen(home.root)
  const { user, system } = process.cpuUsage(begun)
  expect((user + system) / 1000).toBeLessThan(3 * walked + 500)
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(15e6)
})

test('watch() counts and watches no old sessions when there are 20,000 of them', async () => {
  const home = many(20_000, (n) => `rooms/shop/sessions/s-${n}.md`)
  home.write('rooms/shop/tasks/a.md')
  expect(holdsMore(home.root, 1)).toBe(false)
  const { heard } = await listen(home.root)
  home.write('rooms/shop/tasks/a.md', '# y\n')
  await heard('rooms/shop/tasks/a.md')
})

test('watch() ends a burst of 10,000 files with one look everywhere, and hears the change after it', async () => {
  const home = many(10_000, (n) => `rooms/r${n % 20}/tasks/t${n}.md`)
  const { hints, heard, quiet } = await listen(home.root)
  for (let n = 0; n < 10_000; n += 1) home.write(`rooms/r${n % 20}/tasks/t${n}.md`, '# changed\n')
  await until(() => hints.includes(''), 'a look everywhere')
  await quiet()
  home.write('rooms/r1/tasks/t1.md', '# again\n')
  await heard('rooms/r1/tasks/t1.md')
  rmSync(join(home.root, 'rooms/r2'), { recursive: true })
  await heard('rooms/r2')
})
