/** The palette and the keys: what they find and do, without a mouse. */
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { withBrowser } from './browser.ts'
import { signIn } from './members.ts'

const task = (title: string, status: string) => `---\nstatus: ${status}\nworker: human\n---\n# ${title}\n`
const FILES = {
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/desk/tasks/secret.md': task('Secret of the desk', 'draft'),
  'rooms/shop/tasks/a.md': task('Paint the door', 'draft'),
  'rooms/shop/tasks/b.md': task('Paint the wall', 'draft'),
  'rooms/shop/memories/m.md': '---\ntype: note\n---\nThe paint is in the cellar.\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}

withBrowser('palette and keys', (browser) => {
  test('the palette finds a task by what is typed, opens it, and shows it first the next time', async () => {
    const served = servedHome(FILES)
    const { page, wrong } = await browser.open(served)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('wall')
    await page.getByRole('option', { name: /Paint the wall/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Paint the wall' }).first().waitFor()
    await page.keyboard.press('Control+k')
    const first = page.getByRole('option').first()
    await first.getByText('Paint the wall').waitFor()
    expect(await first.getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowDown')
    expect(await first.getAttribute('aria-selected')).toBe('false')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('combobox').count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('the palette finds a room with the keyboard, and g with a letter goes to a view', async () => {
    const served = servedHome(FILES)
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

  test('the palette acts: a room is paused, a task starts, a new task is created', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served)
    const run = async (typed: string, name: string | RegExp) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill(typed)
      await page.getByRole('option', { name }).first().waitFor()
      await page.keyboard.press('Enter')
    }
    await run('start door', 'Start: Paint the door')
    await until(() => /status: (?:pending|in_progress)/.test(served.home.read('rooms/shop/tasks/a.md')))
    await run('pause room desk', 'Pause room Desk')
    await until(() => served.home.read('rooms/desk/ROOM.md').includes('status: paused'))
    await run('new task in shop', /New task in Shop/)
    await page.getByLabel('Title').fill('From the palette')
    await page.getByLabel('Description').fill('```sh\ntrue\n```')
    await page.getByRole('button', { name: 'Create', exact: false }).first().click()
    await page.getByRole('heading', { name: 'From the palette' }).first().waitFor()
  })

  test('memories and people are found too', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/memory?q=cellar' })
    await page.locator('mark', { hasText: 'cellar' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('kim')
    await page.getByRole('option', { name: /Kim/ }).waitFor()
    await page.getByRole('combobox').fill('cellar')
    await page.getByRole('option', { name: /The paint is in the cellar/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.memory-entry[aria-current]', { hasText: 'cellar' }).waitFor()
  })

  test('a question mark shows the keys; Esc closes them, and the focus returns', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served)
    await page.getByRole('link', { name: 'Rooms', exact: true }).first().focus()
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keys' })
    await help.getByText('Next row').waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await help.waitFor({ state: 'detached' })
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Rooms')
  })

  test('j, k, arrows and Enter move through the inbox and a list', async () => {
    const served = servedHome({
      ...FILES,
      'rooms/shop/tasks/c.md': task('First of mine', 'in_progress'),
      'rooms/shop/tasks/d.md': task('Second of mine', 'in_progress'),
    })
    const { page } = await browser.open(served)
    // A row without an id is another one than the same with it, and would take the focus along.
    for (const name of ['First of mine', 'Second of mine'])
      await page.locator('.card', { hasText: name }).locator('a[href^="/task/t-"]').first().waitFor()
    const focused = () => page.evaluate<string>("document.activeElement.textContent ?? ''")
    await page.keyboard.press('j')
    const one = await focused()
    await page.keyboard.press('ArrowDown')
    const two = await focused()
    expect([one, two].every((text) => / of mine/.test(text)) && one !== two).toBe(true)
    await page.keyboard.press('k')
    expect(await focused()).toBe(one)
    await page.keyboard.press('Enter')
    await page
      .locator('.panel')
      .getByRole('heading', { name: / of mine/ })
      .first()
      .waitFor()
    await page.goto(new URL('/room/shop/list', page.url()).href)
    await page.locator('.list-row').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    const row = await focused()
    await page.keyboard.press('Enter')
    await page.locator('.panel').waitFor()
    expect(row).toMatch(/Paint|of mine/)
  })

  test('a member finds only what is theirs', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.blank()
    await signIn(page, served, { member: 'kim', at: '/' })
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('the')
    await page.getByRole('option', { name: /Paint the door/ }).waitFor()
    expect(await page.getByRole('option', { name: /desk/i }).count()).toBe(0)
    await page.getByRole('combobox').fill('pause')
    await page.getByText('Nothing found.').waitFor()
  })
})
