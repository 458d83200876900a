/** The timeline on the page: filters in the address, plain words, older events, and new ones without a jump. */
import { expect, test } from 'vitest'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { SIZES, withBrowser } from './browser.ts'
import { openAs } from './member-page.ts'

const LINES = Array.from({ length: 120 }, (_, at) => {
  const ts = new Date(Date.parse('2026-03-01T09:00:00Z') + at * 1_000).toISOString()
  return JSON.stringify({ v: 1, type: 'note', ts, text: `Line ${at} of it` })
})
const FILES = {
  'rooms/shop/tasks/plan.md': '---\nstatus: draft\n---\n# Plan\n',
  'rooms/shop/transcripts/s-aaaaaa.jsonl': `${LINES.join('\n')}\n`,
  'rooms/desk/ROOM.md': '---\nname: Desk\n---\n',
  'rooms/desk/tasks/secret.md': '---\nstatus: draft\n---\n# Secret of the desk\n',
  'workspace/members/kim.md': '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n',
}

const AGENTS = {
  'neo.yaml': 'agent: { id: ana, role: pm, owner: Ana, host: 127.0.0.2, port: 0 }\n',
  'workspace/agents/cat.md': '---\nowner: Cat\n---\n',
}
/** Lines of the audit log: what agents of other homes asked for. */
const QUESTIONS = [
  ['cat', 'aoi.query', 'peer-read', 'allow', 'the rule gives read'],
  ['dan', 'aoi.query', 'peer-read', 'allow', 'the rule gives read'],
  ['cat', 'aoi.discover', 'peer-hello', 'allow', 'its file is in workspace/agents'],
  ['cat', 'aoi.task.execute', 'peer-write', 'deny', 'no rule gives this agent access'],
]
  .map(([id, method, act, effect, reason], at) => {
    const line = { at: `2026-03-01T09:00:0${at}Z`, who: `peer:${id}`, method, act, room: 'shop', about: {} }
    return `${JSON.stringify({ ...line, effect, rule: 'access.rules[0]', reason, prev: '', hash: `${at}` })}\n`
  })
  .join('')

withBrowser('activity', (browser) => {
  test('says in plain words what happened, and shows a change of a file at once', async () => {
    const served = servedHome(FILES)
    const { page, wrong } = await browser.open(served, { at: '/activity' })
    await page.getByText(/adopted .*plan/).waitFor()
    served.home.task('new', '---\nstatus: draft\n---\n# New\n')
    await page.getByRole('link', { name: 'new', exact: true }).waitFor()
    await page.getByRole('heading', { name: /^Today/ }).waitFor()
    await page.getByRole('link', { name: 'new', exact: true }).click()
    await page.waitForURL(/\/task\//)
    await page.getByLabel('Search', { exact: true }).fill('unheard of')
    await page.getByText('No event matches these filters.').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.waitForURL(/\/activity\?text=unheard\+of$/)
    expect(wrong).toEqual([])
  })

  test('shows refusals only, with who, what and why', async () => {
    const served = servedHome(FILES)
    const kim = await openAs(browser, served, { member: 'kim', at: '/' })
    await kim.page.evaluate(`fetch('/rpc', {
      method: 'POST', headers: { 'Content-Type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"room.pause","params":{"roomId":"shop"}}'
    })`)
    const { page } = await browser.open(served, { at: '/activity?kind=refusals' })
    await page.getByText('kim was refused: pause a room').waitFor()
    expect(await page.locator('.event').count()).toBe(await page.locator('[data-effect="deny"]').count())
    expect(await violations(page)).toEqual([])
  })

  test('shows what happened with an agent of another home, from its card', async () => {
    const served = servedHome({ ...FILES, ...AGENTS })
    served.home.write('.git/neo/audit.jsonl', QUESTIONS)
    const { page, wrong } = await browser.open(served, { at: '/agents' })
    const card = page.getByRole('listitem', { name: 'Agent cat' })
    await card.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await card.getByText('Revoked').waitFor()
    await card.getByRole('link', { name: 'Activity' }).click()
    await page.getByText('You revoked an agent').waitFor()
    expect(await page.locator('.event-body > p:first-child').allTextContents()).toEqual([
      'You revoked an agent',
      'Agent cat was refused: hand over a task · no rule gives this agent access',
      'Agent cat asked a question',
    ])
    expect(await violations(page)).toEqual([])
    await page.getByLabel('Agent', { exact: true }).selectOption('All agents')
    await page.getByText('Agent dan asked a question').waitFor()
    expect(new URL(page.url()).search).toBe('?kind=peers')
    expect(wrong).toEqual([])
  })

  test('keeps its filters in the address, and clears them', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/activity?kind=all&room=shop' })
    await page.getByLabel('Search').fill('line 77 of')
    await page.getByText('Line 77 of it').waitFor()
    await page.getByText('Line 78 of it').waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?kind=all&room=shop&text=line+77+of')
    await page.reload()
    await page.getByText('Line 77 of it').waitFor()
    await page.getByLabel('To').fill('2026-02-01')
    await page.getByText('No event matches these filters.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText(/adopted .*plan/).waitFor()
    await page.getByLabel('Task').fill('plan')
    await page.getByText(/adopted/).waitFor()
    await page.getByLabel('Task').fill('nowhere')
    await page.getByText(/"nowhere"/).waitFor()
  })

  test('loads older events when its end is reached, newest first', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/activity?kind=agents' })
    await page.getByText('Line 119 of it').waitFor()
    await page.getByText('Line 119 of it').scrollIntoViewIfNeeded()
    expect(await page.locator('.event').first().textContent()).toContain('Line 119')
    for (const line of ['Line 70 of it', 'Line 20 of it', 'Line 0 of it'])
      await page.getByText(line).scrollIntoViewIfNeeded()
    expect(await page.locator('.event').count()).toBe(120)
  })

  test('does not move what is read: new events wait until they are asked for', async () => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, { at: '/activity?kind=all' })
    await page.getByText('Line 119 of it').waitFor()
    await page.getByText('Line 100 of it').scrollIntoViewIfNeeded()
    await page.evaluate("document.querySelector('main').scrollTo(0, 600)")
    served.home.task('new', '---\nstatus: draft\n---\n# New\n')
    await page.getByRole('button', { name: /^Show \d+ new events?$/ }).waitFor()
    expect(await page.getByRole('link', { name: 'new', exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: /^Show \d+ new events?$/ }).click()
    await page.getByRole('link', { name: 'new', exact: true }).waitFor()
  })

  test('of other rooms is not shown to a member', async () => {
    const served = servedHome(FILES)
    const owner = await browser.open(served, { at: '/room/desk' })
    await owner.page.getByText('Secret of the desk').waitFor()
    const { page } = await openAs(browser, served, { member: 'kim', at: '/activity?kind=all' })
    await page.getByText('Line 119 of it').waitFor()
    expect(await page.locator('main').textContent()).not.toMatch(/secret|desk/i)
    served.home.task('new', '---\nstatus: draft\n---\n# New\n')
    await page
      .getByText(/created|adopted/)
      .first()
      .waitFor()
  })

  test.each(['light', 'dark'] as const)('is accessible and fits a phone in %s', async (colorScheme) => {
    const served = servedHome(FILES)
    const { page } = await browser.open(served, {
      ...{ at: '/activity?kind=all', colorScheme, viewport: SIZES.phone },
    })
    await page.getByText('Line 119 of it').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width)
    expect(await violations(page)).toEqual([])
  })
})
