/** Settings: neo.yaml as fields and as text with what is risky shown first, health live, and people. */
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { withBrowser } from './browser.ts'

const YAML = `# Ours
daemon:
  branch: main
  settle: 0s
  concurrency: 2 # enough
providers:
  own: { api: openai, base_url: "http://127.0.0.1:1", api_key: sk-neverShown123456 }
`
const FILES = { 'neo.yaml': YAML }

withBrowser('the configuration', (browser) => {
  test('a field is saved into its line, checked as typed, and comments stay', async () => {
    const served = servedHome(FILES)
    const { page, wrong } = await browser.open(served, { at: '/settings/config' })
    await page.getByLabel('Time zone').fill('Nowhere/Land')
    await page.getByRole('list', { name: 'Problems' }).getByText('timezone').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByLabel('Sessions at the same time').fill('4')
    await page.getByText('1 change', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await until(() => served.home.read('neo.yaml') === YAML.replace('2 # enough', '4 # enough'))
    await page.getByText('Saved.').waitFor()
    expect(wrong).toEqual([])
  })

  test('a risky change shows its diff and what it means first', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/settings/config' })
    await page.getByRole('region', { name: 'Page and API' }).getByLabel('Host').fill('0.0.0.0')
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Check these changes of neo.yaml' })
    await dialog.getByText('other computers can reach Neo').waitFor()
    expect(await dialog.locator('.text-diff .add').allTextContents()).toEqual([
      '+ http:\n',
      '+   host: "0.0.0.0"\n',
    ])
    expect(await dialog.textContent()).toContain('neo trust')
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect(served.home.read('neo.yaml')).toBe(YAML)
    await page.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await until(() => served.home.read('neo.yaml').includes('host: "0.0.0.0"'))
  })

  test('the text shows no secret, and a save keeps it', async () => {
    const served = servedHome({ ...FILES, 'rooms/shop/ROOM.md': '---\nname: Shop\n---\n' })
    const { page } = await browser.open(served, { at: '/file/neo.yaml' })
    // The editor, not the plain field that it replaces.
    const field = page.locator('.cm-content')
    await field.getByText('# Ours').waitFor()
    const text = (await field.locator('.cm-line').allTextContents()).join('\n')
    expect(text).not.toContain('sk-neverShown')
    await field.fill(text.replace('# Ours', '# Our home'))
    await page.keyboard.press('Control+s')
    await until(() => served.home.read('neo.yaml') === YAML.replace('# Ours', '# Our home'))
    await page.goto(new URL('/file/rooms/shop/ROOM.md', page.url()).href)
    await field.fill('---\nname: Shop\npermissions: { shell: allow }\n---\n')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').getByText('what agents of this room may do').waitFor()
  })
})

withBrowser('health', (browser) => {
  test('a broken neo.yaml is shown with its line while you look, and goes away when it is mended', async () => {
    const served = servedHome(FILES)
    const { page, wrong } = await browser.open(served, { at: '/settings/health' })
    await page.getByText('Everything that is on works.').waitFor()
    expect(await violations(page)).toEqual([])
    served.home.write('neo.yaml', `${YAML}timezone: [\n`)
    const problems = page.getByRole('list', { name: 'Problems' })
    await problems.getByText(/line \d+: /).waitFor()
    await problems.getByText('Correct neo.yaml.').waitFor()
    served.home.write('neo.yaml', YAML)
    await problems.waitFor({ state: 'detached' })
    expect(wrong).toEqual([])
  })
})

withBrowser('people', (browser) => {
  test('a member is added, edited, invited, suspended and removed, and each is asked where it is final', async () => {
    const served = servedHome()
    const { page, wrong } = await browser.open(served, { at: '/settings/people' })
    await page.getByText('No members yet.').waitFor()
    await page.getByRole('button', { name: 'Add a member' }).click()
    await page.getByLabel('Id').fill('kim')
    await page.getByLabel('Name').fill('Kim')
    await page.getByLabel('Shop').check()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    const row = page.getByRole('list', { name: 'Members' }).getByRole('listitem')
    await row.getByText('lobby, shop').waitFor()
    await row.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Role').selectOption('guest')
    await page.getByRole('button', { name: 'Save' }).click()
    await row.getByText('guest').waitFor()
    await row.getByRole('button', { name: 'Token' }).click()
    await page.getByRole('button', { name: 'Create token' }).click()
    const token = await page.getByLabel('Access token').inputValue()
    expect(await page.getByLabel('Invitation').inputValue()).toContain(token)
    await page.getByRole('button', { name: 'Done' }).click()
    await row.getByText(/token, expires .*never used/).waitFor()
    await row.getByRole('button', { name: 'Suspend' }).click()
    await row.getByText('suspended').waitFor()
    expect(await violations(page)).toEqual([])
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No members yet.').waitFor()
    expect(served.home.has('workspace/members/kim.md')).toBe(false)
    expect(wrong).toEqual([])
  })

  test('an account is linked with a code, shown when it is there, and unlinked', async () => {
    const served = servedHome({ 'workspace/members/kim.md': '---\nname: Kim\n---\n' })
    const { page } = await browser.open(served, { at: '/settings/people' })
    await page.getByRole('button', { name: 'Telegram' }).click()
    await page.getByRole('button', { name: 'Create code' }).click()
    await page.getByLabel('Pairing code').waitFor()
    served.home.write('workspace/members/kim.md', '---\nname: Kim\nchannels: { telegram: "123456" }\n---\n')
    await page.getByRole('dialog', { name: 'Kim is linked' }).getByRole('button', { name: 'Done' }).click()
    await page.getByText('Telegram linked').waitFor()
    await page.getByRole('button', { name: 'Telegram' }).click()
    await page.getByRole('button', { name: 'Unlink' }).click()
    await page.getByText('Telegram not linked').waitFor()
  })
})
