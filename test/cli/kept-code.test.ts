/** The code that V8 keeps beside each part of the bundle only makes starts quicker: nothing depends on it. */
import { cpSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type Home, MAIN, makeHome, neo, temporary } from './program.ts'

const PACKAGE = dirname(dirname(MAIN))
let home: Home
let copy: string
beforeAll(() => {
  home = makeHome({ 'rooms/shop/tasks/hello.md': '---\nstatus: draft\n---\n# Hello\n' })
  copy = temporary()
  for (const name of ['dist/main.js', 'dist/parts', 'package.json'])
    cpSync(join(PACKAGE, name), join(copy, name), { recursive: true })
  symlinkSync(join(PACKAGE, 'node_modules'), join(copy, 'node_modules'))
})

const kept = (): readonly string[] =>
  readdirSync(join(copy, 'dist/parts'))
    .filter((name) => name.endsWith('.code'))
    .map((name) => join(copy, 'dist/parts', name))

test('parts that most commands load have it', () => {
  expect(kept().map((path) => path.replace(/.*\//, '').replace(/\.\w+\.code$/, ''))).toEqual(
    expect.arrayContaining(['main.cjs', 'program.cjs', 'tasks.cjs', 'home.cjs']),
  )
})

test.each([
  ['whole', () => {}],
  ['cut off', (path: string) => truncateSync(path, 1000)],
  ['empty', (path: string) => truncateSync(path, 0)],
  ['garbage', (path: string) => writeFileSync(path, 'no code of V8\n'.repeat(100))],
  ['missing', (path: string) => rmSync(path)],
])('the program answers the same where it is %s', async (_, spoil) => {
  const main = join(copy, 'dist/main.js')
  for (const path of kept()) spoil(path)
  for (const typed of [
    ['--version'],
    ['task', 'list', '--home', home.dir],
    ['log', '--home', home.dir],
    ['nonsense'],
  ])
    expect(await neo(typed, { main })).toEqual(await neo(typed))
})

test('commands that read tasks start without the large part', async () => {
  rmSync(join(copy, 'dist/parts/home.cjs'))
  for (const typed of [
    ['task', 'list', '--home', home.dir],
    ['task', 'show', 'hello', '--home', home.dir],
    ['room', 'list', '--home', home.dir],
  ])
    expect(await neo(typed, { main: join(copy, 'dist/main.js') })).toEqual(await neo(typed))
})
