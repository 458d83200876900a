/** neo rpc: methods of the hub at the terminal, with exit codes, beside a daemon and without one. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { METHODS } from '../../src/hub/method-table.ts'
import { watching } from './daemon.ts'
import { dataOf, makeHome, neo, until } from './program.ts'

const TASK = '---\nstatus: draft\n---\n# Paint\n\nPaint it.\n'

test('without a method it lists all of them', async () => {
  const { code, out } = await neo(['rpc'])
  expect(code).toBe(0)
  for (const { name } of METHODS) expect(out).toMatch(new RegExp(`^${name.replace('.', '\\.')} `, 'm'))
})

test('a reading method prints its result as JSON, and changes nothing', async () => {
  const home = makeHome({ 'rooms/shop/tasks/paint.md': TASK })
  const { code, out } = await home.neo('rpc', 'task.list', '{"roomId": "shop"}')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject([{ name: 'paint', title: 'Paint', status: 'draft' }])
  expect(home.git('status', '--porcelain')).toBe('')
  expect(dataOf(await home.neo('rpc', 'room.get', '{"roomId":"shop"}', '--json'))).toMatchObject({
    id: 'shop',
  })
})

test('parameters come from stdin as well', async () => {
  const home = makeHome()
  const { code, out } = await neo(['rpc', 'room.get', '-', '--home', home.dir], {
    input: '{"roomId": "shop"}',
  })
  expect([code, JSON.parse(out)]).toMatchObject([0, { id: 'shop' }])
})

test.each([
  ['task.list', '{"nonsense": 1}', 2, -32602],
  ['task.get', '{"taskId": "t-zzzzzz"}', 4, -32002],
  ['room.get', '{"roomId": "nowhere"}', 4, -32002],
  ['room.update', '{"roomId": "shop", "updates": {"neo": {}}}', 5, -32001],
  ['session.resume', '{"sessionId": "s-zzzzzz"}', 4, -32002],
] as const)('neo rpc %s %s ends with %i and says %i', async (method, params, code, said) => {
  const home = makeHome()
  const text = await home.neo('rpc', method, params)
  expect([text.code, text.out]).toEqual([code, ''])
  expect(text.err).toMatch(/^neo: .+\nwhy: .+\nnext: .+\n$/)
  expect(text.err).toContain(String(said))
  const json = await home.neo('rpc', method, params, '--json')
  expect(JSON.parse(json.out)).toMatchObject({ kind: 'rpc.error', data: { code: said } })
})

test.each([
  [['task.lst'], 'did you mean task.list?'],
  [['task.list', '[1]'], 'not a JSON object'],
  [['task.list', '{'], 'not a JSON object'],
])('neo rpc %j is wrong usage', async (words, said) => {
  const { code, err } = await makeHome().neo('rpc', ...words)
  expect(code).toBe(2)
  expect(err).toContain(said)
})

test('a writing method commits as the person, leaves no lock, and is in the audit log', async () => {
  const home = makeHome()
  const params = '{"roomId": "shop", "title": "Paint", "description": "Paint it.", "status": "draft"}'
  expect((await home.neo('rpc', 'task.create', params)).code).toBe(0)
  expect(home.git('log', '-1', '--format=%an %s')).toMatch(/^Ana neo\(shop\): create/)
  expect(home.git('status', '--porcelain')).toBe('')
  expect(existsSync(join(home.dir, '.git/neo/lock.json'))).toBe(false)
  expect(readFileSync(join(home.dir, '.git/neo/audit.jsonl'), 'utf8')).toContain('"who":"human"')
})

test('beside a daemon it carries out what is written, and what only it can do', async () => {
  const home = makeHome({ 'rooms/shop/tasks/paint.md': TASK.replace('Paint it.', '```sh\ntrue\n```') })
  const daemon = await watching(home)
  expect((await home.neo('rpc', 'task.start', '{"taskId": "shop/paint"}')).code).toBe(0)
  await until(() => /^status: completed$/m.test(home.text('rooms/shop/tasks/paint.md')))
  await until(() => /"url": "http/.test(home.text('.neo/daemon.json')))
  const clear = await home.neo('rpc', 'context.clear', '{"roomId": "shop"}')
  expect(clear).toMatchObject({ code: 0, out: 'null\n' })
  await daemon.stop()
  expect(home.git('status', '--porcelain')).toBe('')
  expect((await home.neo('run')).code).toBe(0)
})

test('many writers at once lose nothing', async () => {
  const home = makeHome()
  const daemon = await watching(home)
  const words = ['one', 'two', 'three', 'four', 'five']
  const ended = await Promise.all(words.map((word) => home.program('memory', 'add', 'shop', `Keep ${word}`)))
  await daemon.stop()
  expect(ended.map(({ code, err }) => [code, err])).toEqual(words.map(() => [0, '']))
  expect(home.names('rooms/shop/memories')).toHaveLength(words.length)
  expect(home.git('ls-files', 'rooms/shop/memories').trim().split('\n')).toHaveLength(words.length)
  expect(home.git('status', '--porcelain')).toBe('')
})

test.each([
  ['scope.purge', '{"scopeId": "nobody", "confirm": "nobody"}', 'neo rpc scope.list shows'],
  ['task.get', '{"taskId": "nothing"}', 'neo rpc task.list shows'],
])('what %s does not find is listed by what the hint names', async (method, params, next) => {
  const { code, err } = await makeHome().neo('rpc', method, params)
  expect({ code, err }).toMatchObject({ code: 4, err: expect.stringContaining(`next: ${next}`) })
})
