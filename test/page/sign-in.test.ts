/** Signed in over a restart of the daemon and after sleep; ended elsewhere; a deep address survives. */
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { freePort } from '../free-port.ts'
import { makeHome } from '../path/home.ts'
import { type ServedHome, servedHome } from '../servers/served-home.ts'
import { withBrowser } from './browser.ts'

const DRAFT = '---\nstatus: draft\n---\n# Draft of a plan\n'

async function again(home: ServedHome['home']): Promise<ServedHome> {
  return servedHome({}, { home, world: await composeWorld(home.dir) })
}

withBrowser('a sign-in', (browser) => {
  test('lasts over a restart: the page connects again by itself, shows what changed, keeps typed text', async () => {
    const port = await freePort()
    const home = makeHome({
      'neo.yaml': `daemon: { branch: main, settle: 0s }\nhttp: { port: ${port} }\n`,
      'rooms/shop/tasks/a.md': DRAFT,
    })
    const first = await again(home)
    const { page } = await browser.open(first, { at: '/room/shop' })
    await page.getByText('Draft of a plan').waitFor()
    await page.getByLabel('Filter by text').fill('a')
    await first.watching.stop()
    await page.waitForSelector('.app[data-connection="lost"]')
    await page.getByText("Can't reach Neo.").waitFor()
    home.task('b', DRAFT.replace('Draft of a plan', 'Another'))
    const second = await again(home)
    await second.door()
    await page.waitForSelector('.app[data-connection="live"]')
    await page.getByText('Another').waitFor()
    expect(await page.getByLabel('Filter by text').inputValue()).toBe('a')
    expect(await page.getByText("You're signed out").count()).toBe(0)
    await second.watching.stop()
  })

  test('ends in all other browsers with one button, and stays in this one', async () => {
    const served = servedHome()
    const { page: other } = await browser.open(served)
    const { page } = await browser.open(served, { at: '/settings/account' })
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByText('1 sign-in ended.').waitFor()
    await other.reload()
    await other.waitForSelector("text=You're not signed in")
    await page.reload()
    await page.waitForSelector('.app[data-connection="live"]')
  })

  test('by token opens the deep address that was asked for, with its filters', async () => {
    const served = servedHome({ 'rooms/shop/tasks/a.md': DRAFT })
    const { url } = await served.door()
    const { page } = await browser.blank()
    await page.goto(`${url}/room/shop/list?text=plan`)
    await page.getByLabel('Access token').fill(served.said().token ?? '')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Draft of a plan').waitFor()
    expect(page.url()).toBe(`${url}/room/shop/list?text=plan`)
  })
})
