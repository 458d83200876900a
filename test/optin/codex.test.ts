/**
 * Codex itself as a worker, against a server of the Responses protocol on loopback. It downloads some 200 MB, so it runs
 * only where NEO_OPTIN=1 is set.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeHome } from '../path/home.ts'

const INSTALL_MS = 10 * 60_000
const OPTED = process.env['NEO_OPTIN'] === '1'
const WHY = 'it installs @openai/codex: set NEO_OPTIN=1 to run it'
const ROOM = '---\nname: Shop\nworker: exec:codex\nreview: none\n---\nWrite in short sentences.\n'

if (!OPTED) process.stdout.write(`test/optin/codex.test.ts is skipped: ${WHY}\n`)

test(
  'codex works on a task, changes a file, and what it used is in the task',
  async ({ skip }) => {
    if (!OPTED) skip(WHY)
    const codex = installed()
    const url = await responses()
    const provider = `model_providers.loop={name="loop",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`
    const flags = ['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check']
    const settings = ['-c', 'model_provider=loop', '-c', provider, '-m', 'some-model', '-']
    const config = {
      model: 'rules',
      workers: {
        codex: {
          command: [join(codex, 'node_modules/.bin/codex'), ...flags, ...settings],
          read: [codex],
          env: ['OPENAI_API_KEY'],
          network: 'allow',
        },
      },
      daemon: { settle: '0s', rescan: '1s' },
    }
    const home = makeHome({ 'neo.yaml': JSON.stringify(config), 'rooms/shop/ROOM.md': ROOM })
    home.write('.env', 'OPENAI_API_KEY=test-key\n')
    home.task('greet', '---\nverify: [grep -q moon greeting.txt]\n---\nGreet the moon.\n')
    await home.run({ timeoutMs: 60_000 })
    expect([home.status('greet'), home.neo('greet', 'error')]).toEqual(['completed', undefined])
    expect(home.neo('greet', 'result')).toBe('The moon is greeted.')
    expect(home.read('workspace/files/greeting.txt')).toBe('hello moon\n')
    expect(home.text('greet')).toMatch(/usage: \{ ?input_tokens: 200, output_tokens: 14/)
  },
  INSTALL_MS,
)

function installed(): string {
  const folder = mkdtempSync(join(tmpdir(), 'neo-codex-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }))
  const options = { cwd: folder, stdio: 'pipe', timeout: INSTALL_MS } as const
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '@openai/codex'], options)
  return folder
}

/** First a command, then words. */
async function responses(): Promise<string> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    if (request.url !== '/v1/responses') return void response.writeHead(404).end('{}')
    answer(response, Buffer.concat(pieces).toString('utf8').includes('function_call_output'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function answer(response: ServerResponse, hasRun: boolean): void {
  const event = (one: { readonly type: string } & Record<string, unknown>) =>
    response.write(`event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`)
  const cmd = JSON.stringify({ cmd: 'echo hello moon > greeting.txt' })
  const content = [{ type: 'output_text', text: 'The moon is greeted.' }]
  const item = hasRun
    ? { type: 'message', id: 'm', role: 'assistant', content }
    : { type: 'function_call', id: 'f', call_id: 'c', name: 'exec_command', arguments: cmd }
  const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 7 }
  const whole = { ...usage, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 107 }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  event({ type: 'response.created', response: { id: 'r' } })
  event({ type: 'response.output_item.done', item })
  event({
    type: 'response.completed',
    response: { id: 'r', object: 'response', status: 'completed', output: [], usage: whole },
  })
  response.end()
}
