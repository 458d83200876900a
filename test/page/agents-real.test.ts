/** Two homes that meet on the page: each is added as its owner would do it, then one asks the other. */
import { expect, test } from 'vitest'
import { startNode } from '../aoi/node.ts'
import { until } from '../path/home.ts'
import { servedHome } from '../servers/served-home.ts'
import { withBrowser } from './browser.ts'

const YAML = `daemon: { settle: 0s, rescan: 1s }
agent: { id: ana, role: pm, owner: Ana, host: 127.0.0.2, port: 0, discovery_interval: 1s }
access:
  rules: [{ agent_id: ben, scope_type: repository, pattern: acme/shop, permission: read, reason: We share it }]
`
const RULE = '{ agent_id: ana, scope_type: repository, pattern: acme/shop, permission: read, auto: true }'

withBrowser('two homes', (browser) => {
  test('are added with a file and by address, and one asks the other', async () => {
    const ben = await startNode('ben', { host: '127.0.0.3', rules: [RULE] })
    const { page, wrong } = await browser.open(servedHome({ 'neo.yaml': YAML }), { at: '/agents' })
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
    const card = page.getByRole('listitem', { name: 'Agent ben' })
    await card.getByText('Online').waitFor()
    await card.getByRole('button', { name: 'Ask' }).click()
    await card.getByLabel('Question').fill('How far is the shop?')
    await card.getByRole('button', { name: 'Send the question' }).click()
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
})
