/** Every view, in both themes and two sizes: no violation that axe finds, nothing wider than the screen, no error. */
import { expect, test } from 'vitest'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { SIZES, withBrowser } from './browser.ts'

const AT = '2026-03-01T09:00:00Z'
const FILES = {
  'rooms/shop/tasks/a.md':
    '---\nstatus: draft\nlabels: [ui]\npriority: high\n---\n# Plan\n\n- [ ] one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'rooms/shop/tasks/b.md': '---\nstatus: draft\ndepends_on: [a]\n---\n# After it\n',
  'rooms/shop/tasks/s.md': '---\nstatus: blocked\n---\n# Stuck\n',
  'rooms/shop/tasks/t.md': '---\ntitel: draft\nstatus: draft\n---\n# Typo\n',
  'rooms/shop/schedules/daily.md': '---\ncron: "0 9 * * 1-5"\n---\nLook at it.\n',
  'rooms/shop/memories/m.md': `---\ntype: note\ntags: [x]\nneo: { id: m-aaaaaa, created_at: ${AT}, created_by: human }\n---\nA **note**\n`,
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}
const VIEWS = [
  ['/', 'Inbox'],
  ['/rooms', 'Rooms'],
  ['/room/shop', 'Shop'],
  ['/room/shop/list', 'Shop'],
  ['/room/shop/graph', 'Shop'],
  ['/task/a', 'Plan'],
  ['/file/rooms/shop/tasks/t.md', 'rooms/shop/tasks/t.md'],
  ['/chat/shop', 'Chat'],
  ['/schedules', 'Schedules'],
  ['/memory', 'Memory'],
  ['/agents', 'Agents'],
  ['/activity', 'Activity'],
  ['/settings', 'Settings'],
  ['/settings/people', 'Settings'],
  ['/settings/account', 'Settings'],
  ['/activity/usage', 'Activity'],
  ['/settings/config', 'Settings'],
] as const

withBrowser('every view', (browser) => {
  for (const [size, viewport] of Object.entries(SIZES))
    for (const colorScheme of ['light', 'dark'] as const)
      test(`is accessible, and fits, in ${colorScheme} on a ${size}`, async () => {
        const served = servedHome(FILES)
        const { page, wrong } = await browser.open(served, { viewport, colorScheme })
        const { url } = await served.door()
        for (const [at, heading] of VIEWS) {
          await page.goto(new URL(at, url).href)
          await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
          await page.waitForSelector('main:not(:has([aria-busy="true"]))')
          const width = await page.evaluate('document.documentElement.scrollWidth')
          expect([at, width, await violations(page)]).toEqual([at, viewport.width, []])
        }
        expect(wrong).toEqual([])
      })

  test('an unknown address says so, and leads back', async () => {
    const { page } = await browser.open(servedHome())
    await page.evaluate("history.pushState(null, '', '/room'); dispatchEvent(new PopStateEvent('popstate'))")
    await page.getByRole('link', { name: 'Go to the inbox' }).click()
    await page.waitForSelector('text=Nothing needs you.')
  })
})
