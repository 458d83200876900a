/** Chat, schedules, memory, people: each action of these views once, over a real daemon. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { withBrowser } from './browser.ts'

withBrowser('talking and settings', (browser) => {
  test('a schedule is created, explained in words, paused, and runs now', async () => {
    const served = servedHome()
    const { page } = await browser.open(served, { at: '/schedules' })
    await page.getByRole('button', { name: 'New schedule' }).click()
    await page.getByLabel('Name').fill('morning')
    await page.getByLabel('Room').selectOption('shop')
    await page.getByLabel('When').fill('30 7 * * 1-5')
    await page.getByText('At 07:30, Monday through Friday').waitFor()
    await page.getByLabel('Text').fill('Look at the shop.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('At 07:30, Monday through Friday (30 7 * * 1-5)').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('paused').waitFor()
    const [file = ''] = readdirSync(join(served.home.dir, 'rooms/shop/schedules'))
    expect(served.home.read(`rooms/shop/schedules/${file}`)).toContain('status: paused')
    await page.getByRole('button', { name: 'Run now' }).click()
    await until(() => served.home.git('log', '--format=%s').includes('morning'))
  })

  test('a member is added, gets a token once, and is removed after a second click', async () => {
    const served = servedHome()
    const { page } = await browser.open(served, { at: '/settings/people' })
    await page.getByRole('button', { name: 'Add a member' }).click()
    await page.getByLabel('Id').fill('kim')
    await page.getByLabel('Rooms').fill('shop')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('kim · member · shop').waitFor()
    await page.getByRole('button', { name: 'Create token' }).click()
    expect(await page.getByRole('textbox', { name: 'Access token' }).inputValue()).toMatch(/^neo_me/)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('has a token').waitFor()
    await page.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('button', { name: 'Really remove?' }).click()
    await page.getByText('No members yet.').waitFor()
  })

  test('the palette finds a room with the keyboard', async () => {
    const served = servedHome({ 'rooms/desk/ROOM.md': '---\nname: Desk\n---\n' })
    const { page } = await browser.open(served)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('desk')
    await page.getByRole('option', { name: /Desk/ }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Desk', level: 1 }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor()
  })
})
