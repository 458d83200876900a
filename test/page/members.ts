/** Signs a member in on a page, with a token of their own. */
import type { Page } from 'playwright-core'
import type { ServedHome } from '../servers/served-home.ts'

interface Member {
  readonly member: string
  readonly at: string
}

export async function signIn(page: Page, served: ServedHome, { member, at }: Member): Promise<void> {
  const { url } = await served.door()
  const headers = { Authorization: `Bearer ${served.said().token}`, 'Content-Type': 'application/json' }
  const params = { memberId: member }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'member.token', params })
  const answer = await fetch(`${url}/rpc`, { method: 'POST', headers, body })
  const { result } = (await answer.json()) as { readonly result: { readonly token: string } }
  await page.goto(`${url}${at}`)
  await page.getByLabel('Access token').fill(result.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForSelector('.app[data-connection="live"]')
}
