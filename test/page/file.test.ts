/** The editor of a file: typed, checked, saved, with the keyboard alone. */
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { SIZES, withBrowser } from './browser.ts'

const PATH = 'rooms/shop/tasks/t.md'
const TEXT =
  '---\nstatus: draft\nlabels: [a]\n---\n\n# Title\n\nSome **text** <img src=x onerror=alert(1)>.\n'

/** Neo's block is in the file, so nothing changes it beside the editor. */
async function adopted() {
  const served = servedHome({ [PATH]: TEXT })
  await until(() => /^ {2}id: t-/m.test(served.home.read(PATH)))
  return served
}

withBrowser('the editor of a file', (browser) => {
  test.each(['light', 'dark'] as const)('colours, problems in place and Ctrl-S, %s', async (colorScheme) => {
    const served = await adopted()
    const before = served.home.read(PATH)
    const { page, wrong } = await browser.open(served, { at: `/file/${PATH}?line=2`, colorScheme })
    const field = page.getByRole('textbox', { name: 'Text of the file' })
    await page.locator('.cm-lineNumbers').waitFor()
    expect(await field.textContent()).toContain('# Title')
    await page.keyboard.type('statsu: draft')
    await page.locator('.cm-lint-marker-warning, .cm-lint-marker-error').waitFor()
    await page.getByRole('list', { name: 'Problems' }).getByRole('button', { name: 'line 2' }).click()
    await until(() => page.evaluate("document.activeElement?.classList.contains('code-field')"))
    await page.keyboard.type('status: draft # kept')
    await page.waitForSelector('text=No problems.')
    await page.keyboard.press('Control+s')
    await until(() => served.home.read(PATH).includes('# kept'))
    expect(served.home.read(PATH)).toBe(before.replace('status: draft', 'status: draft # kept'))
    expect(await page.locator('img').count()).toBe(0)
    // The browser tries to keep the look of a text that is typed over, by a style that the policy forbids.
    expect(wrong.filter((said) => !said.startsWith('Applying inline style'))).toEqual([])
    // The checker itself adds styles to read those of a shadow root.
    expect(await violations(page)).toEqual([])
  })

  test('Tab leaves the editor, and typed text survives a reload', async () => {
    const served = await adopted()
    const { page } = await browser.open(served, { at: `/file/${PATH}?line=2`, viewport: SIZES.phone })
    await page.locator('.cm-lineNumbers').waitFor()
    await page.keyboard.type('Another text')
    await page.getByRole('button', { name: 'Save', exact: true }).and(page.locator(':enabled')).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate("document.activeElement?.classList.contains('code-field')")).toBe(false)
    await page.goto(page.url().replace('?line=2', ''))
    await page.locator('.cm-lineNumbers').waitFor()
    expect(await page.getByRole('textbox', { name: 'Text of the file' }).textContent()).toContain(
      'Another text',
    )
    expect(served.home.read(PATH)).toContain('Some **text**')
  })
})
