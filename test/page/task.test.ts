/** A task in a browser: what it waits for, its story, and each action. */
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { startModel } from '../path/model.ts'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { withBrowser } from './browser.ts'

const PAYLOAD = '<img src=x onerror=alert(1)>'
const sh = (script: string) => `\n\`\`\`sh\n${script}\n\`\`\`\n`

withBrowser('a task', (browser) => {
  test('says what it waits for, and tells what happened as it happens', async () => {
    const served = servedHome({
      'rooms/shop/tasks/freeze.md': '---\nstatus: draft\n---\n# Freeze the branch\n',
    })
    served.home.task(
      'build',
      `---\nworker: shell\ndepends_on: [freeze]\n---\n# Build ${PAYLOAD}\n${sh('echo built > built.txt')}`,
    )
    await until(() => served.home.neo('build', 'id') !== undefined, 120_000)
    const { page, wrong } = await browser.open(served, { at: '/task/build' })
    const waits = page.getByRole('region', { name: 'Waits for' })
    await waits.getByRole('link', { name: 'Freeze the branch' }).waitFor()
    await page.getByText('created the task').waitFor()
    expect(await violations(page)).toEqual([])

    served.home.write('rooms/shop/tasks/freeze.md', '---\nstatus: completed\n---\n# Freeze the branch\n')
    const attempt = page.getByRole('region', { name: 'Attempt 1' })
    await attempt.getByText('Attempt 1 completed').waitFor()
    await attempt.getByText('Merged').waitFor()
    await attempt.getByRole('list').getByRole('link').first().click()
    await page
      .getByRole('region', { name: 'workspace/files/built.txt' })
      .getByText('built', { exact: true })
      .waitFor()
    expect(await violations(page)).toEqual([])
    await page.goBack()
    expect(await waits.count()).toBe(0)
    await attempt.getByRole('button', { name: 'What it did' }).click()
    await attempt.getByRole('button', { name: /step 1/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await violations(page)).toEqual([])
    expect(await page.locator('img').count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('shows checks with their output, is assigned by keyboard, retried, and done by a person', async () => {
    const served = servedHome()
    served.home.task(
      't',
      `---\nworker: shell\nverify: ["true", "echo '2 rules are unused'; exit 3"]\n---\n# Check\n${sh('true')}`,
    )
    await until(() => served.home.status('t') === 'failed', 120_000)
    const { page, wrong } = await browser.open(served, { at: '/task/t' })
    const checks = page.getByRole('list', { name: 'Checks' })
    await checks.getByText('failed, exit 3').waitFor()
    await page
      .getByRole('region', { name: /^Output of echo/ })
      .getByText('2 rules are unused')
      .waitFor()
    await page.keyboard.press('a')
    await page.getByRole('menuitemradio', { name: /^Shell/ }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await until(() => /^worker: human$/m.test(served.home.read('rooms/shop/tasks/t.md')), 120_000)
    await page.getByText('a person', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('region', { name: 'Waits for' }).getByText('a person to do it').waitFor()
    await page.getByRole('button', { name: 'Mark as done' }).click()
    await until(() => served.home.status('t') === 'completed', 120_000)
    await page.getByText('completed it').waitFor()
    expect(wrong).toEqual([])
  })

  test('asks in place, stops with a second click, and says what it cost', async () => {
    const model = await startModel(({ turn }) =>
      turn === 0
        ? { calls: [{ name: 'ask_human', input: { question: `Which ${PAYLOAD}?` } }] }
        : { calls: [{ name: 'finish_task', input: { result: 'The answer is used' } }] },
    )
    const served = servedHome({
      'neo.yaml': model.config,
      'rooms/shop/ROOM.md': '---\nname: Shop\nworker: agent\nreview: none\norchestrator: off\n---\n',
    })
    served.home.task('t', '# Ask\n\nAsk a person.\n')
    const { page, wrong } = await browser.open(served, { at: '/room/shop' })
    await page.getByRole('link', { name: /^Ask/ }).click()
    await page.getByLabel('Your answer').first().fill('The second one')
    await page.getByRole('button', { name: 'Answer' }).first().click()
    await page.getByText('Attempt 1 completed').waitFor()
    await page.locator('.story .good-text').getByText('The second one').waitFor()
    await page
      .locator('.task-status')
      .getByText(/^\$0\.00\d+, 2\d\d tokens$/)
      .waitFor()
    expect(await violations(page)).toEqual([])

    served.home.task('long', `---\nworker: shell\n---\n# Long\n${sh('sleep 600')}`)
    await until(() => served.home.neo('long', 'session') !== undefined, 120_000)
    await page.goto(new URL('/task/long', page.url()).href)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Yes, stop it' }).click()
    await until(() => served.home.status('long') === 'blocked', 120_000)
    await page.getByText('a person to start it again').waitFor()
    await page.getByRole('button', { name: 'Start now' }).waitFor()
    expect(wrong).toEqual([])
  })

  test('is edited: typed text survives a reload, and a change of somebody else is shown first', async () => {
    const served = servedHome({
      'rooms/shop/tasks/t.md': '---\nstatus: draft\nverify: ["a, b"]\n---\n# Plan\n\nFirst words.\n',
    })
    await until(() => served.home.neo('t', 'id') !== undefined, 120_000)
    const { page, wrong } = await browser.open(served, { at: '/task/t' })
    await page.getByRole('tab', { name: 'Edit' }).click()
    const text = page.getByLabel('Description')
    await text.fill('# Plan\n\nMy words.\n')
    await page.getByLabel(/^verify/).waitFor()
    expect(await violations(page)).toEqual([])
    await page.reload()
    await page.getByText('You have typed changes that are not saved.').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await text.inputValue()).toContain('My words.')
    served.home.task('t', served.home.text('t').replace('First words.', 'Their words.'))
    const conflict = page.getByRole('region', { name: 'Changed meanwhile' })
    await conflict.getByText('Their words.').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    expect(await violations(page)).toEqual([])
    await conflict.getByRole('button', { name: 'Put it below mine' }).click()
    await page.getByLabel(/^verify/).fill('a, b\nnpm test')
    await page.getByLabel(/^retry/).fill('2')
    await page.getByLabel(/^budget.usd/).fill('1.5')
    await page.getByLabel(/^timeout/).fill('30m')
    await page.keyboard.press('Control+s')
    await until(
      () => /Their words/.test(served.home.text('t')) && /My words/.test(served.home.text('t')),
      120_000,
    )
    const saved = served.home.text('t')
    expect(saved).toMatch(/verify: \["a, b", npm test\]|verify:\n {2}- "?a, b"?\n {2}- npm test/)
    expect(saved).toMatch(/max: 2/)
    expect(saved).toMatch(/usd: 1.5/)
    expect(saved).toMatch(/timeout: 30m/)
    expect(wrong).toEqual([])
  })

  test('links a pull request only if it is a web page, and shows a member what their rooms have', async () => {
    const neo = (id: string, pr: string) =>
      `neo: { id: t-${id}, created_at: 2026-03-01T09:00:00Z, pr: "${pr}" }`
    const served = servedHome({
      'rooms/shop/tasks/good.md': `---\nstatus: completed\n${neo('aaaaaa', 'https://example.org/pull/1')}\n---\n# Good\n`,
      'rooms/shop/tasks/bad.md': `---\nstatus: completed\n${neo('bbbbbb', 'javascript:alert(1)')}\n---\n# Bad\n`,
      'rooms/shop/tasks/waits.md': '---\nstatus: pending\ndepends_on: [desk/secret]\n---\n# Waits\n',
      'rooms/desk/tasks/secret.md': '---\nstatus: draft\n---\n# Secret of the desk\n',
      'workspace/members/lee.md': '---\nname: Lee\nrole: guest\npermissions: { rooms: [shop] }\n---\n',
    })
    const { page, wrong } = await browser.open(served, { at: '/task/good' })
    const link = page.getByRole('link', { name: 'example.org/pull/1' })
    expect(await link.getAttribute('href')).toBe('https://example.org/pull/1')
    await page.goto(new URL('/task/bad', page.url()).href)
    await page.getByText('javascript:alert(1)').waitFor()
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)

    const { url } = await served.door()
    const headers = { Authorization: `Bearer ${served.said().token}`, 'Content-Type': 'application/json' }
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'member.token',
      params: { memberId: 'lee' },
    })
    const answer = await fetch(`${url}/rpc`, { method: 'POST', headers, body })
    const { result } = (await answer.json()) as { readonly result: { readonly token: string } }
    const member = await browser.blank()
    await member.page.goto(`${url}/task/shop/waits`)
    await member.page.getByLabel('Access token').fill(result.token)
    await member.page.getByRole('button', { name: 'Sign in' }).click()
    await member.page.getByText('the task desk/secret').waitFor()
    await member.page.getByText('created the task').waitFor()
    expect(await member.page.content()).not.toContain('Secret of the desk')
    expect(await member.page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    expect(wrong).toEqual([])
  })
})
