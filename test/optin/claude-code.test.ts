/**
 * Claude Code itself as a worker, against a model server on loopback. It downloads some 500 MB, so it runs only where
 * NEO_OPTIN=1 is set.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type Home, makeHome, until } from '../path/home.ts'
import { type Asked, startModel } from '../path/model.ts'

const INSTALL_MS = 10 * 60_000
const OPTED = process.env['NEO_OPTIN'] === '1'
const WHY = 'it installs @anthropic-ai/claude-code: set NEO_OPTIN=1 to run it'
const ROOM = '---\nname: Shop\nworker: exec:claude\nreview: none\n---\nWrite in short sentences.\n'
/** As root it refuses to skip its own questions, so what it may do is named. */
const FLAGS =
  '-p, --output-format, stream-json, --verbose, --permission-mode, acceptEdits, --allowedTools, "Bash Edit Write Read"'

test(
  'claude works on a task, changes a file, and what it used is in the task',
  async ({ skip }) => {
    if (!OPTED) skip(WHY)
    const claude = installed()
    const model = await startModel(script)
    const home = claudeHome(claude, model.url)
    home.write('workspace/files/greeting.txt', 'hello world\n')
    home.git('add', '-A')
    home.git('commit', '-q', '-m', 'greeting')
    home.task('greet', '---\nverify: [grep -q "hello moon" greeting.txt]\n---\nGreet the moon.\n')
    await home.run({ timeoutMs: 120_000 })
    expect([home.status('greet'), home.neo('greet', 'error')]).toEqual(['completed', undefined])
    expect(home.neo('greet', 'result')).toBe('The moon is greeted.')
    expect(home.read('workspace/files/greeting.txt')).toBe('hello moon\n')
    expect(home.text('greet')).toMatch(/usage: \{ ?input_tokens: \d+, output_tokens: \d+, usd: [\d.]+/)
    expect(model.asked.some(({ text }) => text.includes('Greet the moon.'))).toBe(true)
  },
  INSTALL_MS,
)

test(
  'a rate limit that the server tells claude lets the task wait',
  async ({ skip }) => {
    if (!OPTED) skip(WHY)
    const claude = installed()
    const home = claudeHome(claude, await limitedServer())
    home.task('greet', 'Greet the moon.\n')
    const daemon = home.watch()
    await until(() => home.neo('greet', 'retry_at') !== undefined, 60_000)
    await daemon.stop()
    expect([home.status('greet'), home.neo('greet', 'retries')]).toEqual(['pending', undefined])
    expect(Date.parse(home.neo('greet', 'retry_at') ?? '')).toBeGreaterThan(Date.now())
  },
  INSTALL_MS,
)

/** Reads the file, edits it, says so. Calls without tools are the program's own, for titles and the like. */
function script({ tools, turn, text }: Asked) {
  const folder = /working directory: (\S+)/i.exec(text)?.[1] ?? ''
  const file = join(folder, 'greeting.txt')
  if (tools.length === 0) return 'Greeting'
  if (turn === 0) return { calls: [{ name: 'Read', input: { file_path: file } }] }
  if (turn === 1)
    return { calls: [{ name: 'Edit', input: { file_path: file, old_string: 'world', new_string: 'moon' } }] }
  return 'The moon is greeted.'
}

function claudeHome(claude: string, url: string): Home {
  const config = [
    'model: rules',
    'workers:',
    '  claude:',
    `    command: [${join(claude, 'node_modules/.bin/claude')}, ${FLAGS}]`,
    `    read: [${claude}]`,
    '    env: [ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC]',
    '    network: allow',
    'daemon: { settle: 0s, rescan: 1s }',
    '',
  ]
  const home = makeHome({ 'neo.yaml': config.join('\n'), 'rooms/shop/ROOM.md': ROOM })
  const own = ['ANTHROPIC_API_KEY=test-key', `ANTHROPIC_BASE_URL=${url}`]
  home.write('.env', `${[...own, 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1'].join('\n')}\n`)
  return home
}

let folder = ''

/** The newest version, in a folder of its own. Newer npm runs its script only where it is allowed by name. */
function installed(): string {
  if (folder !== '') return folder
  folder = mkdtempSync(join(tmpdir(), 'neo-claude-'))
  const allowScripts = { '@anthropic-ai/claude-code': true }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts }))
  const options = { cwd: folder, stdio: 'pipe', timeout: INSTALL_MS } as const
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '@anthropic-ai/claude-code'], options)
  return folder
}

afterAll(() => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function limitedServer(): Promise<string> {
  const body = JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: 'too many' } })
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(429, { 'content-type': 'application/json', 'x-should-retry': 'false' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
