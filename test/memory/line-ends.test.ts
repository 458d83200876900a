/** Files of memory as Windows saves them, with CRLF and a byte order mark: found, changed and forgotten as any other. */
import { expect, test } from 'vitest'
import { entry } from '../hub/effects/memory.ts'
import { hubHome } from '../hub/hub-home.ts'
import { say, user } from './said.ts'

const BAY = '- **bay** (human): 7 — 2026-03-02 (neo-2026-03-02-1:12)'
const DOOR = '- **door** (human): red — 2026-03-02 (neo-2026-03-02-1:13)'
const at = (name: string) => `rooms/shop/memories/${name}.md`
const crlf = (...lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('')

test('a fact with CRLF is forgotten with its older values and notes, and the other lines keep their bytes', async () => {
  const { home, call, ...more } = await hubHome({
    [at('MEMORY')]: `\ufeff${crlf(BAY, DOOR, '- mine', '')}`,
    [at('HISTORY')]: crlf(
      '# What was known',
      '',
      `- 2026-03-02: ${BAY.slice(2).replace('7', '5')}`,
      '- mine',
    ),
    [at('2026-03-02')]: crlf('- 09:12 [human] The bay is 7 (neo-2026-03-02-1:12)', '- 09:13 [human] Hello'),
  })
  const { source, version } = await entry({ home, call, ...more }, '7', { roomId: 'shop' })
  expect(source).toBe(`${at('MEMORY')}:1`)
  await call('memory.delete', { memoryId: source, version })
  expect(home.read(at('MEMORY'))).toBe(crlf(DOOR, '- mine'))
  expect(home.read(at('HISTORY'))).toBe(crlf('# What was known', '', '- mine'))
  expect(home.read(at('2026-03-02'))).toBe(
    crlf('- 09:12 [human] (forgotten) (neo-2026-03-02-1:12)', '- 09:13 [human] Hello'),
  )
})

test('a line below a byte order mark is changed, and what follows is added with CRLF', async () => {
  const opened = await hubHome({ [at('MEMORY')]: `\ufeff${crlf('The safe is here', '', DOOR)}` })
  const { home, call } = opened
  const { source, version } = await entry(opened, 'The safe is here', { roomId: 'shop' })
  await call('memory.update', { memoryId: source, version, updates: { content: 'The safe is there' } })
  expect(home.read(at('MEMORY'))).toBe(crlf('The safe is there', '', DOOR))
  say(home.dir, user('my door is blue'))
  expect(await call('memory.distill', { roomId: 'shop' })).toMatchObject([{ kind: 'done', facts: 1 }])
  expect(home.read(at('MEMORY'))).toMatch(
    /^The safe is there\r\n\r\n[^\n]*\*\*door\*\* \(human\): blue[^\n]*\r\n$/,
  )
  expect(home.read(at('HISTORY'))).toContain('red')
  expect(home.git('status', '--porcelain')).toBe('')
})
