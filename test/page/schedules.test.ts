/** Schedules on the page: their next runs, what came of the last ones, and each thing that is done with them. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { SIZES, withBrowser } from './browser.ts'
import { openAs } from './member-page.ts'

const AT = '2026-03-01T09:00:00Z'
const DAILY = 'rooms/shop/schedules/daily.md'
const text = (more: string, id = 'c-aaaaaa') =>
  `---\n${more}\nneo: { id: ${id}, created_at: ${AT}, created_by: human }\n---\nLook at it.\n`
const FILES = {
  [DAILY]: text('cron: "0 9 * * *"\nworker: human\ntimezone: Asia/Tokyo'),
  'rooms/shop/tasks/old.md': `---\ntitle: Look (old)\nstatus: failed\nlabels: ["schedule:daily"]\nneo: { id: t-aaaaaa, created_at: ${AT}, created_by: human, error: It was closed }\n---\nLook.\n`,
  'rooms/shop/schedules/wrong.md': '---\ncron: often\n---\nLook.\n',
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/desk/schedules/ask.md': text('every: 3h\nkind: message', 'c-bbbbbb'),
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}
const card = (page: Page, name: string) => page.getByRole('article', { name: `Schedule ${name}` })

withBrowser('schedules', (browser) => {
  test('show the next runs of all rooms on one axis, and what came of the last ones', async () => {
    const served = servedHome(FILES)
    const { page, wrong } = await browser.open(served, { at: '/schedules' })
    const daily = page.getByRole('list', { name: 'Next runs of daily: At 09:00, every day' })
    await daily.getByRole('button').nth(6).waitFor()
    await page.getByRole('list', { name: 'Next runs of ask: Every 3 hours' }).waitFor()
    await card(page, 'daily').getByRole('link', { name: 'Failed' }).waitFor()
    await card(page, 'daily').getByText('It was closed').waitFor()
    await card(page, 'daily').getByText('in Asia/Tokyo').waitFor()
    await page.getByText("It doesn't run, because its file can't be read").waitFor()
    await daily.getByRole('button').first().focus()
    await page.keyboard.press('ArrowRight')
    const second = await daily.getByRole('button').nth(1).getAttribute('aria-label')
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe(second)
    await page.getByLabel('Room', { exact: true }).selectOption('desk')
    await card(page, 'daily').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?room=desk')
    expect(wrong).toEqual([])
  })

  test('are run, paused and resumed, and change with a file that is edited by hand', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/schedules' })
    const daily = card(page, 'daily')
    await daily.getByRole('button', { name: 'Run now' }).click()
    await page.getByText('daily: a task was created.').waitFor()
    await daily.getByRole('link', { name: /In progress|Pending|Blocked/ }).waitFor()
    await daily.getByRole('button', { name: 'Pause' }).click()
    await daily.getByText('Paused').waitFor()
    await daily.getByRole('button', { name: 'Resume' }).click()
    await daily.getByRole('button', { name: 'Pause' }).waitFor()
    served.home.write('rooms/desk/schedules/ask.md', text('every: 5h\nkind: message', 'c-bbbbbb'))
    await card(page, 'ask').getByText('Every 5 hours').waitFor()
  })

  test('are created in a chosen room, with the time explained as it is typed', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/schedules' })
    await page.getByRole('button', { name: 'New schedule' }).click()
    const dialog = page.getByRole('dialog', { name: 'New schedule' })
    await dialog.getByLabel('Name').fill('evening')
    await dialog.getByLabel('Room').selectOption('desk')
    await dialog.getByLabel('When').fill('0 25 * * *')
    await dialog.getByText('invalid cron "0 25 * * *": 25 is not a valid hour').waitFor()
    expect(await dialog.getByRole('button', { name: 'Create' }).isDisabled()).toBe(true)
    await dialog.getByLabel('When').fill('0 21 * * 5')
    await dialog.getByText('At 21:00, only on Friday').waitFor()
    await dialog.getByRole('list', { name: 'Next runs' }).getByRole('listitem').nth(2).waitFor()
    await dialog.getByRole('textbox', { name: /^Task/ }).fill('# Close up')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create' }).click()
    await card(page, 'evening').getByText('At 21:00, only on Friday').waitFor()
    await card(page, 'evening').getByRole('link', { name: 'desk' }).waitFor()
  })

  test('are changed, with only the lines that differ, and deleted with a second press', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/schedules' })
    await card(page, 'daily').getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Schedule daily' })
    await dialog.getByRole('combobox', { name: /^Runs/ }).selectOption('every')
    await dialog.getByLabel('When').fill('6h')
    await dialog.getByText('Every 6 hours').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await card(page, 'daily').getByText('Every 6 hours').waitFor()
    expect(served.home.read(DAILY)).toMatch(
      /worker: human\ntimezone: Asia\/Tokyo\nevery: 6h\nneo: [\s\S]*Look at it/,
    )
    await card(page, 'daily').getByRole('button', { name: 'Edit' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await card(page, 'daily').waitFor({ state: 'detached' })
    expect(served.home.has(DAILY)).toBe(false)
  })

  test('of other rooms are not shown to a member, who is offered what they may do', async () => {
    const served = servedHome(FILES)
    const { page } = await openAs(browser, served, { member: 'kim', at: '/schedules' })
    await card(page, 'daily').getByRole('button', { name: 'Run now' }).click()
    await page.getByText('daily: a task was created.').waitFor()
    expect(await page.content()).not.toContain('Every 3 hours')
    expect(await page.getByRole('button', { name: /Pause|Edit/ }).count()).toBe(0)
  })

  test.each(['light', 'dark'] as const)(
    'are accessible, and a list on a phone, in %s',
    async (colorScheme) => {
      const served = servedHome(FILES)
      const { page } = await browser.open(served, { at: '/schedules', colorScheme, viewport: SIZES.phone })
      const list = page.getByRole('list', { name: 'Next runs of all schedules' })
      await list.getByRole('listitem').nth(2).waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width)
      expect(await violations(page)).toEqual([])
      await page.setViewportSize(SIZES.desk)
      await page.getByRole('list', { name: /^Next runs of daily/ }).waitFor()
      expect(await violations(page)).toEqual([])
    },
  )
})
