/** The chat on the page: streaming, stopping, what Neo did, files, history, drafts, members, and no model. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../path/home.ts'
import { startModel } from '../path/model.ts'
import { servedHome } from '../servers/served-home.ts'
import { violations } from './axe.ts'
import { SIZES, withBrowser } from './browser.ts'
import { signIn } from './members.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const KIM = '---\nname: Kim\nrole: member\npermissions: { rooms: [shop] }\n---\n'

withBrowser('the chat', (browser) => {
  test('a message to Neo is answered, and both stay after a reload', async () => {
    const model = await startModel(() => 'There are **no** tasks yet.')
    const served = servedHome({ 'neo.yaml': model.config })
    const { page, wrong } = await browser.open(served, { at: '/chat/shop' })
    await page.getByLabel('Message to Neo').fill('What is next?')
    await page.keyboard.press('Enter')
    await page.locator('.chat-message[data-role="user"]').getByText('What is next?').first().waitFor()
    await page.locator('.chat-message[data-role="assistant"] strong').getByText('no').first().waitFor()
    expect(await page.getByLabel('Message to Neo').inputValue()).toBe('')
    await page.reload()
    await page.locator('.chat-message[data-role="assistant"] strong').getByText('no').first().waitFor()
    expect(await page.locator('.chat-message[data-role="user"]').count()).toBe(1)
    expect(await violations(page)).toEqual([])
    expect(wrong).toEqual([])
  })

  test('what Neo did is a link with its title and status', async () => {
    const model = await startModel(({ turn }) =>
      turn === 0
        ? {
            text: 'I plan it.',
            calls: [
              {
                name: 'create_task',
                input: { title: 'Order paper', description: 'Two boxes', worker: 'human' },
              },
              { name: 'add_memory', input: { type: 'note', content: 'Paper is A4' } },
            ],
          }
        : 'It is planned.',
    )
    const served = servedHome({ 'neo.yaml': model.config })
    const { page } = await browser.open(served, { at: '/chat/shop' })
    await page.getByLabel('Message to Neo').fill('We need paper')
    await page.keyboard.press('Control+Enter')
    const did = page.getByRole('list', { name: 'What Neo did' })
    await did.getByRole('link', { name: 'Order paper' }).waitFor()
    await page.getByText('It is planned.').first().waitFor()
    await did.locator('.status').first().waitFor()
    expect(await violations(page)).toEqual([])
    await did.getByRole('link', { name: 'Paper is A4' }).click()
    await page.locator('.memory-entry[aria-current]', { hasText: 'Paper is A4' }).waitFor()
    await page.goBack()
    await did.getByRole('link', { name: 'Order paper' }).click()
    await page.getByRole('heading', { name: 'Order paper' }).first().waitFor()
  })

  test('files are attached by button, paste and drop, sent, and seen by a model', async () => {
    const model = await startModel(() => 'A picture.')
    const served = servedHome({ 'neo.yaml': model.config })
    const { page, wrong } = await browser.open(served, { at: '/chat/shop' })
    await page.getByLabel('Files to attach').setInputFiles([
      { name: 'dot.png', mimeType: 'image/png', buffer: PNG },
      { name: 'page.html', mimeType: 'text/html', buffer: Buffer.from('<script>alert(1)</script>') },
    ])
    await page.getByRole('button', { name: 'Remove page.html' }).waitFor()
    await page.evaluate(DROP)
    await page.getByRole('button', { name: 'Remove dropped.txt' }).waitFor()
    await page.evaluate(PASTE)
    await page.getByRole('button', { name: 'Remove pasted.txt' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Remove pasted.txt' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    const picture = page.getByRole('img', { name: 'dot.png' }).first()
    await picture.waitFor()
    await page.getByText('A picture.').first().waitFor()
    await until(() => page.evaluate(`document.querySelector('img[alt="dot.png"]')?.naturalWidth === 1`))
    expect(model.asked[0]?.text).toContain('[file received: dropped.txt, text/plain')
    const link = page.getByRole('link', { name: /page\.html/ }).first()
    const address = new URL((await link.getAttribute('href')) ?? '', page.url()).href
    const answer = await page.request.get(address)
    expect(answer.headers()).toMatchObject({
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'content-disposition': expect.stringContaining('attachment'),
    })
    const forged = await page.request.post(new URL('/chat-files/shop?name=x', page.url()).href, {
      headers: { Origin: 'http://elsewhere.test', 'Content-Type': 'application/octet-stream' },
      data: Buffer.from('x'),
    })
    expect(forged.status()).toBe(403)
    expect(wrong).toEqual([])
  })

  test('an answer streams in, also after a reload, and stops when it is told to', async () => {
    const served = servedHome({ 'neo.yaml': await haltingModel('Half an answer so far ') })
    const { page } = await browser.open(served, { at: '/chat/shop' })
    await page.getByLabel('Message to Neo').fill('Count to a million')
    await page.keyboard.press('Enter')
    await page.getByText('Neo is working…').waitFor()
    await page.locator('[aria-busy="true"]', { hasText: 'Half an answer' }).waitFor()
    await page.reload()
    await page.locator('[aria-busy="true"]', { hasText: 'Half an answer' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.locator('.chat-event', { hasText: 'Stopped.' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  })

  test('earlier messages come above, and the draft survives a reload', async () => {
    const lines = Array.from({ length: 120 }, (_, at) =>
      JSON.stringify({
        ...{
          v: 1,
          id: `e${at}`,
          parent: null,
          ts: '2026-03-01T09:00:00Z',
          session: 'neo-shop',
          room: 'shop',
        },
        ...{ task: '', type: 'user', turn: `n${at}`, keys: [] },
        text: `<message from="human">\nMessage ${at}\n</message>`,
      }),
    )
    const served = servedHome({ 'rooms/shop/transcripts/neo-2026-03-01-1.jsonl': `${lines.join('\n')}\n` })
    const { page } = await browser.open(served, { at: '/chat/shop', viewport: SIZES.phone })
    await page.getByText('Message 119', { exact: true }).waitFor()
    expect(await page.getByText('Message 69', { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show earlier messages' }).click()
    await page.getByText('Message 20', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Show earlier messages' }).click()
    await page.getByText('Message 0', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Show earlier messages' }).count()).toBe(0)
    await page.getByLabel('Message to Neo').fill('Half a thought')
    await page.reload()
    await page.getByText('Message 119', { exact: true }).waitFor()
    expect(await page.getByLabel('Message to Neo').inputValue()).toBe('Half a thought')
  })

  test('without a model the owner learns what to do, and a member whom to ask', async () => {
    const served = servedHome({ 'neo.yaml': 'model: none\n', 'workspace/members/kim.md': KIM })
    const { page } = await browser.open(served, { at: '/chat/shop' })
    await page.getByRole('link', { name: 'Choose a model in the settings' }).waitFor()
    const { page: other, wrong } = await browser.blank()
    await signIn(other, served, { member: 'kim', at: '/chat/shop' })
    await other.getByText('Ask the owner to choose one.').waitFor()
    expect(await other.getByText(/terminal|neo watch/).count()).toBe(0)
    expect(await other.getByRole('button', { name: 'New conversation' }).count()).toBe(0)
    await other.getByLabel('Message to Neo').fill('Hello')
    await other.getByRole('button', { name: 'Send' }).click()
    await other.getByText('You · waits for its turn').waitFor()
    await until(() => served.home.git('log', '--format=%s').length > 0)
    await page.reload()
    await page.getByText('kim · waits for its turn').waitFor()
    expect(wrong).toEqual([])
  })
})

const FILES = (name: string) =>
  `const files = new DataTransfer(); files.items.add(new File(['hello'], '${name}', { type: 'text/plain' }));`
const DROP = `{${FILES('dropped.txt')} document.querySelector('.chat').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }))}`
const PASTE = `{${FILES('pasted.txt')} document.querySelector('.composer textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true }))}`

/** A model that begins an answer, and does not end it. */
async function haltingModel(text: string): Promise<string> {
  const events = [
    {
      type: 'message_start',
      message: {
        id: 'm1',
        type: 'message',
        role: 'assistant',
        content: [],
        model: 'x',
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  ]
  const server = createServer((_, answer) => {
    answer.writeHead(200, { 'Content-Type': 'text/event-stream' })
    for (const event of events) answer.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return [
    'model: fake/claude-sonnet-5-5',
    'providers:',
    `  fake: { api: anthropic, api_key: test, base_url: "http://127.0.0.1:${port}" }`,
    'daemon: { settle: 0s, rescan: 1s }',
    '',
  ].join('\n')
}
