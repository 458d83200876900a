/** A long answer: it holds up nobody else, no word and no approval, and ends by /stop. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { runbook, until } from '../../path/home.ts'
import { startTelegram } from './server.ts'
import { OWNER, PARENT, talking, telegramFiles } from './telegram-home.ts'

/** A model that begins to answer and never ends. */
async function startEndless(): Promise<{ readonly config: string; readonly asked: () => number }> {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume()
    asked += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': begins\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = `model: fake/m\nproviders: { fake: { api: anthropic, api_key: k, base_url: "${url}" } }\ndaemon: { settle: 0s, rescan: 1s }\n`
  return { config, asked: () => asked }
}

test('while an answer takes long others are heard, an approval is decided, and /stop ends it', async () => {
  const model = await startEndless()
  const server = await startTelegram()
  const files = telegramFiles(server.url, model.config)
  const { home, queues } = await talking({
    ...files,
    'rooms/shop/ROOM.md': `---\nname: Shop\nworker: shell\nnotify: ["telegram:${PARENT}"]\napprovers: [m-ana]\npermissions: { shell: ask }\n---\n`,
  })
  server.text(OWNER, 'Tell me all')
  await until(() => model.asked() === 1, 20_000)
  server.text(PARENT, 'And me')
  await until(() => model.asked() === 2, 20_000)
  home.task('one', runbook(['echo one'], ['neo:', '  created_by: neo']))
  await until(() => server.sent.some(({ payload }) => payload['reply_markup'] !== undefined), 20_000)
  const markup = server.sent.find(({ payload }) => payload['reply_markup'] !== undefined)?.payload[
    'reply_markup'
  ]
  const { inline_keyboard: rows } = markup as { inline_keyboard: { callback_data: string }[][] }
  server.press(PARENT, PARENT, rows[0]?.[0]?.callback_data ?? '')
  await until(() => home.status('one') === 'completed', 20_000)
  server.text(OWNER, '/stop')
  const said = () => server.sent.filter(({ chat }) => chat === String(OWNER)).map(({ text }) => text)
  await until(() => said().some((text) => text.startsWith('Stopped the answer')), 20_000)
  await until(() => queues().counts().inbound === 1, 20_000)
  expect(said()).toContain('Stopped.')
})
