/**
 * The page in a real browser over a home of 10,000 tasks in one room: how soon its board is there, how it scrolls, how
 * soon a saved file shows, what the daemon pays for it, and how much the first view loads.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium, type Page } from 'playwright-core'
import { makeHome } from '../home.ts'
import { watchHome } from '../neo.ts'
import { canWeigh, type Resident } from '../resident.ts'
import { inMs, type Line, type Row } from '../row.ts'
import { pause, timed, until } from '../time.ts'

const MOST = { firstMs: 1_000, shownP50: 100, shownP95: 300, megabytes: 20, kilobytes: 150 }
const LEAST_FRAMES = 57
const REST_MS = 400
const AT_REST_MS = 3_000
const SCROLL_MS = 3_000

export const pageRow: Row = {
  name: 'page',
  measures: 'the page over 10,000 tasks in a real browser: first view, scrolling, a saved file, memory, size',
  async run({ quick }) {
    const { dir } = makeHome({ tasks: quick ? 1_000 : 10_000, rooms: 1, kind: 'settled' })
    const daemon = await watchHome(dir)
    const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
    const browser = await chromium.launch({
      args: ['--no-sandbox'],
      ...(executablePath === undefined ? {} : { executablePath }),
    })
    try {
      return await measured({ dir, daemon, browser, rounds: quick ? 5 : 40 })
    } finally {
      await browser.close()
      await daemon.end()
    }
  },
}

interface Measured {
  readonly dir: string
  readonly daemon: Resident
  readonly browser: Browser
  readonly rounds: number
}

async function measured({ dir, daemon, browser, rounds }: Measured): Promise<readonly Line[]> {
  // After its first look: what it loads for that, it needs without a page too.
  await pause(AT_REST_MS)
  const before = canWeigh() ? daemon.memory() : 0
  const { page, url } = await signedIn(dir, browser)
  const firsts = [await firstView(page, url)]
  // Before files are saved: that costs the same without a page.
  const megabytes = canWeigh() ? daemon.memory() - before : null
  for (let round = 0; round < 5; round++) firsts.push(await firstView(page, url))
  const kilobytes = await compressedSize(browser, page, url)
  const frames = await framesOfScroll(page)
  const shown = await timesShown(page, dir, rounds)
  return [
    line('address opened → cards of the board are painted, p50', atMost(MOST.firstMs, timed(firsts).p50)),
    line('frames a second while the board scrolls', {
      goal: `≥ ${LEAST_FRAMES}`,
      said: frames.toFixed(0),
      isGood: frames >= LEAST_FRAMES,
    }),
    ...shownLines(shown),
    line('script and style of the board, gzip', {
      goal: `≤ ${MOST.kilobytes} kB`,
      said: `${kilobytes.toFixed(0)} kB`,
      isGood: kilobytes <= MOST.kilobytes,
    }),
    ...(megabytes === null ? [] : [memoryLine(megabytes)]),
  ]
}

function shownLines(shown: readonly number[]): readonly Line[] {
  const sorted = shown.toSorted((a, b) => a - b)
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN
  return [
    line('task file saved → its card is painted, p50', atMost(MOST.shownP50, timed(shown).p50)),
    line('task file saved → its card is painted, p95', atMost(MOST.shownP95, p95)),
  ]
}

function atMost(most: number, ms: number): Figure {
  return { goal: `≤ ${most} ms`, said: inMs(ms), isGood: ms <= most }
}

function memoryLine(more: number): Line {
  return line('memory of the daemon with the page open', {
    goal: `≤ + ${MOST.megabytes} MB`,
    said: `${more.toFixed(1)} MB`,
    isGood: more <= MOST.megabytes,
  })
}

interface Figure {
  readonly goal: string
  readonly said: string
  readonly isGood: boolean
}

function line(work: string, { goal, said, isGood }: Figure): Line {
  return { work, goal, floor: '', measured: said, verdict: isGood ? 'ok' : 'over' }
}

async function signedIn(dir: string, browser: Browser): Promise<{ page: Page; url: string }> {
  const { url, token } = await until('the daemon serves its page', () => addressIn(dir))
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const answer = await fetch(`${url}/codes`, { method: 'POST', headers, body: '{}' })
  const { code } = (await answer.json()) as { readonly code: string }
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  await page.goto(`${url}/#code=${code}`)
  await page.waitForSelector('.app[data-connection="live"]')
  return { page, url }
}

function addressIn(dir: string): { readonly url: string; readonly token: string } | null {
  const path = join(dir, '.neo/daemon.json')
  if (!existsSync(path)) return null
  const { url, token } = JSON.parse(readFileSync(path, 'utf8')) as { url: string | null; token: string }
  return url === null ? null : { url, token }
}

async function firstView(page: Page, url: string): Promise<number> {
  await page.goto('about:blank')
  const started = performance.now()
  await page.goto(`${url}/room/room-0`, { waitUntil: 'commit' })
  await page.waitForSelector('.board-card')
  return performance.now() - started
}

/** Of all that the board loads in a browser that has nothing yet. */
async function compressedSize(browser: Browser, page: Page, url: string): Promise<number> {
  const state = await page.context().storageState()
  const fresh = await (await browser.newContext({ storageState: state })).newPage()
  const sizes: Promise<number>[] = []
  fresh.on('response', (response) => {
    if (/\.(?:js|css)$/.test(new URL(response.url()).pathname))
      sizes.push(response.body().then((body) => gzipSync(body).length))
  })
  await fresh.goto(`${url}/room/room-0`)
  await fresh.waitForSelector('.board-card')
  const all = await Promise.all(sizes)
  await fresh.context().close()
  return all.reduce((sum, size) => sum + size, 0) / 1_000
}

/** Of the longest column, scrolled by 40 px a frame. */
async function framesOfScroll(page: Page): Promise<number> {
  const script = `new Promise((resolve) => {
    const lists = [...document.querySelectorAll('.windowed')]
    const list = lists.reduce((a, b) => (b.scrollHeight > a.scrollHeight ? b : a))
    const started = performance.now()
    let frames = 0
    const step = () => {
      frames += 1
      list.scrollTop += 40
      const ms = performance.now() - started
      if (ms >= ${SCROLL_MS}) resolve((frames * 1000) / ms)
      else requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`
  return await page.evaluate<number>(script)
}

/** The browser's clock and this process's are the same machine's. */
async function timesShown(page: Page, dir: string, rounds: number): Promise<readonly number[]> {
  const times: number[] = []
  await page.evaluate("document.querySelectorAll('.windowed').forEach((list) => { list.scrollTop = 0 })")
  for (let round = 0; round <= rounds; round++) {
    await pause(REST_MS)
    // The newest sorts first: a card further down isn't in the document.
    const title = `A saved task ${rounds - round}`
    const seen = page.evaluate<number>(`new Promise((resolve) => {
      const look = () => {
        const isThere = [...document.querySelectorAll('.board-title')].some((one) => one.textContent === ${JSON.stringify(title)})
        if (isThere) requestAnimationFrame(() => resolve(Date.now()))
        else requestAnimationFrame(look)
      }
      look()
    })`)
    await pause(50)
    const saved = Date.now()
    const text = `---\nstatus: draft\npriority: urgent\n---\n# ${title}\n`
    writeFileSync(join(dir, `rooms/room-0/tasks/a-saved-${round}.md`), text)
    times.push((await seen) - saved)
  }
  return times.slice(1)
}
