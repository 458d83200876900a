/** Members on the page: signed in with their token, they see their rooms, and are offered what they may do. */
import { expect, test } from 'vitest'
import { servedHome } from '../servers/served-home.ts'
import { withBrowser } from './browser.ts'

const FILES = {
  'rooms/shop/tasks/a.md': '---\nstatus: draft\nworker: human\n---\n# Plan of the shop\n',
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/desk/tasks/b.md': '---\nstatus: draft\n---\n# Secret of the desk\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
  'workspace/members/lee.md': '---\nname: Lee\nrole: guest\npermissions: { rooms: [shop] }\n---\n',
}

async function tokenOf(served: ReturnType<typeof servedHome>, memberId: string): Promise<string> {
  const { url } = await served.door()
  const headers = { Authorization: `Bearer ${served.said().token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'member.token', params: { memberId } })
  const answer = await fetch(`${url}/rpc`, { method: 'POST', headers, body })
  return ((await answer.json()) as { readonly result: { readonly token: string } }).result.token
}

withBrowser('a member', (browser) => {
  test('signs in with a token, sees their rooms only, and no settings of the home', async () => {
    const served = servedHome(FILES)
    const { url } = await served.door()
    const token = await tokenOf(served, 'kim')
    const { page, wrong } = await browser.blank()
    await page.goto(`${url}/room/shop`)
    await page.getByLabel('Access token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()

    await page.getByText('Plan of the shop').waitFor()
    expect(await page.getByRole('link', { name: 'Desk' }).count()).toBe(0)
    await page.goto(`${url}/room/desk`)
    await page.waitForSelector('.empty')
    expect(await page.content()).not.toContain('Secret of the desk')
    await page.goto(`${url}/`)
    await page.waitForSelector('text=Nothing needs you.')
    expect(wrong.filter((text) => !/403|404/.test(text))).toEqual([])
  })

  test('is offered no change that only the owner may make', async () => {
    const served = servedHome(FILES)
    const { url } = await served.door()
    const token = await tokenOf(served, 'lee')
    const { page } = await browser.blank()
    await page.goto(`${url}/task/a`)
    await page.getByLabel('Access token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('tab', { name: 'Edit' }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await page.goto(`${url}/rooms`)
    await page.getByText('Shop').first().waitFor()
    expect(await page.getByRole('button', { name: 'New room' }).count()).toBe(0)
  })
})
