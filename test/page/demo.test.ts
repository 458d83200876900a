/** The home of `npm run demo`, which the pictures show: what needs a person in it, and its views. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openHome } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { withBrowser } from './browser.ts'

const VIEWS = [
  '/room/release',
  '/room/website/sessions',
  '/room/website/about',
  '/schedules',
  '/memory',
  '/activity',
]

function demoHome() {
  const dir = mkdtempSync(join(tmpdir(), 'neo-demo-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const home = join(dir, 'home')
  execFileSync(process.execPath, ['scripts/demo.mjs', home, '--no-watch'], { stdio: 'ignore' })
  // It runs for ten minutes, also after this test.
  rmSync(join(home, 'rooms/release/tasks/long-check.md'))
  return servedHome({}, { home: openHome(home) })
}

withBrowser('the demo home', (browser) => {
  test('shows what needs a person, and its views have no violations', async () => {
    const served = demoHome()
    const { page, wrong } = await browser.open(served)
    for (const section of ['Requests', 'Reviews', 'Assigned to you', 'Failed', 'Problems in files'])
      await page
        .getByRole('region', { name: section })
        .waitFor()
        .catch(async (error: Error) => {
          const said = served.watching.events.map(({ kind, text }) => `${kind} ${text}`).join('\n')
          const shown = await page.locator('body').textContent()
          throw new Error(
            `${error.message}\nThe daemon said:\n${said}\nThe page shows:\n${shown}\n${wrong.join('\n')}`,
          )
        })
    for (const at of VIEWS) {
      await page.goto(new URL(at, page.url()).href)
      await page.waitForSelector('.app[data-connection="live"]')
      await page.locator('main h1').first().waitFor()
      expect([at, await violations(page)]).toEqual([at, []])
    }
    expect(wrong).toEqual([])
  })
})
