/** Reviews in a browser: the diff, comments that go back as one message, and each decision. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { runbook, until } from '../path/home.ts'
import { type ServedHome, servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { withBrowser } from './browser.ts'

const PAYLOAD = '<img src=x onerror=alert(1)>'
const LINES = Array.from({ length: 700 }, (_, index) => `line ${index + 1}`)
const FILES = {
  'workspace/files/shop.ts': 'export const tax = 0.19\n// before\n',
  'workspace/files/long.txt': `${LINES.join('\n')}\n`,
  'workspace/files/old name.txt': 'one\ntwo\nthree\nfour\n',
}
/** The second attempt adds one line more. */
const WORK = [
  `printf 'export const rate = 0.19\\n// ${PAYLOAD} \\342\\200\\256\\n' > shop.ts`,
  'sed -i s/line/row/ long.txt',
  'test -e "old name.txt" && git mv "old name.txt" "new name.txt"',
  'echo another >> log.txt',
].join('\n')

async function inReview(more: Readonly<Record<string, string>> = {}): Promise<ServedHome> {
  const served = servedHome({ ...FILES, ...more })
  served.home.task('r', runbook([WORK], ['review: branch', 'verify: ["true"]']))
  // The commit is over, and takes no lock from a person's.
  await until(() => served.home.status('r') === 'review' && served.home.git('status', '--porcelain') === '')
  return served
}

const address = ({ home }: ServedHome) => `/review/${home.neo('r', 'id')}`

async function opened(page: Page): Promise<void> {
  await page.waitForSelector('.file .diff-row')
}

withBrowser('a review', (browser) => {
  test('shows files, folds long ones, and sends comments back as one message', async () => {
    const served = await inReview()
    const { page, wrong } = await browser.open(served, { at: address(served) })
    await opened(page)
    expect(await page.locator('.file .file-name').allTextContents()).toEqual([
      'workspace/files/log.txt',
      'workspace/files/long.txt',
      'workspace/files/old name.txt → workspace/files/new name.txt',
      'workspace/files/shop.ts',
    ])
    await page.waitForSelector('text=1 of 1 check passed')
    await page.waitForSelector('.c-keyword')
    expect(await page.locator('.file').nth(1).locator('.diff-row').count()).toBe(0)
    await page
      .getByRole('button', { name: /long\.txt/ })
      .last()
      .click()
    await page.waitForSelector('text=row 700')
    expect(await page.locator('img').count()).toBe(0)
    await page.waitForSelector(`text=${PAYLOAD} \\u202e`)
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Inline').check({ force: true })
    await page.waitForSelector('.diff-rows.inline')
    const number = page
      .locator('.file')
      .last()
      .getByRole('button', { name: 'Comment on line 1', exact: true })
    await number.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Why this comment?')
    await page.reload()
    await opened(page)
    await page.waitForSelector('.diff-rows.inline')
    await page.waitForSelector('.line-comment >> text=Why this comment?')
    await page.getByLabel('Message to the worker').fill('Once more, please.')
    await page.getByRole('button', { name: 'Send back with 1 comment' }).click()
    await page.waitForSelector('text=goes back to its worker')
    await until(() => served.home.text('r').includes('## Review'))
    const text = served.home.text('r')
    expect(text).toContain('> Once more, please.')
    expect(text).toContain('> `workspace/files/shop.ts:2`')
    expect(text).toContain('> Why this comment?')
    await until(
      () => served.home.status('r') === 'review' && served.home.neo('r', 'attempt') === '2',
      120_000,
    )
    await page.goto(new URL(address(served), page.url()).href)
    await opened(page)
    await page.getByLabel('Only what changed since your last look').check()
    await page.waitForSelector('text=1 file')
    await until(async () => (await page.locator('.diff-row.add').allTextContents()).join() === '2another')
    expect(wrong).toEqual([])
  })

  test('is accepted and merged, and is gone from the inbox', async () => {
    const served = await inReview()
    const { page, wrong } = await browser.open(served)
    await page.getByRole('link', { name: 'Review', exact: true }).click()
    await opened(page)
    await page.getByRole('button', { name: 'Accept and merge' }).click()
    await page.waitForSelector('text=was accepted and merged into main')
    expect([served.home.status('r'), served.home.has('workspace/files/new name.txt')]).toEqual([
      'completed',
      true,
    ])
    await page.waitForSelector('text=Nothing needs you.')
    await page.goto(new URL(address(served), page.url()).href)
    await page.waitForSelector("text=This task isn't in review. It is completed now.")
    expect(wrong).toEqual([])
  })

  test('says what conflicts, and is rejected for good with a second click', async () => {
    const served = await inReview()
    const { page } = await browser.open(served, { at: address(served) })
    await opened(page)
    served.home.write('workspace/files/shop.ts', 'export const tax = 0.2\n')
    served.home.git('commit', '-qam', 'mine')
    await page.getByRole('button', { name: 'Accept and merge' }).click()
    await page
      .getByRole('alert')
      .filter({ hasText: 'conflicts with main in workspace/files/shop.ts' })
      .waitFor()
    expect(await violations(page)).toEqual([])
    expect(served.home.status('r')).toBe('review')
    await page.getByRole('button', { name: 'Reject', exact: true }).click()
    expect(served.home.status('r')).toBe('review')
    await page.getByRole('button', { name: 'Yes, reject it' }).click()
    await until(() => served.home.status('r') === 'failed')
  })

  test('can be given to a pull request, and taken back', async () => {
    const served = await inReview()
    const { page } = await browser.open(served, { at: address(served) })
    await opened(page)
    await page.getByRole('button', { name: 'Open pull request' }).click()
    await until(() => served.home.text('r').includes('review: pr'))
    await page.getByRole('button', { name: 'Review it only here' }).click()
    await until(() => served.home.text('r').includes('review: branch'))
    await page.getByRole('button', { name: 'Open pull request' }).waitFor()
  })
})
