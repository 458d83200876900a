/** Each role in every view: what is shown works, what would be refused isn't shown, and nothing of other rooms is there. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { type ServedHome, servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { type Opened, type TestBrowser, withBrowser } from './browser.ts'

const ROLES = ['parent', 'member', 'guest', 'child'] as const
type Role = (typeof ROLES)[number]
const ALL: readonly Role[] = ROLES

const FILES = {
  'rooms/shop/ROOM.md': '---\nname: Shop\nworker: human\napprovers: [member]\n---\n',
  'rooms/shop/tasks/h.md': '---\nstatus: draft\n---\n# Call the printer\n',
  'rooms/shop/tasks/f.md': '---\nworker: shell\n---\n# Breaks\n\n```sh\nexit 3\n```\n',
  'rooms/shop/tasks/t.md': '---\ntitel: x\nstatus: draft\n---\n# Typo\n',
  'rooms/shop/schedules/daily.md': '---\ncron: "0 9 * * 1-5"\n---\nLook at it.\n',
  'rooms/shop/memories/m.md': '---\ntype: note\n---\nPrices are in cents.\n',
  'rooms/desk/ROOM.md': '---\nname: Desk-9x\n---\n',
  'rooms/desk/tasks/b.md': '---\nstatus: blocked\ntitel: x\n---\n# Secret of the desk\n',
  ...Object.fromEntries(
    ROLES.map((role) => [
      `workspace/members/${role}.md`,
      `---\nrole: ${role}\npermissions: { rooms: [shop, lobby] }\n---\n`,
    ]),
  ),
}

const VIEWS = [
  ...[
    '/',
    '/rooms',
    '/room/shop',
    '/room/shop/list',
    '/room/shop/graph',
    '/room/shop/sessions',
    '/room/shop/about',
  ],
  ...['/task/h', '/task/f', '/task/t', '/chat/shop', '/schedules', '/memory', '/activity', '/settings'],
] as const

/** Who is offered a control of a view. */
const CONTROLS: readonly (readonly [view: string, control: string, roles: readonly Role[]])[] = [
  ['/', 'Approve', ['member']],
  ['/', 'Retry', ['parent']],
  ['/', 'Open file', []],
  ['/', 'Open task', ALL],
  ['/rooms', 'New room', []],
  ['/room/shop', 'New task', ALL],
  ['/room/shop', 'Pause', []],
  ['/task/h', 'Cancel task', ALL],
  ['/task/h', 'Delete', []],
  ['/task/f', 'Retry', ['parent']],
  ['/task/f', 'Assign', ['parent']],
  ['/memory', 'Add', ['parent', 'member', 'guest']],
  ['/settings', 'Your account', ALL],
  ['/settings', 'People', []],
  ['/settings', 'Configuration', []],
]

async function tokenOf(served: ServedHome, memberId: string): Promise<string> {
  const { url } = await served.door()
  const headers = { Authorization: `Bearer ${served.said().token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'member.token', params: { memberId } })
  const answer = await fetch(`${url}/rpc`, { method: 'POST', headers, body })
  return ((await answer.json()) as { readonly result: { readonly token: string } }).result.token
}

/** Signed in with their token; `refused` collects what the hub denies. */
async function openAs(
  browser: TestBrowser,
  served: ServedHome,
  role: Role,
): Promise<Opened & { refused: string[] }> {
  const { url } = await served.door()
  const opened = await browser.blank()
  const { page } = opened
  await page.goto(url)
  await page.getByLabel('Access token').fill(await tokenOf(served, role))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForSelector('.app[data-connection="live"]')
  const refused: string[] = []
  page.on('response', async (response) => {
    if (!response.url().endsWith('/rpc')) return
    const text = await response.text().catch(() => '')
    if (/^\{"jsonrpc":"2.0",(?:"id":\d+,)?"error":/.test(text))
      refused.push(`${response.request().postData()} ${text}`)
  })
  return { ...opened, refused }
}

async function show(page: Page, at: string): Promise<string> {
  await page.goto(new URL(at, page.url()).href)
  await page.waitForSelector('.app[data-connection="live"]')
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.waitForSelector('main:not(:has([aria-busy="true"]))')
  return await page.evaluate<string>('document.body.innerText')
}

withBrowser('what members see', (browser) => {
  for (const role of ROLES)
    test(`a ${role} is offered what works, in every view`, async () => {
      const served = servedHome(FILES)
      served.home.task(
        'sweep',
        '---\nneo: { created_by: neo }\nworker: shell\n---\n# Sweep\n\n```sh\ntrue\n```\n',
      )
      await until(() => served.home.status('f') === 'failed', 60_000)
      const { page, wrong, refused } = await openAs(browser, served, role)
      await until(() => served.home.status('sweep') === 'blocked', 60_000)
      await page.getByRole('heading', { name: 'Inbox' }).waitFor()
      for (const at of VIEWS) {
        const text = await show(page, at)
        expect([
          at,
          /\bneo (?:trust|watch|open|config|member|doctor|filter|status)\b/.exec(text)?.[0],
        ]).toEqual([at, undefined])
        if (role !== 'parent')
          expect([at, /Desk-9x|Secret of the desk|\bdesk\b/.exec(text)?.[0]]).toEqual([at, undefined])
        for (const [, control, roles] of CONTROLS.filter(([view]) => view === at)) {
          const found = page
            .locator('.work')
            .locator('button, a')
            .filter({ hasText: new RegExp(`^\\s*${control}`) })
          if (roles.includes(role)) await found.first().waitFor()
          expect([at, control, (await found.count()) > 0]).toEqual([at, control, roles.includes(role)])
        }
      }
      expect(refused).toEqual([])
      expect(await violations(page)).toEqual([])
      await show(page, '/task/h')
      await page.getByRole('button', { name: 'Cancel task' }).click()
      await until(() => served.home.status('h') === 'cancelled')
      expect(refused).toEqual([])
      expect(wrong).toEqual([])
    })

  test('what a member has no access to says so in plain words, and nothing else', async () => {
    const served = servedHome(FILES)
    const { page } = await openAs(browser, served, 'guest')
    for (const at of ['/room/desk', '/task/b', '/file/rooms/shop/ROOM.md', '/file/neo.yaml']) {
      await page.goto(new URL(at, page.url()).href)
      const text = await page.locator('.empty').textContent()
      expect([at, text]).toEqual([at, expect.not.stringMatching(/Desk-9x|Secret|Denied|change-home/)])
    }
  })
})
