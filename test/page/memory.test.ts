/** Memory on the page: listed by room and conversation, searched with reasons, changed, forgotten, looked back at. */
import { expect, test } from 'vitest'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { withBrowser } from './browser.ts'
import { signIn } from './members.ts'

const memory = (id: string, by: string, text: string) =>
  `---\ntype: note\nneo: { id: m-${id}, created_at: 2026-03-01T09:00:00Z, created_by: "${by}" }\n---\n${text}\n`
const FILES = {
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/desk/memories/MEMORY.md':
    '- **bay** (human): seven — 2026-03-02 (neo-2026-03-02-1:12)\n- Of the desk\n',
  'rooms/desk/memories/2026-03-02.md': '- 09:12 [human] My bay is seven (neo-2026-03-02-1:12)\n',
  'rooms/shop/memories/cents.md': memory('cents', 'human', 'Prices are stored in cents.'),
  'rooms/shop/memories/kims.md': memory('kims', 'member:kim', 'Kim likes blue.'),
  'workspace/scopes/team/SCOPE.md': '---\ntype: group\nchannel: "test:77"\n---\n',
  'workspace/scopes/team/MEMORY.md': '- (human): "on Tuesdays" — 2026-03-02 (said-abc:1)\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}

withBrowser('memory', (browser) => {
  test('lists facts and memories of rooms and conversations, in both themes without a violation', async () => {
    const served = servedHome(FILES)
    const { page, wrong } = await browser.open(served, { at: '/memory', colorScheme: 'dark' })
    for (const text of ['seven', 'Of the desk', 'Prices are stored in cents.', '"on Tuesdays"'])
      await page.locator('.memory-list').getByText(text, { exact: true }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: /^Desk/ }).first().click()
    await page.getByText('Of the desk').waitFor()
    expect(await page.getByText('"on Tuesdays"').count()).toBe(0)
    await page.getByRole('button', { name: 'Notes' }).click()
    await page.getByText('My bay is seven').waitFor()
    await page.getByRole('button', { name: 'team' }).click()
    await page.getByRole('button', { name: 'Facts', exact: true }).click()
    await page.getByText('"on Tuesdays"').waitFor()
    expect(wrong).toEqual([])
  })

  test('an entry is edited in its place, and shows in its history', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/memory?room=shop' })
    const row = page.locator('.memory-entry', { hasText: 'cents' })
    await row.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Text').fill('Prices are stored in euros.')
    await page.getByLabel('Tags').fill('money')
    await page.getByLabel('Importance').selectOption('high')
    await page.keyboard.press('Control+Enter')
    const edited = page.locator('.memory-entry', { hasText: 'euros' })
    await edited.getByText('high importance').waitFor()
    expect(served.home.read('rooms/shop/memories/cents.md')).toContain('Prices are stored in euros.')
    await edited.getByRole('button', { name: 'History' }).click()
    await page.locator('ins', { hasText: 'euros' }).waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('a file edited by hand shows at once; while it is edited, the person decides between both texts', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/memory?room=shop' })
    await page.locator('.memory-entry', { hasText: 'cents' }).getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Text').fill('Mine')
    served.home.write('rooms/shop/memories/cents.md', memory('cents', 'human', 'By hand.'))
    await page.getByText('It was changed while you edited it.').waitFor()
    await page.locator('.quote', { hasText: 'By hand.' }).waitFor()
    expect(await page.getByLabel('Text').inputValue()).toBe('Mine')
    await page.getByRole('button', { name: 'Keep my text' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.memory-entry .markdown', { hasText: 'Mine' }).waitFor()
    served.home.write('rooms/shop/memories/new.md', memory('new', 'human', 'Quite new.'))
    await page.getByText('Quite new.').waitFor()
  })

  test('forgetting asks, says what git keeps, and is undone', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/memory?room=shop' })
    const row = page.locator('.memory-entry', { hasText: 'cents' })
    await row.getByRole('button', { name: 'Forget' }).click()
    await row.getByText('Git keeps it').waitFor()
    await row.getByRole('group').getByRole('button', { name: 'Forget' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('It is back.').waitFor()
    await row.getByText('cents').waitFor()
    expect(served.home.read('rooms/shop/memories/cents.md')).toContain('in cents')
  })

  test('a hit says why it was found, and opens at its place', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/memory?q=stored' })
    await page.locator('mark', { hasText: 'stored' }).waitFor()
    await page.getByText(/matches .*: “stored”/).waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('link', { name: 'Prices are stored in cents.' }).click()
    await page.locator('.memory-entry[aria-current]', { hasText: 'cents' }).waitFor()
  })

  test('a fact is added to a conversation', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/memory?scope=team' })
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByLabel('New fact').fill('we start at nine')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.memory-entry', { hasText: 'we start at nine' }).waitFor()
    expect(served.home.read('workspace/scopes/team/MEMORY.md')).toContain('we start at nine')
  })

  test('a member sees their rooms, and changes only what they wrote', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.blank()
    await signIn(page, served, { member: 'kim', at: '/memory' })
    const own = page.locator('.memory-entry', { hasText: 'Kim likes blue.' })
    await own.getByRole('button', { name: 'Edit' }).waitFor()
    const other = page.locator('.memory-entry', { hasText: 'cents' })
    expect(await other.getByRole('button', { name: /Edit|Forget/ }).count()).toBe(0)
    expect(await page.getByText('Of the desk').count()).toBe(0)
  })
})
