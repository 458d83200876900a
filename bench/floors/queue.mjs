// A bare bot: asks for updates, keeps each on disk, asks the model for each chat in turn, four chats at a time, keeps the
// answer, sends it, keeps that it is sent. `node queue.mjs API_URL MODEL_URL FILE`; it runs until it is ended.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'

const [api, model, path] = process.argv.slice(2)
const file = openSync(path, 'a')
const keep = (line) => {
  writeSync(file, `${JSON.stringify(line)}\n`)
  fdatasyncSync(file)
}
const post = async (url, body) => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return answer.text()
}
const MOST_TOGETHER = 40
const AT_ONCE = 4
const chats = new Map()
const busy = new Set()

async function answer(chat) {
  const texts = chats.get(chat).splice(0, MOST_TOGETHER)
  const said = await post(`${model}/v1/chat/completions`, {
    model: 'm',
    messages: [{ role: 'user', content: texts.join('\n\n') }],
  })
  const text = [...said.matchAll(/"content":"((?:[^"\\]|\\.)*)"/g)].map(([, one]) => one).join('')
  keep({ chat, text })
  await post(`${api}/sendMessage`, { chat_id: chat, text })
  keep({ chat, sent: true })
}

function go() {
  for (const [chat, texts] of chats) {
    if (busy.size >= AT_ONCE) return
    if (texts.length === 0 || busy.has(chat)) continue
    busy.add(chat)
    void answer(chat).then(() => {
      busy.delete(chat)
      go()
    })
  }
}

process.on('SIGTERM', () => {
  closeSync(file)
  process.exit(0)
})
console.log('ready')
for (let offset = 0; ; ) {
  const { result } = JSON.parse(await post(`${api}/getUpdates`, { offset, limit: 100, timeout: 1 }))
  for (const { update_id: id, message } of result) {
    keep(message)
    chats.set(message.chat.id, [...(chats.get(message.chat.id) ?? []), message.text])
    offset = id + 1
  }
  go()
}
