/** Agents on the page: our own, those of others, rules, requests, and each thing that is done with them. */
import { expect, test } from 'vitest'
import { servedHome } from '../servers/served-home.ts'
import { ANSWER, LIST, PUBLIC_KEY, RULES, withAgents } from './agents-hub.ts'
import { violations } from './axe.ts'
import { type Opened, SIZES, type TestBrowser, withBrowser } from './browser.ts'
import { openAs } from './member-page.ts'

const FILES = {
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [lobby] }\n---\n',
}

async function open(
  browser: TestBrowser,
  {
    results = {},
    ...options
  }: { results?: Record<string, unknown> } & Parameters<TestBrowser['open']>[1] = {},
): Promise<Opened & { readonly hub: Awaited<ReturnType<typeof withAgents>> }> {
  const served = servedHome(FILES)
  const opened = await browser.open(served, options)
  const hub = await withAgents(opened.page, results)
  await opened.page.goto(new URL('/agents', opened.page.url()).href)
  await opened.page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  return { ...opened, hub }
}

withBrowser('agents', (browser) => {
  test('show our own agent, with the file that others save', async () => {
    const { page } = await open(browser)
    const own = page.getByRole('region', { name: 'Your agent' })
    await own.getByText('Listening on 0.0.0.0:8443').waitFor()
    await own
      .locator('.fingerprint')
      .getByText(/^([0-9a-f]{4} ){7}[0-9a-f]{4}$/)
      .waitFor()
    await own.getByText('Your file, for people').click()
    expect(await own.getByLabel('File eng-suzuki.md').inputValue()).toBe(
      `---\nrole: "engineer"\nowner: "Suzuki"\nendpoint: "https://192.0.2.7:8443"\npublic_key: "${PUBLIC_KEY}"\n---\nAgent eng-suzuki.\n`,
    )
  })

  test('say how to turn the protocol on if it is off', async () => {
    const { page } = await open(browser, {
      results: { 'agent.list': { self: null, agents: [], personas: [] } },
    })
    const own = page.getByRole('region', { name: 'Your agent' })
    expect(await own.getByRole('listitem').count()).toBe(4)
    expect(await own.getByRole('link', { name: 'neo.yaml' }).getAttribute('href')).toBe('/file/neo.yaml')
    expect(await page.getByRole('button', { name: 'Add an agent' }).count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Access rules' }).count()).toBe(0)
  })

  test('get a key with one press, and say why they do not listen', async () => {
    const self = { ...LIST.self, publicKey: null, listening: null, trouble: 'port 8443 is in use' }
    const { page, hub } = await open(browser, { results: { 'agent.list': { ...LIST, self } } })
    await page.getByText('Not listening: port 8443 is in use').waitFor()
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('The key was created.').waitFor()
    expect(hub.calls.map(({ method }) => method)).toContain('agent.keygen')
  })

  test('of others are listed with their state, and personas apart from them', async () => {
    const { page } = await open(browser)
    const peers = page.getByRole('region', { name: 'Agents of other homes' })
    const states = await peers
      .locator('.peer')
      .evaluateAll((all) =>
        all.map((one) => [one.getAttribute('aria-label'), one.getAttribute('data-status')]),
      )
    expect(states).toEqual([
      ['Agent design-ito', 'offline'],
      ['Agent pm-tanaka', 'online'],
      ['Agent qa-sato', 'busy'],
      ['Agent old-mori', 'revoked'],
    ])
    await peers.getByText('machine of kim').waitFor()
    await peers.getByText('It has no key').waitFor()
    expect(await peers.getByText('reviewer').count()).toBe(0)
    await page.getByRole('region', { name: 'Personas' }).getByText('Reads diffs.').waitFor()
  })

  test('are revoked after a confirmation', async () => {
    const { page, hub } = await open(browser)
    const card = page.getByRole('listitem', { name: 'Agent pm-tanaka' })
    await card.getByRole('button', { name: 'Revoke' }).click()
    expect(hub.calls.some(({ method }) => method === 'agent.revoke')).toBe(false)
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('pm-tanaka has no access any more.').waitFor()
    expect(hub.calls).toContainEqual({ method: 'agent.revoke', params: { agentId: 'pm-tanaka' } })
    const revoked = page.getByRole('listitem', { name: 'Agent old-mori' })
    expect(await revoked.getByRole('button').count()).toBe(0)
  })

  test('get a token, which is shown once', async () => {
    const made = { agentId: 'pm-tanaka', token: 'neo_agent_abc' }
    const { page, hub } = await open(browser, { results: { 'agent.token': made } })
    const card = page.getByRole('listitem', { name: 'Agent pm-tanaka' })
    await card.getByRole('button', { name: 'Token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Token for pm-tanaka' })
    expect(hub.calls.some(({ method }) => method === 'agent.token')).toBe(false)
    await dialog.getByRole('button', { name: 'Create token' }).click()
    expect(await dialog.getByLabel('Token for pm-tanaka').inputValue()).toBe('neo_agent_abc')
    await dialog.getByRole('button', { name: 'Copy' }).waitFor()
    expect(await violations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await card.getByRole('button', { name: 'Token' }).click()
    await dialog.getByRole('button', { name: 'Create token' }).waitFor()
    await dialog.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('pm-tanaka has no token any more.').waitFor()
    expect(hub.calls).toContainEqual({
      method: 'agent.token',
      params: { agentId: 'pm-tanaka', revoke: true },
    })
  })

  test('are added after the fingerprint was compared', async () => {
    const found = { id: 'pm-abe', publicKey: PUBLIC_KEY, certificate: null }
    const { page, hub } = await open(browser, { results: { 'agent.inspect': found } })
    await page.getByRole('button', { name: 'Add an agent' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add an agent' })
    await dialog.getByLabel('Endpoint').fill('192.0.2.1:8443/')
    await dialog.getByRole('button', { name: 'Look at it' }).click()
    const add = dialog.getByRole('button', { name: 'Add pm-abe' })
    await add.waitFor()
    expect(await add.isDisabled()).toBe(true)
    expect(await violations(page)).toEqual([])
    await dialog.getByLabel('Its owner has told me').check()
    await dialog.getByLabel('Role').fill('pm')
    await dialog.getByLabel('Repository').fill('acme/webapp')
    await add.click()
    await page.getByText('pm-abe was added.').waitFor()
    expect(hub.calls.filter(({ method }) => /inspect|add/.test(method))).toEqual([
      { method: 'agent.inspect', params: { endpoint: 'https://192.0.2.1:8443' } },
      {
        method: 'agent.add',
        params: {
          ...{ agentId: 'pm-abe', publicKey: PUBLIC_KEY, endpoint: 'https://192.0.2.1:8443', role: 'pm' },
          contexts: [{ type: 'repository', identifier: 'acme/webapp' }],
        },
      },
    ])
  })

  test('are asked in place, and the answer says what it is based on', async () => {
    const { page, hub } = await open(browser, { results: { 'agent.query': ANSWER } })
    const card = page.getByRole('listitem', { name: 'Agent pm-tanaka' })
    await card.getByRole('button', { name: 'Ask' }).click()
    await card.getByLabel('Question').fill('Is login done?')
    await card.getByRole('button', { name: 'Send the question' }).click()
    const said = card.getByRole('article', { name: 'Answer of pm-tanaka' })
    await said.getByText('done', { exact: true }).waitFor()
    expect(await said.textContent()).toMatch(/Progress: 80 %.*review.*src\/login\.ts.*the form/s)
    expect(hub.calls.find(({ method }) => method === 'agent.query')).toMatchObject({
      method: 'agent.query',
      params: { agentId: 'pm-tanaka', query: 'Is login done?', contextScope: LIST.agents[0]?.contexts },
    })
    expect(await violations(page)).toEqual([])
    const unreachable = page.getByRole('listitem', { name: 'Agent qa-sato' })
    expect(await unreachable.getByRole('button', { name: 'Ask' }).count()).toBe(0)
  })

  test('who may see what is tried out, and the rule that decides is marked', async () => {
    const decide = ({ resource }: { resource: string }) =>
      resource === 'acme/webapp'
        ? { allowed: true, permission: 'read', matchedRule: 'access.rules[0]', reason: '' }
        : { allowed: false, permission: 'none', matchedRule: null, reason: 'no rule matches' }
    const { page } = await open(browser, { results: { 'access.check': decide } })
    const tryOut = page.getByRole('region', { name: 'Who may see this?' })
    await tryOut.getByLabel('Name').fill('acme/webapp')
    await tryOut.getByRole('button', { name: 'Check' }).click()
    await tryOut.getByText('Yes: pm-tanaka may ask about repository acme/webapp.').waitFor()
    await tryOut.getByText('Rule 0 decides (pm-tanaka, acme/webapp): it gives read.').waitFor()
    expect(await page.locator('tr[data-matched="true"]').count()).toBe(1)
    await tryOut.getByLabel('Name').fill('acme/secret')
    expect(await page.locator('tr[data-matched="true"], .verdict').count()).toBe(0)
    await tryOut.getByRole('button', { name: 'Check' }).click()
    await tryOut.getByText('No: pm-tanaka may not ask about repository acme/secret.').waitFor()
    expect(await violations(page)).toEqual([])
  })

  test('their requests lead to what is decided and done', async () => {
    const { page } = await open(browser)
    const requests = page.getByRole('region', { name: 'Requests of other agents' })
    expect(await requests.getByRole('link', { name: 'Decide' }).getAttribute('href')).toBe(
      '/request/a-aaaaaa',
    )
    expect(await requests.getByRole('link', { name: 'Task' }).getAttribute('href')).toBe('/task/t-aaaaaa')
    expect(await requests.textContent()).not.toContain('Tell me.')
  })

  test('our questions to them are listed, with the answers that have come', async () => {
    const { page } = await open(browser)
    const questions = page.getByRole('region', { name: 'Your questions' })
    await questions.getByText('A person has to approve the answer first.').waitFor()
    await questions.getByText('its owner has refused').waitFor()
    await questions.getByRole('button', { name: 'Show the answer' }).click()
    const answer = questions.getByRole('article', { name: 'Answer of pm-tanaka' })
    expect(await answer.textContent()).toMatch(/Progress: 80 %.*review.*src\/login\.ts/s)
    expect(await violations(page)).toEqual([])
    await questions.getByRole('button', { name: 'Hide the answer' }).click()
    await answer.waitFor({ state: 'detached' })
  })

  test('audit mode is said loudly, with its end', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const { page } = await open(browser, { results: { 'access.rules': { ...RULES, auditUntil: until } } })
    const alert = page.getByRole('alert').filter({ hasText: 'Audit mode is on' })
    expect(await alert.locator('time').getAttribute('datetime')).toBe(until)
  })

  test('a refusal is shown as a message, and what was typed stays', async () => {
    const { page } = await open(browser, {
      results: { 'agent.query': new Error('pm-tanaka can’t be reached') },
    })
    const card = page.getByRole('listitem', { name: 'Agent pm-tanaka' })
    await card.getByRole('button', { name: 'Ask' }).click()
    await card.getByLabel('Question').fill('Is login done?')
    await card.getByRole('button', { name: 'Send the question' }).click()
    await page.getByText('pm-tanaka can’t be reached').waitFor()
    expect(await card.getByLabel('Question').inputValue()).toBe('Is login done?')
  })

  test('are not shown to members, in no list of views', async () => {
    const served = servedHome(FILES)
    const { page } = await openAs(browser, served, { member: 'kim', at: '/agents' })
    await page.getByText('Only the owner sees the agents of this home.').waitFor()
    expect(await page.getByRole('link', { name: 'Agents' }).count()).toBe(0)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('Agents')
    expect(await page.getByRole('option', { name: /^Agents/ }).count()).toBe(0)
  })

  test('are opened with keys', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served)
    await withAgents(page)
    await page.keyboard.press('g')
    await page.keyboard.press('p')
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  })

  for (const [size, viewport] of Object.entries(SIZES))
    test.each(['light', 'dark'] as const)(
      `are accessible, and fit, on a ${size} in %s`,
      async (colorScheme) => {
        const until = new Date(Date.now() + 3_600_000).toISOString()
        const results = { 'access.rules': { ...RULES, auditUntil: until } }
        const { page, wrong } = await open(browser, { results, viewport, colorScheme })
        await page.locator('.fingerprint').first().getByText(/ /).waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
        expect(await violations(page)).toEqual([])
        expect(wrong).toEqual([])
      },
    )
})
