/** Two homes that meet on the page: each is added as its owner would do it, then one asks the other. */
import { expect, test } from 'vitest'
import { type Node, startNode } from '../aoi/node.ts'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { type Opened, type TestBrowser, withBrowser } from './browser.ts'

const YAML = `daemon: { settle: 0s, rescan: 1s }
agent: { id: ana, role: pm, owner: Ana, host: 127.0.0.2, port: 0, discovery_interval: 1s }
access:
  rules: [{ agent_id: ben, scope_type: repository, pattern: acme/shop, permission: read, reason: We share it }]
`
const RULE = 'agent_id: ana, scope_type: repository, pattern: acme/shop, permission: read'

/** A page whose home knows `ben`, who knows it too. */
async function meet(browser: TestBrowser, rule: string): Promise<Opened & { readonly ben: Node }> {
  const ben = await startNode('ben', { host: '127.0.0.3', rules: [rule] })
  const opened = await browser.open(servedHome({ 'neo.yaml': YAML }), { at: '/agents' })
  const { page } = opened
  const own = page.getByRole('region', { name: 'Your agent' })
  await own.getByText('Listening on https://127.0.0.2').waitFor()
  await own.getByText('Your file, for people').click()
  ben.home.write('workspace/agents/ana.md', await own.getByLabel('File ana.md').inputValue())
  await until(async () => (await ben.call('agent.list', {})).agents.length === 1)
  await page.getByRole('button', { name: 'Add an agent' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an agent' })
  await dialog.getByLabel('Endpoint').fill(ben.endpoint().replace('https://', ''))
  await dialog.getByRole('button', { name: 'Look at it' }).click()
  await dialog.getByLabel('Its owner has told me').check()
  await dialog.getByLabel('Repository').fill('acme/shop')
  await dialog.getByRole('button', { name: 'Add ben' }).click()
  await page.getByRole('listitem', { name: 'Agent ben' }).getByText('Online').waitFor()
  return { ...opened, ben }
}

async function ask({ page }: Opened, question: string): Promise<void> {
  const card = page.getByRole('listitem', { name: 'Agent ben' })
  const field = card.getByLabel('Question')
  if (!(await field.isVisible())) await card.getByRole('button', { name: 'Ask' }).click()
  await field.fill(question)
  await card.getByRole('button', { name: 'Send the question' }).click()
}

/** Ben decides about the answer to a question. */
async function decide(ben: Node, question: string, decision: 'approved' | 'denied'): Promise<void> {
  const find = async () =>
    (await ben.call('ask.list', {})).find(({ action }) => action?.arguments['query'] === question)
  await until(async () => (await find()) !== undefined)
  await ben.call('ask.decide', { askId: (await find())?.id ?? '', decision })
}

withBrowser('two homes', (browser) => {
  test('are added with a file and by address, and one asks the other', async () => {
    const opened = await meet(browser, `{ ${RULE}, auto: true }`)
    const { page, ben, wrong } = opened
    const card = page.getByRole('listitem', { name: 'Agent ben' })
    await ask(opened, 'How far is the shop?')
    await card.getByRole('article', { name: 'Answer of ben' }).waitFor()
    expect(await ben.call('agent.requests', {})).toMatchObject([{ agentId: 'ana', kind: 'query' }])
    const tryOut = page.getByRole('region', { name: 'Who may see this?' })
    await tryOut.getByLabel('Name').fill('acme/shop')
    await tryOut.getByRole('button', { name: 'Check' }).click()
    await tryOut.getByText('Yes: ben may ask about repository acme/shop.').waitFor()
    await card.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await card.getByText('Revoked').waitFor()
    expect(wrong).toEqual([])
  })

  test('show an answer that comes later where it was asked, and after a reload', async () => {
    const opened = await meet(browser, `{ ${RULE} }`)
    const { page, ben, wrong } = opened
    const card = page.getByRole('listitem', { name: 'Agent ben' })
    const questions = page.getByRole('region', { name: 'Your questions' })
    await ask(opened, 'How far is the shop?')
    await card.getByText('Not answered yet.').waitFor()
    await questions.getByText('A person has to approve the answer first.').waitFor()
    await decide(ben, 'How far is the shop?', 'approved')
    await card.getByRole('article', { name: 'Answer of ben' }).getByText('There are no tasks.').waitFor()
    await ask(opened, 'And the list?')
    await card.getByText('Not answered yet.').waitFor()
    await page.reload()
    await questions.getByText('Waiting').waitFor()
    await decide(ben, 'And the list?', 'approved')
    await questions.getByText('Waiting').waitFor({ state: 'detached' })
    const newest = questions.getByRole('listitem').filter({ hasText: 'And the list?' })
    await newest.getByRole('button', { name: 'Show the answer' }).click()
    await newest.getByRole('article', { name: 'Answer of ben' }).getByText('There are no tasks.').waitFor()
    expect(wrong).toEqual([])
  })

  test('say that an answer was refused, and that none comes after a revocation', async () => {
    const opened = await meet(browser, `{ ${RULE} }`)
    const { page, ben } = opened
    const questions = page.getByRole('region', { name: 'Your questions' })
    await ask(opened, 'How far is the shop?')
    await decide(ben, 'How far is the shop?', 'denied')
    await page.getByText('ben does not answer: its owner has refused.').waitFor()
    await ask(opened, 'And the list?')
    await questions.getByText('Waiting').waitFor()
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await questions.getByText('you have revoked this agent').waitFor()
  })
})
