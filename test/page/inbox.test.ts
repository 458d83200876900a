/** The inbox: what needs a person, decided in place. And the way in. */
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { SIZES, withBrowser } from './browser.ts'

const RUNBOOK = '---\nneo: { created_by: neo }\n---\n# Sweep <b>now</b>\n\n```sh\ntrue\n```\n'

withBrowser('the inbox', (browser) => {
  test('a request shows the exact command, and is approved with a click', async () => {
    const served = servedHome()
    served.home.task('sweep', RUNBOOK)
    const { page, wrong } = await browser.open(served)
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    const text = await page.locator('.request').textContent()
    expect(text).toContain('true')
    expect(text).not.toContain('decision: approved')
    await page.locator('.request').getByRole('link', { name: 'Sweep <b>now</b>' }).waitFor()
    await until(() => page.evaluate('document.title.startsWith("(1)")'))
    await page.waitForSelector('link[rel="icon"][href="/icon-needs-you.svg"]', { state: 'attached' })
    await approve.click()
    await until(() => served.home.status('sweep') === 'completed', 60_000)
    await page.waitForSelector('text=Nothing needs you.')
    await until(() => page.evaluate('document.title === "Neo Rooms"'))
    expect(wrong).toEqual([])
  })

  test('a denied request ends the task', async () => {
    const served = servedHome()
    served.home.task('sweep', RUNBOOK)
    const { page } = await browser.open(served)
    await page.getByRole('button', { name: 'Deny' }).click()
    await until(() => ['failed', 'cancelled'].includes(served.home.status('sweep')), 60_000)
    await page.locator('.request').waitFor({ state: 'detached' })
  })

  test('reviews, tasks for you, blocked ones, failures and problems are there, as in neo status', async () => {
    const served = servedHome({
      'rooms/shop/tasks/b.md': '---\nstatus: blocked\n---\n# Stuck\n',
      'rooms/shop/tasks/t.md': '---\ntitel: draft\nstatus: draft\n---\n# Typo\n',
    })
    served.home.task('h', '---\nworker: human\n---\n# Call the shop\n')
    served.home.task('f', '---\nworker: shell\n---\n# Breaks\n\n```sh\nexit 3\n```\n')
    served.home.task(
      'r',
      '---\nworker: shell\nreview: branch\n---\n# Write it\n\n```sh\necho x > r.txt\n```\n',
    )
    const { page, wrong } = await browser.open(served)
    const sections = [
      ['Reviews', 'Write it'],
      ['Assigned to you', 'Call the shop'],
      ['Blocked', 'Stuck'],
      ['Failed', 'Breaks'],
      ['Problems in files', 'unknown key "titel"'],
    ] as const
    for (const [section, title] of sections)
      await page.getByRole('region', { name: section }).getByText(title).first().waitFor()
    await page.getByRole('button', { name: 'Mark as done' }).click()
    await until(() => served.home.status('h') === 'completed')
    await page.getByRole('region', { name: 'Assigned to you' }).waitFor({ state: 'detached' })
    expect(wrong).toEqual([])
  })

  test('a long list shows some, and more on demand', async () => {
    const tasks = Array.from({ length: 90 }, (_, at) => [
      `rooms/shop/tasks/s${at}.md`,
      `---\nstatus: blocked\n---\n# Stuck ${at}\n`,
    ])
    const { page } = await browser.open(servedHome(Object.fromEntries(tasks)))
    const rows = page.getByRole('region', { name: 'Blocked' }).getByRole('article')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(20)
    await page.getByRole('button', { name: '50 more of 70' }).click()
    expect(await rows.count()).toBe(70)
    await page.getByRole('button', { name: '20 more' }).click()
    expect(await rows.count()).toBe(90)
  })

  test('a file with a problem opens at its line, and is mended there', async () => {
    const served = servedHome({ 'rooms/shop/tasks/t.md': '---\ntitel: draft\nstatus: draft\n---\n# Typo\n' })
    const { page } = await browser.open(served)
    await page.getByRole('link', { name: 'Open file' }).click()
    await page.locator('.cm-focused').waitFor()
    await page.keyboard.type('labels: [a]')
    await page.waitForSelector('text=No problems.')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await until(() => served.home.read('rooms/shop/tasks/t.md').includes('labels: [a]'))
    expect(served.home.read('rooms/shop/tasks/t.md')).not.toContain('titel')
  })

  test('a used link says so, and who is not signed in sees nothing', async () => {
    const served = servedHome()
    const link = (await served.door()).link()
    const { page } = await browser.open(served)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForSelector("text=You're not signed in")
    await page.goto('about:blank')
    await page.goto(link)
    await page.waitForSelector('.app')
    const { page: other } = await browser.blank()
    await other.goto(link)
    await other.waitForSelector('text=This link was used')
    expect(await other.content()).not.toContain('Shop')
  })

  test('after signing in, the address that was asked for opens', async () => {
    const served = servedHome({ 'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# Draft of a plan\n' })
    const door = await served.door()
    const { page } = await browser.open(served)
    const { page: other } = await browser.blank()
    const code = new URL(door.link()).hash
    await other.goto(`${door.url}/room/shop${code}`)
    await other.waitForSelector('text=Draft of a plan')
    expect(new URL(other.url()).pathname).toBe('/room/shop')
    expect(other.url()).not.toContain('code')
    await page.context().close()
  })

  test.each(Object.entries(SIZES))('nothing is wider than the screen on a %s', async (_, viewport) => {
    const served = servedHome({
      'rooms/shop/ROOM.md': `---\nname: ${'Wide'.repeat(30)}\n---\n`,
      'rooms/shop/tasks/a.md': `---\nstatus: blocked\n---\n# ${'word'.repeat(60)}\n`,
    })
    for (const at of ['/', '/rooms', '/room/shop', '/room/shop/list', '/settings']) {
      const { page } = await browser.open(served, { viewport, at })
      onTestFinished(() => page.close())
      await page.waitForSelector('.view h1')
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect([at, width]).toEqual([at, expect.toSatisfy((value: number) => value <= viewport.width)])
    }
  })
})
