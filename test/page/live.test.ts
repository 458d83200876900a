/** The live connection: the daemon ends and starts again, and the page goes on. */
import { expect, test } from 'vitest'
import { servedHome } from '../servers/served-home.ts'
import { withBrowser } from './browser.ts'

const DRAFT = '---\nstatus: draft\n---\n# Draft of a plan\n'

withBrowser('the live connection', (browser) => {
  test('after an interruption the page shows what has changed, and keeps what was typed', async () => {
    const served = servedHome({ 'rooms/shop/tasks/a.md': DRAFT })
    const { page } = await browser.open(served, { at: '/room/shop' })
    await page.getByText('Draft of a plan').waitFor()
    await page.getByLabel('Filter by text').fill('a')
    await page.context().setOffline(true)
    await page.evaluate("dispatchEvent(new Event('offline'))")
    served.home.task('b', DRAFT.replace('Draft of a plan', 'Another'))
    await page.context().setOffline(false)
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.getByText('Another').waitFor()
    expect(await page.getByLabel('Filter by text').inputValue()).toBe('a')
  })

  test('typed text survives a reload', async () => {
    const served = servedHome()
    const { page } = await browser.open(served, { at: '/chat/lobby' })
    await page.getByLabel('Message to Neo').fill('What is next?')
    await page.reload()
    expect(await page.getByLabel('Message to Neo').inputValue()).toBe('What is next?')
  })
})
