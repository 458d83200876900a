/** A page on which a member is signed in with their token. */
import type { ServedHome } from '../servers/served-home.ts'
import type { Opened, TestBrowser } from './browser.ts'

export async function openAs(
  browser: TestBrowser,
  served: ServedHome,
  { member: memberId, at }: { readonly member: string; readonly at: string },
): Promise<Opened> {
  const { url } = await served.door()
  const headers = { Authorization: `Bearer ${served.said().token}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'member.token', params: { memberId } })
  const answer = await fetch(`${url}/rpc`, { method: 'POST', headers, body })
  const { result } = (await answer.json()) as { readonly result: { readonly token: string } }
  const opened = await browser.blank()
  await opened.page.goto(new URL(at, url).href)
  await opened.page.getByLabel('Access token').fill(result.token)
  await opened.page.getByRole('button', { name: 'Sign in' }).click()
  await opened.page.waitForSelector('.app[data-connection="live"]')
  return opened
}
