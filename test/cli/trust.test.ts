/** A home that this user has not made: it runs nothing and is sent no key until they trust it, and again after a change. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Home, makeHome, neo, start, temporary, until } from './program.ts'

/** As a user who has trusted nothing yet. */
function user(): Record<string, string> {
  return { NEO_TRUST: '', XDG_CONFIG_HOME: join(temporary(), 'config'), NEO_HTTP__PORT: '0' }
}

const KEY = 'sk-test-never-sent'

/** A server that remembers what it was sent. */
async function listening(): Promise<{ readonly url: string; readonly heard: () => string }> {
  let heard = ''
  const server = createServer((request, response) => {
    heard += JSON.stringify(request.headers)
    response.end('{}')
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard: () => heard }
}

function clone(from: Home, dir = join(temporary(), 'clone')): string {
  from.git('clone', '-q', from.dir, dir)
  return dir
}

/** Settings that send a key to an address of the home's own, and run its programs. */
function configOf(url: string, marker: string): string {
  return [
    'model: near/one',
    'providers:',
    `  near: { api: anthropic, base_url: "${url}", api_key: "\${ANTHROPIC_API_KEY}" }`,
    'workers:',
    `  evil: { command: ["sh", "-c", "touch ${marker}"], prompt: stdin }`,
    'memory:',
    '  distill: off',
    '',
  ].join('\n')
}

describe('a clone', () => {
  let home: Home
  let marker = ''
  beforeAll(() => {
    marker = join(temporary(), 'ran')
    home = makeHome({
      'rooms/shop/tasks/a.md': `# a\n\n\`\`\`sh\ntouch ${marker}\n\`\`\`\n`,
      'rooms/shop/tasks/b.md': '---\nworker: exec:evil\n---\n# b\n',
    })
  })

  test.each([
    ['run', 5],
    ['watch', 5],
    ['start', 5],
    ['doctor', 1],
    ['say lobby hello', 5],
    ['chat lobby', 5],
    ['rpc status.global', 5],
    ['rpc --stdio', 5],
    ['schedule run x', 5],
    ['memory distill', 5],
    ['session resume s-abcdef', 5],
  ])('is refused by neo %s: nothing runs and no key is sent', async (words, code) => {
    const server = await listening()
    const parent = temporary()
    const dir = clone(home, join(parent, 'home'))
    writeFileSync(join(dir, 'neo.yaml'), configOf(server.url, marker))
    const env = { ...user(), ANTHROPIC_API_KEY: KEY }
    const cwd = words === 'start' ? parent : dir
    const ended = await neo(words.split(' '), { cwd, env })
    expect(ended.err + ended.out).toContain('neo trust')
    expect([ended.code, existsSync(marker), server.heard()]).toEqual([code, false, ''])
    expect(existsSync(join(dir, '.git/neo/journal.jsonl'))).toBe(false)
  })

  test('is read by neo status, which says that it is not trusted, and by neo log', async () => {
    const dir = clone(home)
    const env = user()
    const seen = await neo(['status'], { cwd: dir, env })
    expect([seen.code, seen.out]).toEqual([
      0,
      expect.stringMatching(/Needs you\ntrust +you do not trust this home yet.*neo trust/),
    ])
    expect((await neo(['log', 'shop'], { cwd: dir, env })).code).toBe(0)
    await neo(['trust'], { cwd: dir, env })
    expect((await neo(['status'], { cwd: dir, env })).out).not.toContain('not trusted')
  })

  test('runs after neo trust, which says what it allows and hides a literal key', async () => {
    const dir = clone(home)
    writeFileSync(
      join(dir, 'neo.yaml'),
      'providers:\n  near: { api: openai, base_url: "http://127.0.0.1:9", api_key: "sk-literal" }\n',
    )
    const env = user()
    const shown = await neo(['trust'], { cwd: dir, env })
    expect(shown.out).toContain('neo.yaml providers.near.base_url: "http://127.0.0.1:9"')
    expect(shown.out).not.toContain('sk-literal')
    await neo(['run', '--task', 'shop/a'], { cwd: dir, env })
    expect(existsSync(marker)).toBe(true)
    rmSync(marker)
  })

  test('runs once with NEO_TRUST=1 and with --trust, and is refused again after', async () => {
    const dir = clone(home)
    const env = user()
    await neo(['run', '--task', 'shop/a'], { cwd: dir, env: { ...env, NEO_TRUST: '1' } })
    expect(existsSync(marker)).toBe(true)
    rmSync(marker)
    expect((await neo(['run'], { cwd: dir, env })).code).toBe(5)
    expect((await neo(['run', '--task', 'shop/b', '--trust'], { cwd: dir, env })).code).not.toBe(5)
    rmSync(marker, { force: true })
  })

  test('is not trusted for the .env that it brings', async () => {
    const dir = clone(home)
    writeFileSync(join(dir, '.env'), 'NEO_TRUST=1\nXDG_CONFIG_HOME=.\n')
    expect((await neo(['run'], { cwd: dir, env: user() })).code).toBe(5)
  })

  test('in the place of a trusted home is another home', async () => {
    const dir = clone(home)
    const env = user()
    await neo(['trust'], { cwd: dir, env })
    renameSync(dir, `${dir}-old`)
    clone(home, dir)
    expect((await neo(['run'], { cwd: dir, env })).code).toBe(5)
  })
})

test('a home that neo init made is trusted, and no more after neo trust --remove', async () => {
  const env = user()
  const dir = join(temporary(), 'made')
  await neo(['init', dir], { env })
  expect((await neo(['run'], { cwd: dir, env })).code).toBe(0)
  await neo(['trust', '--remove'], { cwd: dir, env })
  expect((await neo(['run'], { cwd: dir, env })).code).toBe(5)
})

test('neo init over rooms that are there already trusts nothing', async () => {
  const env = user()
  const dir = join(temporary(), 'found')
  mkdirSync(join(dir, 'rooms/x/tasks'), { recursive: true })
  writeFileSync(join(dir, 'rooms/x/tasks/a.md'), '# a\n\n```sh\ntrue\n```\n')
  await neo(['init', dir], { env })
  expect((await neo(['run'], { cwd: dir, env })).code).toBe(5)
})

describe('a home that this user has worked in', () => {
  async function worked(): Promise<{ dir: string; env: Record<string, string> }> {
    const env = user()
    const dir = join(temporary(), 'made')
    await neo(['init', dir], { env })
    expect((await neo(['run'], { cwd: dir, env })).code).toBe(0)
    return { dir, env }
  }
  const code = async (cwd: string, env: Record<string, string>) => (await neo(['run'], { cwd, env })).code

  test('is trusted when it is moved, and when what this user trusts is lost, until its settings change', async () => {
    const { dir, env } = await worked()
    renameSync(dir, `${dir}-moved`)
    expect(await code(`${dir}-moved`, env)).toBe(0)
    const other = user()
    expect(await code(`${dir}-moved`, other)).toBe(0)
    writeFileSync(
      join(`${dir}-moved`, 'neo.yaml'),
      'providers:\n  far: { api: openai, base_url: "http://127.0.0.1:9" }\n',
    )
    expect(await code(`${dir}-moved`, other)).toBe(5)
  })

  test('is not trusted as a copy or out of an archive, whatever its git folder brings along', async () => {
    const { dir } = await worked()
    cpSync(dir, `${dir}-copy`, { recursive: true })
    expect(existsSync(join(`${dir}-copy`, '.git/neo/journal.jsonl'))).toBe(true)
    expect(existsSync(join(`${dir}-copy`, '.git/neo/trust.json'))).toBe(true)
    expect(await code(`${dir}-copy`, user())).toBe(5)
    writeFileSync(join(`${dir}-copy`, '.env'), 'ANTHROPIC_BASE_URL=http://u:pw@127.0.0.1:9/x\nPIN=4711\n')
    const shown = await neo(['trust', '--show'], { cwd: `${dir}-copy`, env: user() })
    expect(shown.out).toMatch(/\.env ANTHROPIC_BASE_URL: http:\/\/(?:\*+@)?127\.0\.0\.1:9\/x/)
    expect(shown.out).not.toMatch(/4711|u:pw/)
  })

  test('is not trusted any more when it was removed, wherever it is then', async () => {
    const { dir, env } = await worked()
    await neo(['trust', '--remove'], { cwd: dir, env })
    renameSync(dir, `${dir}-moved`)
    expect(await code(`${dir}-moved`, env)).toBe(5)
  })
})

test('what a pull changes while the daemon runs is not taken over before it is trusted', async () => {
  const home = makeHome()
  const env = user()
  await neo(['trust'], { cwd: home.dir, env })
  const daemon = start(['watch'], { cwd: home.dir, env })
  onTestFinished(() => void daemon.kill('SIGKILL'))
  const status = async () => (await neo(['status', '--json'], { cwd: home.dir, env })).out
  const config = async () =>
    (await neo(['rpc', 'config.problems'], { cwd: home.dir, env })).out + (await status())
  await until(() => existsSync(join(home.dir, '.neo/daemon.json')))
  // The daemon's own commit is over, so that it takes no lock from the person's.
  await until(
    () => home.git('log', '--format=%s').includes('adopt') && home.git('status', '--porcelain') === '',
  )
  home.put(
    'neo.yaml',
    'daemon: { branch: main, settle: 100ms }\nproviders:\n  far: { api: openai, base_url: "http://127.0.0.1:9" }\n',
  )
  home.git('commit', '-aqm', 'pulled')
  let said = ''
  daemon.stdout.on('data', (chunk) => (said += chunk))
  await until(() => said.includes('changed since you trusted it'))
  await neo(['trust'], { cwd: home.dir, env })
  await until(async () => !(await config()).includes('Changes ignored'))
  expect(readFileSync(join(home.dir, 'neo.yaml'), 'utf8')).toContain('far')
  daemon.kill('SIGTERM')
})

test('a neo.yaml with a YAML error is reported with line and column, at the start and in the daemon', async () => {
  const home = makeHome()
  const env = user()
  await neo(['trust'], { cwd: home.dir, env })
  const daemon = start(['watch'], { cwd: home.dir, env })
  onTestFinished(() => void daemon.kill('SIGKILL'))
  let said = ''
  daemon.stdout.on('data', (chunk) => (said += chunk))
  await until(() => existsSync(join(home.dir, '.neo/daemon.json')))
  home.put('neo.yaml', 'daemon:\n  branch: main\n  concurrency: [2\n')
  await until(() => said.includes('neo.yaml:'))
  expect(said).toMatch(/neo\.yaml:[34]:\d+/)
  expect(said).not.toContain('changed since you trusted it')
  daemon.kill('SIGTERM')
  const { code, err } = await neo(['run'], { cwd: home.dir, env })
  expect(code).toBe(2)
  expect(err).toMatch(/Cannot read neo\.yaml:[34]:\d+: /)
})
