/** neo schedule list, next, run: on a home that no daemon and no model looks after. */
import { describe, expect, test } from 'vitest'
import { dataOf, makeHome } from './program.ts'

const NEO = 'neo: { id: c-abc123, created_at: 2026-01-01T00:00:00Z, created_by: human }'
const FILES = {
  'neo.yaml': 'timezone: Europe/Paris\n',
  'rooms/shop/schedules/nightly.md': `---\ncron: "30 2 * * *"\nworker: shell\n${NEO}\n---\n# Tidy up\n\n\`\`\`sh\ntrue\n\`\`\`\n`,
  'rooms/shop/schedules/remind.md':
    '---\ncron: "0 9 1 1 *"\ntimezone: Asia/Tokyo\nkind: message\n---\nLook around.\n',
  'rooms/shop/schedules/paused.md': '---\nevery: 30m\nstatus: paused\n---\nx\n',
  'rooms/shop/schedules/never.md': '---\ncron: "0 0 31 2 *"\n---\nx\n',
  'rooms/lobby/schedules/remind.md': '---\nat: 2020-01-01T09:00\nstatus: done\nkind: message\n---\nx\n',
}

describe('neo schedule', () => {
  test('list shows each with its next run, and what is wrong with the others', async () => {
    const home = makeHome(FILES)
    const { code, out, err } = await home.neo('schedule', 'list')
    expect(code).toBe(0)
    expect(out).toMatch(/shop\/nightly +active +task +cron 30 2 \* \* \* +next \d{4}-/)
    expect(out).toMatch(/shop\/paused +paused +task +every 30m/)
    expect(out).toMatch(/shop\/never +broken/)
    expect(err).toContain('never runs')
    const data = dataOf(await home.neo('schedule', 'list', '--json', '--room', 'shop'))
    expect(data).toMatchObject([
      { name: 'never', next: null, problems: [{ code: 'cron', line: 2 }] },
      { name: 'nightly', id: 'c-abc123', kind: 'task', timezone: 'Europe/Paris', last: null, state: 'on' },
      { name: 'paused', state: 'off', next: null },
      { name: 'remind', timezone: 'Asia/Tokyo', kind: 'message' },
    ])
  })

  test('next gives the runs in order, in the zone of each', async () => {
    const home = makeHome(FILES)
    const data = dataOf(await home.neo('schedule', 'next', 'shop/nightly', '--count', '3', '--json')) as {
      readonly local: string
      readonly at: string
    }[]
    expect(data).toHaveLength(3)
    expect(data.map(({ at }) => at)).toEqual(data.map(({ at }) => at).toSorted())
    for (const { local } of data) expect(local).toMatch(/ 0[23]:[03]0:00$/)
    const all = dataOf(await home.neo('schedule', 'next', '--json')) as unknown[]
    expect(all).toHaveLength(5)
    expect(await home.neo('schedule', 'next', 'never')).toMatchObject({
      code: 1,
      err: expect.stringContaining('never runs'),
    })
  })

  test('run makes the task now, and leaves the times of the schedule as they are', async () => {
    const home = makeHome(FILES)
    const before = (dataOf(await home.neo('schedule', 'list', '--json')) as unknown[])[2]
    const { code, out } = await home.neo('schedule', 'run', 'nightly')
    expect(code).toBe(0)
    const text = home.text(out.trim())
    expect(text).toMatch(/^title: Tidy up \(\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?\)$/m)
    expect(text).toMatch(/^worker: shell$/m)
    expect(text).toMatch(/created_by: "?schedule:nightly"?$/m)
    expect((dataOf(await home.neo('schedule', 'list', '--json')) as unknown[])[2]).toEqual(before)
    expect((await home.neo('run')).code).toBe(0)
    expect(home.text(out.trim())).toMatch(/^status: completed$/m)
  })

  test('run makes the message of a schedule with kind: message', async () => {
    const home = makeHome(FILES)
    const { out } = await home.neo('schedule', 'run', 'shop/remind')
    expect(out.trim()).toMatch(/^rooms\/shop\/inbox\/remind--run-\d{8}T\d{6}Z\.md$/)
    expect(home.text(out.trim())).toEqual(
      expect.stringMatching(/^---\nfrom: schedule:[\w-]+\n---\nLook around\.\n$/),
    )
  })

  test.each([
    [['run', 'remind'], 2, 'use one of lobby/remind, shop/remind'],
    [['run', 'nothing'], 4, 'no schedule has this name'],
    [['run', '../../neo'], 4, 'no schedule has this name'],
    [['next', '--count', 'x'], 2, 'use a whole number'],
    [['list', '--room', 'nowhere'], 4, 'no folder'],
  ])('%j ends with %d and says why', async (args, code, words) => {
    const ended = await makeHome(FILES).neo('schedule', ...args)
    expect([ended.code, ended.err]).toEqual([code, expect.stringContaining(words)])
  })
})
