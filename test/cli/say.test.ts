/** neo say: a message to the Neo of a room, and his reply, beside a real daemon and without one. */
import { expect, test } from 'vitest'
import { startModel } from '../path/model.ts'
import { watching } from './daemon.ts'
import { dataOf, type Home, makeHome, neo } from './program.ts'

const inbox = (home: Home) => home.names('rooms/shop/inbox').filter((name) => name.endsWith('.md'))

test('a message becomes a file in the inbox, and what hinders its turn is said', async () => {
  const home = makeHome()
  const { code, out, err } = await home.neo('say', 'shop', 'Is the shop open?')
  const [name = ''] = inbox(home)
  expect([code, out]).toEqual([0, `rooms/shop/inbox/${name}\n`])
  expect(home.text(`rooms/shop/inbox/${name}`)).toMatch(
    /^---\nfrom: human\nat: .*\n---\nIs the shop open\?\n$/,
  )
  expect(err).toMatch(/No daemon is running[\s\S]*no model is configured/)
})

test('a password is masked before it is kept, and that is said', async () => {
  const home = makeHome()
  const { out, err } = await home.neo('say', 'shop', 'My password is blue horse. The error code is 404.')
  const text = home.text(out.trim())
  expect(text).toContain('My password is ***. The error code is 404.')
  expect(err).toContain('Masked before saving: password')
})

test('without a daemon nobody is waited for, and the message is kept', async () => {
  const home = makeHome()
  const { code, out, err } = await home.neo('say', 'shop', 'Is the shop open?', '--wait')
  expect([code, out]).toEqual([1, ''])
  expect(err).toMatch(/^neo: No reply yet: .*\nwhy: no daemon is running .*\nnext: neo watch/)
  expect(inbox(home)).toHaveLength(1)
})

test('with --wait the reply is printed once Neo has had his turn', async () => {
  const model = await startModel(({ last }) =>
    last.includes('open?') ? 'It is open until **six**.\n\nCome by.' : '',
  )
  const home = makeHome({ 'neo.yaml': model.config })
  const daemon = await watching(home)
  const { code, out, err } = await home.neo('say', 'shop', 'Is the shop open?', '--wait', '--timeout', '1m')
  expect({ code, out, err }).toEqual({ code: 0, out: 'It is open until **six**.\n\nCome by.\n', err: '' })
  const again = await home.neo('say', 'shop', 'Still open?', '--wait', '--json')
  expect(dataOf(again)).toMatchObject({ room: 'shop', reply: expect.stringContaining('six') })
  await daemon.stop()
  expect(inbox(home)).toEqual([])
  expect(home.git('status', '--porcelain')).toBe('')
})

test('text comes from stdin, as it is', async () => {
  const home = makeHome()
  const text = 'Two lines:\n## Reply\n---\nand "quotes"\n'
  expect((await neo(['say', 'shop', '-', '--quiet', '--home', home.dir], { input: text })).code).toBe(0)
  expect(home.text(`rooms/shop/inbox/${inbox(home)[0]}`)).toContain(text)
})

test('a wait that is too short ends with 1, and the message still has its turn', async () => {
  const model = await startModel(() => 'Yes.')
  const home = makeHome({ 'neo.yaml': `${model.config}`.replace('settle: 0s', 'settle: 1h') })
  await watching(home)
  const { code, err } = await home.neo('say', 'shop', 'Open?', '--wait', '--timeout', '1s')
  expect(code).toBe(1)
  expect(err).toMatch(/why: Neo did not answer in time/)
})

test.each([
  [['say', 'nowhere', 'x'], 4],
  [['say', 'shop', ' '], 2],
  [['say', 'shop'], 2],
  [['say', 'shop', 'x', '--timeout', 'soon'], 2],
] as const)('neo %j ends with %i', async (words, code) => {
  const ended = await makeHome().neo(...words)
  expect([ended.code, ended.out]).toEqual([code, ''])
})
