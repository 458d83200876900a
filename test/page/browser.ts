/**
 * A real browser for the tests of the page: Chromium without the parts that only a window needs, where it is there; that
 * halves what these tests take. `withBrowser` skips its tests plainly if there is no browser (or NEO_BROWSER).
 */
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import type { ServedHome } from '../servers/served-home.ts'
import { MOMENT_MS } from '../wait.ts'

const PLACES = [
  process.env['NEO_BROWSER'] ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const executablePath = PLACES.find((path) => path !== '' && existsSync(path))

export const SIZES = { phone: { width: 390, height: 800 }, desk: { width: 1280, height: 800 } }

export interface Opened {
  readonly page: Page
  /** What the console and the page said that was wrong. */
  readonly wrong: string[]
}

export interface TestBrowser {
  /** A signed-in page in a context of its own. */
  open(served: ServedHome, options?: BrowserContextOptions & { readonly at?: string }): Promise<Opened>
  /** A page in a context of its own, signed in as nobody. */
  blank(options?: BrowserContextOptions): Promise<Opened>
}

export function withBrowser(name: string, tests: (browser: TestBrowser) => void): void {
  if (executablePath === undefined)
    process.stderr.write(`test: no browser here (chromium, or NEO_BROWSER): ${name} is skipped\n`)
  describe.skipIf(executablePath === undefined)(name, () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await chromium.launch({
        executablePath: executablePath ?? '',
        args: ['--no-sandbox'],
        timeout: MOMENT_MS,
      })
    })
    afterAll(async () => await browser?.close())

    async function blank(options: BrowserContextOptions = {}): Promise<Opened> {
      const context = await browser.newContext({ viewport: SIZES.desk, ...options })
      context.setDefaultTimeout(MOMENT_MS)
      onTestFinished(() => context.close())
      const page = await context.newPage()
      const wrong: string[] = []
      page.on('pageerror', (error) => wrong.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error' && !/status of 401/.test(message.text())) wrong.push(message.text())
      })
      return { page, wrong }
    }

    tests({
      blank,
      async open(served, { at, ...options } = {}) {
        const opened = await blank(options)
        const door = await served.door()
        await opened.page.goto(door.link())
        await opened.page.waitForSelector('.app[data-connection="live"]')
        if (at !== undefined) {
          await opened.page.goto(new URL(at, door.url).href)
          await opened.page.waitForSelector('.app[data-connection="live"]')
        }
        return opened
      },
    })
  })
}
