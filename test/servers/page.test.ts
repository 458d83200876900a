/**
 * The page in a real browser, over a real daemon: signed in by a link, live, safe, and readable on a phone.
 * Without a browser on this machine (chromium, or NEO_BROWSER) these tests are skipped, and say so.
 */
import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../path/home.ts'
import { type ServedHome, servedHome } from './served-home.ts'

const PLACES = [
  process.env['NEO_BROWSER'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const executablePath = PLACES.find((path) => path !== '' && existsSync(path))
if (executablePath === undefined)
  process.stderr.write(
    'test: no browser here (chromium, or NEO_BROWSER): the tests of the page are skipped\n',
  )

const RUNBOOK = '---\nneo: { created_by: neo }\n---\n# Sweep <b>now</b>\n\n```sh\ntrue\n```\n'
const SIZES = { phone: { width: 360, height: 740 }, desk: { width: 1280, height: 800 } }

describe.skipIf(executablePath === undefined)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
  })
  afterAll(async () => await browser?.close())

  /** A page of its own, and what its console said that was wrong. */
  async function opened(served: ServedHome, viewport = SIZES.desk): Promise<{ page: Page; wrong: string[] }> {
    const context = await browser.newContext({ viewport })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const wrong: string[] = []
    page.on('pageerror', (error) => wrong.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error' && !/favicon|status of 401/.test(message.text()))
        wrong.push(message.text())
    })
    await page.goto((await served.door()).link())
    await page.waitForSelector('#line[data-state="live"]')
    return { page, wrong }
  }

  test('the page says what works, the index of memory too', async () => {
    const { page, wrong } = await opened(servedHome())
    await page.waitForSelector('[data-health="ok"]')
    expect(await page.locator('#health').textContent()).toContain('daemon: running')
    expect(wrong).toEqual([])
  })

  test('a link signs in and shows rooms and tasks; what is saved shows by itself, as text', async () => {
    const served = servedHome({ 'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# Draft of a plan\n' })
    const { page, wrong } = await opened(served)
    await page.waitForSelector('text=Shop')
    expect(page.url()).not.toContain('code')
    served.home.task('b', '---\nstatus: blocked\n---\n# <img src=x onerror=alert(1)> & "quotes"\n')
    await page.waitForSelector('text=<img src=x onerror=alert(1)> & "quotes"')
    expect(await page.locator('img').count()).toBe(0)
    await page.reload()
    await page.waitForSelector('text=Draft of a plan', { state: 'attached' })
    expect(wrong).toEqual([])
  })

  test('an ask is approved with a click, and what was asked for is done', async () => {
    const served = servedHome()
    served.home.task('sweep', RUNBOOK)
    const { page, wrong } = await opened(served)
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    expect(await page.locator('#asks').textContent()).not.toContain('decision: approved')
    await approve.click()
    await until(() => served.home.status('sweep') === 'completed', 60_000)
    await page.waitForSelector('text=Nothing needs you.')
    await page.waitForSelector('text=1 completed')
    expect(wrong).toEqual([])
  })

  test('what needs you is what neo status lists: reviews, tasks that are yours, blocked ones', async () => {
    const served = servedHome({ 'rooms/shop/tasks/b.md': '---\nstatus: blocked\n---\n# Stuck\n' })
    served.home.task('h', '---\nworker: human\n---\n# Call the shop\n')
    served.home.task(
      'r',
      '---\nworker: shell\nreview: branch\n---\n# Write it\n\n```sh\necho x > r.txt\n```\n',
    )
    const { page, wrong } = await opened(served)
    for (const text of ['blocked', 'assigned to you', 'review'])
      await page.waitForSelector(`#asks .need >> text=· ${text}`)
    expect(await page.locator('#asks .need').count()).toBe(3)
    expect(wrong).toEqual([])
  })

  test('a used link says so, and nobody who is not signed in sees anything', async () => {
    const served = servedHome()
    const door = await served.door()
    const link = door.link()
    const { page } = await opened(served)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForSelector("text=You're not signed in")
    await page.goto('about:blank')
    await page.goto(link)
    await page.waitForSelector('#line')
    const other = await (await browser.newContext()).newPage()
    onTestFinished(() => other.context().close())
    await other.goto(link)
    await other.waitForSelector('text=This link was used')
    expect(await other.content()).not.toContain('Shop')
  })

  test.each(Object.entries(SIZES))('nothing is wider than the screen on a %s', async (_, size) => {
    const served = servedHome({
      'rooms/shop/ROOM.md': `---\nname: ${'Wide'.repeat(30)}\n---\n`,
      'rooms/shop/tasks/a.md': `---\nstatus: blocked\n---\n# ${'word'.repeat(60)}\n`,
    })
    const { page } = await opened(served, size)
    await page.waitForSelector('text=wordword')
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(size.width)
  })
})
