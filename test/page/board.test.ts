/** A room on the page: board, list, graph, filters; tasks are created, moved, edited and deleted. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { withBrowser } from './browser.ts'

const DRAFT = '---\nstatus: draft\nlabels: [ui]\n---\n# Draft of a plan\n\nSome **text**.\n'

withBrowser('a room', (browser) => {
  test('what is saved by hand shows by itself, in the column of its status', async () => {
    const served = servedHome({ 'rooms/shop/tasks/a.md': DRAFT })
    const { page, wrong } = await browser.open(served, { at: '/room/shop' })
    await page.getByRole('region', { name: 'Draft' }).getByText('Draft of a plan').waitFor()
    served.home.task('b', '---\nstatus: blocked\n---\n# <img src=x onerror=alert(1)> & "quotes"\n')
    const blocked = page.getByRole('region', { name: 'Blocked' })
    await blocked.getByText('<img src=x onerror=alert(1)> & "quotes"').waitFor()
    expect(await page.locator('img').count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('two browsers show the same after one of them changes a task', async () => {
    const served = servedHome({ 'rooms/shop/tasks/a.md': DRAFT })
    const [one, two] = [
      await browser.open(served, { at: '/room/shop' }),
      await browser.open(served, { at: '/room/shop' }),
    ]
    await one.page.getByText('Draft of a plan').click()
    await one.page.getByRole('button', { name: 'Cancel task' }).click()
    await two.page.getByRole('region', { name: 'Cancelled' }).getByText('Draft of a plan').waitFor()
  })

  test('a task is created with c, and opens beside the board', async () => {
    const served = servedHome()
    const { page } = await browser.open(served, { at: '/room/shop' })
    await page.waitForSelector('.board')
    await page.keyboard.press('c')
    await page.getByLabel('Title').fill('Call the printer')
    await page.getByRole('button', { name: 'Save as draft' }).click()
    await page.locator('.panel').getByRole('heading', { name: 'Call the printer' }).waitFor()
    await page.getByRole('region', { name: 'Draft' }).getByText('Call the printer').waitFor()
    expect(new URL(page.url()).pathname).toMatch(/^\/task\/t-/)
    await page.keyboard.press('Escape')
    await page.locator('.panel').waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/room/shop')
    await page.goBack()
    await page.locator('.panel').waitFor()
  })

  test('a script without commands is not started, and can be saved as a draft', async () => {
    const served = servedHome({ 'rooms/shop/ROOM.md': '---\nname: Shop\nworker: shell\n---\n' })
    const { page } = await browser.open(served, { at: '/room/shop' })
    await page.waitForSelector('.board')
    await page.keyboard.press('c')
    await page.getByPlaceholder('shell (of the room)').waitFor()
    await page.getByLabel('Title').fill('Tidy up')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('This task runs a script, and has none.').waitFor()
    await page.getByRole('button', { name: 'Save as draft' }).click()
    await page.getByRole('region', { name: 'Draft' }).getByText('Tidy up').waitFor()
  })

  test('a card is moved with the keyboard, and with the mouse', async () => {
    const served = servedHome({ 'rooms/shop/tasks/a.md': DRAFT.replace('draft', 'completed') })
    served.home.task('h', '---\nworker: human\nstatus: draft\n---\n# Think\n')
    const { page } = await browser.open(served, { at: '/room/shop' })
    // Before it has an id, the card is another one, and takes the focus with it.
    const card = page.locator('.board-card[href^="/task/t-"]', { hasText: 'Think' })
    await card.focus()
    await page.keyboard.press(']')
    await until(() => served.home.status('h') === 'in_progress')
    await page.getByRole('region', { name: 'In progress' }).getByText('Think').waitFor()
    await card.dragTo(page.getByRole('region', { name: 'Completed' }))
    await until(() => served.home.status('h') === 'completed')
  })

  test('filters are in the address, and a filtered list comes back with it', async () => {
    const served = servedHome({
      'rooms/shop/tasks/a.md': DRAFT,
      'rooms/shop/tasks/b.md': '---\nstatus: draft\nlabels: [api]\npriority: high\n---\n# Other\n',
    })
    const { page } = await browser.open(served, { at: '/room/shop/list' })
    await page.getByText('Other').waitFor()
    await page.getByLabel('Filter by label').selectOption('ui')
    await page.getByText('Other').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?label=ui')
    await page.reload()
    await page.getByText('Draft of a plan').waitFor()
    expect(await page.getByText('1 of 2 tasks').count()).toBe(1)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('Other').waitFor()
  })

  test('a task is edited: its text, and a key of its header by its description', async () => {
    const served = servedHome({ 'rooms/shop/tasks/a.md': DRAFT })
    await until(() => served.home.neo('a', 'id') !== undefined)
    const { page } = await browser.open(served, { at: '/task/a' })
    await page.getByRole('tab', { name: 'Edit' }).click()
    await page.getByLabel('Title').fill('Plan')
    await page.getByLabel('Description').fill('Other *text*.')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('.markdown em', { hasText: 'text' }).waitFor()
    await page.getByLabel(/Tasks with a higher priority/).selectOption('urgent')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await until(() => served.home.text('a').includes('Other *text*.'))
    expect(served.home.text('a')).toContain('priority: urgent')
    await page.getByRole('heading', { name: 'Plan', exact: true, level: 1 }).waitFor()
    await page.getByRole('tab', { name: 'History' }).click()
    await page.locator('.event').first().waitFor()
  })

  test('a task is deleted only after a second click', async () => {
    const served = servedHome({ 'rooms/shop/tasks/a.md': DRAFT })
    const { page } = await browser.open(served, { at: '/task/a' })
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.waitForSelector('text=Nothing needs you.')
    expect(existsSync(join(served.home.dir, 'rooms/shop/tasks/a.md'))).toBe(false)
  })

  test('a pending card says which task it waits for, also one that the filter hides', async () => {
    const served = servedHome({
      'rooms/shop/tasks/a.md': DRAFT,
      'rooms/shop/tasks/b.md': '---\ndepends_on: [a]\n---\n# After it\n',
    })
    const { page } = await browser.open(served, { at: '/room/shop?q=after' })
    const column = page.getByRole('region', { name: 'Pending' })
    await column.getByText('waits for Draft of a plan').waitFor()
    served.home.task('a', DRAFT.replace('draft', 'completed'))
    await column.getByText('waits for').waitFor({ state: 'detached' })
  })

  test('the graph draws what depends on what', async () => {
    const served = servedHome({
      'rooms/shop/tasks/a.md': DRAFT,
      'rooms/shop/tasks/b.md': '---\nstatus: draft\ndepends_on: [a]\n---\n# After it\n',
    })
    const { page } = await browser.open(served, { at: '/room/shop/graph' })
    await page.locator('.node', { hasText: 'After it' }).waitFor()
    expect(await page.locator('.node').count()).toBe(2)
    expect(await page.locator('.edge').count()).toBe(1)
  })
})
