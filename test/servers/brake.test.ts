/** The brake on Neo's own wakes: people and their schedules are answered meanwhile, and it is shown until when it holds. */
import { expect, test } from 'vitest'
import { neo } from '../cli/program.ts'
import { until } from '../path/home.ts'
import { startModel } from '../path/model.ts'
import { servedHome } from './served-home.ts'

test('ten wakes of its own hold Neo back, which status says, and a person or a schedule of theirs is answered', async () => {
  const model = await startModel(({ last }) => `I read ${/number (\w+)/.exec(last)?.[1] ?? 'nothing'}.`)
  const { home, door } = servedHome({ 'neo.yaml': model.config })
  await door()
  const put = (name: string, from: string) =>
    home.write(`rooms/shop/inbox/${name}.md`, `---\nfrom: ${from}\n---\nThis is number ${name}.\n`)
  const isAnswered = (name: string) => home.has(`rooms/shop/inbox/archive/${name}.md`)
  for (let n = 1; n <= 10; n++) {
    put(`own${n}`, 'neo')
    await until(() => isAnswered(`own${n}`))
  }
  put('own11', 'neo')
  const said = () => JSON.parse(home.read('.neo/daemon.json')) as { troubles: { part: string }[] }
  await until(() => said().troubles.some(({ part }) => part === 'neo shop'))
  // The daemon is asked: its file may be old, where the disk is full.
  home.write('.neo/daemon.json', JSON.stringify({ ...said(), troubles: [] }))
  const { out } = await neo(['status', '--home', home.dir])
  expect(out).toMatch(
    /neo shop +trouble +Neo was started 10 times .*; resumes at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/,
  )
  expect((await neo(['plan', '--home', home.dir])).out).toMatch(
    /neo shop +Neo was started 10 times .* at \d{4}-/,
  )
  expect(isAnswered('own11')).toBe(false)
  put('mine', 'human')
  await until(() => isAnswered('mine'))
  home.write(
    'rooms/shop/schedules/daily.md',
    `---\nat: ${new Date(Date.now() + 1_000).toISOString()}\nkind: message\n---\nThis is number daily.\n`,
  )
  await until(() => model.asked.some(({ last }) => last.includes('number daily')), 30_000)
})
