/** A room in a browser: its sessions, at work and past, what it is, and pausing it. */
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { withBrowser } from './browser.ts'

const PAYLOAD = '<img src=x onerror=alert(1)>'
const AT = '2026-03-01T09:00:00Z'
const FILES = {
  'rooms/shop/ROOM.md': `---\nname: Shop\ndescription: Pages ${PAYLOAD}\nworker: shell\nverify: [npm test]\n---\nBe **brief** ${PAYLOAD}.\n`,
  'rooms/shop/tasks/old.md': `---\nstatus: failed\nneo: { id: t-oooooo, created_at: ${AT}, session: s-oooooo }\n---\n# Old work\n`,
  'rooms/shop/sessions/s-oooooo.md': `---\nid: s-oooooo\ntask: t-oooooo\nworker: shell\nstatus: failed\nstarted_at: ${AT}\nended_at: 2026-03-01T09:02:03Z\n---\n# Old work\n`,
}

withBrowser('a room', (browser) => {
  test('lists its sessions, those at work first, as they begin and end', async () => {
    const served = servedHome(FILES)
    const { page, wrong } = await browser.open(served, { at: '/room/shop/sessions' })
    const past = page.getByRole('region', { name: 'Past' })
    await past.getByRole('link', { name: /Old work/ }).waitFor()
    await past.getByText('2:03').waitFor()
    served.home.task('now', `---\nworker: shell\n---\n# Now ${PAYLOAD}\n\n\`\`\`sh\nsleep 600\n\`\`\`\n`)
    const work = page.getByRole('region', { name: 'At work' })
    await work.getByRole('link', { name: /Now/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await violations(page)).toEqual([])
    await until(() => served.home.status('now') === 'in_progress')
    served.home.task('now', served.home.text('now').replace('status: in_progress', 'status: cancelled'))
    await past.getByRole('link', { name: /Now/ }).waitFor()
    await past.getByRole('link', { name: /Old work/ }).click()
    await page.waitForURL('**/session/s-oooooo')
    expect(await page.locator('img').count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('says what it is, is paused and resumed, and leads to its file, schedules and memory', async () => {
    const served = servedHome(FILES)
    const { page, wrong } = await browser.open(served, { at: '/room/shop/about' })
    await page.locator('.markdown strong').getByText('brief').waitFor()
    await page.getByText('npm test').waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('This room is paused.').waitFor()
    await until(() => /^status: paused$/m.test(served.home.read('rooms/shop/ROOM.md')), 120_000)
    expect(await violations(page)).toEqual([])
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('This room is paused.').waitFor({ state: 'detached' })
    const hrefs = ['Schedules', 'Memory', 'Edit ROOM.md'].map((name) =>
      page.locator('#main').getByRole('link', { name }).getAttribute('href'),
    )
    expect(await Promise.all(hrefs)).toEqual([
      '/schedules?room=shop',
      '/memory?room=shop',
      '/file/rooms/shop/ROOM.md',
    ])
    expect(await page.locator('img').count()).toBe(0)
    expect(wrong).toEqual([])
  })
})
