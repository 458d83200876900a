/** Usage on the page: figures, chart and table, by day, room and model. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { makeHome } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { SIZES, withBrowser } from './browser.ts'
import { openAs } from './member-page.ts'

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().replace(/\.\d+Z/, 'Z')
const FILES = {
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/shop/sessions/s-aaaaaa.md': `---\nid: s-aaaaaa\ntask: t-aaaaaa\nworker: shell\nstatus: failed\nstarted_at: ${ago(1)}\nended_at: ${ago(1)}\n---\nDone.\n`,
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}
const CALLS = [
  { room: 'shop', model: 'x/one', input: 1_000, at: ago(0) },
  { room: 'desk', model: 'x/two', input: 3_000, at: ago(2) },
  { room: 'desk', model: 'x/two', input: 5_000, at: ago(40) },
]

async function usedHome() {
  const home = makeHome(FILES)
  const folder = join(home.dir, '.git/neo/usage')
  mkdirSync(folder, { recursive: true })
  for (const [index, { room, model, input, at }] of CALLS.entries()) {
    const tokens = { input, cache_read: 0, cache_write: 0, output: 0, usd: input / 1_000, source: 'told' }
    const of = { v: 1, key: `k${index}`, at, room, task: null, session: null, kind: 'neo', model }
    writeFileSync(join(folder, `${at.slice(0, 7)}.jsonl`), `${JSON.stringify({ ...of, ...tokens })}\n`, {
      flag: 'a',
    })
  }
  return servedHome({}, { home, world: await composeWorld(home.dir) })
}

withBrowser('usage', (browser) => {
  test('shows sums, a bar a day and the same in a table, and opens from its old address', async () => {
    const served = await usedHome()
    const { page, wrong } = await browser.open(served, { at: '/settings/usage' })
    await page.getByRole('button', { name: 'Tokens 4,000' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/activity/usage')
    await page.getByRole('button', { name: 'Failures 1 (100 %)' }).click()
    await page.getByRole('slider', { name: /^Failures a day/ }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText(/: failures 1 \(100 %\) \(shop/).waitFor()
    await page.getByLabel('Days', { exact: true }).selectOption('90')
    await page.getByRole('button', { name: 'Tokens 9,000' }).waitFor()
    expect(new URL(page.url()).search).toBe('?figure=failures&days=90')
    expect(wrong).toEqual([])
  })

  test('sorts its table by any column, by room or model too', async () => {
    const served = await usedHome()
    const { page } = await browser.open(served, { at: '/activity/usage?split=model' })
    await page.getByRole('list', { name: 'Colours' }).getByText('x/two').waitFor()
    await page.getByRole('button', { name: 'Rooms' }).click()
    const rows = page.getByRole('rowheader')
    await rows.filter({ hasText: 'desk' }).waitFor()
    expect(await rows.allTextContents()).toEqual(['desk', 'shop', 'Total'])
    await page.getByRole('table').getByRole('button', { name: 'Runs' }).click()
    await page
      .getByRole('columnheader', { name: 'Runs' })
      .and(page.locator('[aria-sort="descending"]'))
      .waitFor()
    expect(await rows.allTextContents()).toEqual(['shop', 'desk', 'Total'])
  })

  test('of other rooms is not shown to a member', async () => {
    const served = await usedHome()
    const { page } = await openAs(browser, served, { member: 'kim', at: '/activity/usage' })
    await page.getByRole('button', { name: 'Tokens 1,000' }).waitFor()
    expect(await page.locator('main').textContent()).not.toMatch(/desk|x\/two/)
  })

  test.each(['light', 'dark'] as const)('is accessible and fits a phone in %s', async (colorScheme) => {
    const served = await usedHome()
    const { page } = await browser.open(served, { at: '/activity/usage', colorScheme, viewport: SIZES.phone })
    await page.getByRole('button', { name: 'Tokens 4,000' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width)
    expect(await violations(page)).toEqual([])
    await page.setViewportSize(SIZES.desk)
    expect(await violations(page)).toEqual([])
  })

  test('says so if nothing ran', async () => {
    const { page } = await browser.open(servedHome(), { at: '/activity/usage' })
    await page.getByText('Nothing ran in the last 30 days.').waitFor()
  })
})
