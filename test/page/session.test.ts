/** Sessions in a browser: live output, a question answered, stop; old ones of any length; requests by their address. */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../path/home.ts'
import { startModel } from '../path/model.ts'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { withBrowser } from './browser.ts'

const PAYLOAD = '<img src=x onerror=alert(1)>'
const AT = '2026-03-01T09:00:00Z'

withBrowser('a session', (browser) => {
  test('shows what a command writes as it comes, in its colours, and is stopped with a second click', async () => {
    const served = servedHome()
    const gate = join(served.home.dir, '.git/gate')
    const script = `printf '\\033[32mgreen ${PAYLOAD}\\033[0m\\n'\nwhile [ ! -e '${gate}' ]; do sleep 0.1; done\necho second\nsleep 600`
    served.home.task('t', `---\nworker: shell\n---\n# Build\n\n\`\`\`sh\n${script}\n\`\`\`\n`)
    await until(() => served.home.neo('t', 'session') !== undefined, 120_000)
    const id = served.home.neo('t', 'session')
    const { page, wrong } = await browser.open(served, { at: `/session/${id}` })
    await page.waitForSelector(`.output .f-green >> text=green ${PAYLOAD}`)
    expect(await violations(page)).toEqual([])
    appendFileSync(gate, '')
    await page.waitForSelector('.output >> text=second')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByRole('button', { name: 'Yes, stop it' }).click()
    await until(() => served.home.status('t') === 'blocked', 120_000)
    await page.waitForSelector('.item-note >> text=Stopped')
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' })
    expect(await page.locator('img').count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('shows what an agent says and does, takes an answer, and replays when it has ended', async () => {
    const model = await startModel(({ turn }) => {
      if (turn === 0)
        return {
          text: `I **ask** ${PAYLOAD}`,
          calls: [{ name: 'write_file', input: { path: 'a.txt', content: PAYLOAD } }],
        }
      if (turn === 1) return { calls: [{ name: 'ask_human', input: { question: `Which ${PAYLOAD}?` } }] }
      return { calls: [{ name: 'finish_task', input: { result: 'The answer is used' } }] }
    })
    const served = servedHome({
      'neo.yaml': model.config,
      'rooms/shop/ROOM.md': '---\nname: Shop\nworker: agent\nreview: none\norchestrator: off\n---\n',
    })
    served.home.task('t', '# Ask\n\nAsk a person.\n')
    await until(() => served.home.neo('t', 'session') !== undefined, 120_000)
    const { page, wrong } = await browser.open(served, { at: `/session/${served.home.neo('t', 'session')}` })
    await page.waitForSelector('.said strong >> text=ask')
    const answer = page.getByLabel('Your answer')
    await answer.waitFor()
    expect(await violations(page)).toEqual([])
    await answer.fill('The second one')
    await page.getByRole('button', { name: 'Answer' }).click()
    await until(() => served.home.status('t') === 'completed', 120_000)
    await page.waitForSelector('.item-note >> text=Completed: The answer is used')
    await page.reload()
    await page.waitForSelector('.item-note >> text=Completed: The answer is used')
    await page.getByRole('button', { name: /write_file/ }).click()
    await page.waitForSelector(`.args >> text=${PAYLOAD}`)
    await page.waitForSelector('text=$0.00')
    expect(await page.locator('img').count()).toBe(0)
    expect(wrong).toEqual([])
  })

  test('a long one is read from its end, page by page, keeps its place, and says what is new', async () => {
    const entry = (at: number) =>
      `${JSON.stringify({ v: 1, id: `e${at}`, ts: AT, type: 'assistant', parts: [{ kind: 'text', text: `Word ${at}.` }] })}\n`
    const path = 'rooms/shop/transcripts/s-aaaaaa.jsonl'
    const served = servedHome({
      'rooms/shop/sessions/s-aaaaaa.md': `---\nid: s-aaaaaa\ntask: t-aaaaaa\nworker: agent\nstatus: completed\nstarted_at: ${AT}\nended_at: ${AT}\n---\n# Long work\n`,
      [path]: Array.from({ length: 5_000 }, (_, at) => entry(at)).join(''),
    })
    const { page, wrong } = await browser.open(served, { at: '/session/s-aaaaaa' })
    await page.getByText('Word 4999.').waitFor()
    expect(await page.getByText('Word 4000.').count()).toBe(0)
    const older = page.getByRole('button', { name: 'Show older' })
    while ((await older.count()) > 0) {
      const before = await page.locator('.item').count()
      await older.click()
      await until(async () => (await page.locator('.item').count()) > before)
    }
    expect(await page.locator('.item').count()).toBe(5_000)
    expect(await page.locator('.item').first().textContent()).toContain('Word 0.')
    await page.evaluate('document.querySelector("main").scrollTo(0, 0)')
    appendFileSync(join(served.home.dir, path), entry(5_000))
    await page.getByRole('button', { name: '1 new item below' }).click()
    await until(() =>
      page.evaluate(
        "(({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight > scrollHeight - 100)(document.querySelector('main'))",
      ),
    )
    await page.getByText('Word 5000.').waitFor()
    expect(wrong).toEqual([])
  })

  test('a request has an address, follows its file, and says how it was decided', async () => {
    const ask = (decision: string) =>
      `---\nkind: approval\nreason: Push it ${PAYLOAD}\naction: { tool: x, arguments: { a: "${PAYLOAD}" }, files: [], sha256: "0" }\n${decision}neo: { id: a-aaaaaa, created_at: ${AT} }\n---\nThe text ${PAYLOAD}\n`
    const path = 'rooms/shop/asks/a-aaaaaa.md'
    const served = servedHome({ [path]: ask('decision: pending\n') })
    const { page, wrong } = await browser.open(served, { at: '/request/a-aaaaaa' })
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    expect(await violations(page)).toEqual([])
    served.home.write(path, ask(`decision: denied\ndecided_by: Kim\ndecided_at: ${AT}\n`))
    await page.waitForSelector('text=Denied by Kim')
    await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' })
    expect(await page.locator('img').count()).toBe(0)
    await page.goto(new URL('/request/a-zzzzzz', page.url()).href)
    await page.waitForSelector("text=This request doesn't exist")
    expect(wrong).toEqual([])
  })
})
