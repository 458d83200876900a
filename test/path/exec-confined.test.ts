/** What a command-line agent may reach: network, folders, environment, and who is asked where nothing confines. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import { withTool } from './exec-tool.ts'
import { until } from './home.ts'

for (const network of ['deny', 'allow'])
  test(`network: ${network} is what the program meets`, async () => {
    const server = createServer((_, response) => response.end('reached'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const script = `
      const got = await fetch('http://127.0.0.1:${port}/').then((one) => one.text(), () => 'refused')
      writeFileSync('got.txt', got)`
    const home = withTool(script, [`network: ${network}`])
    home.task('net', 'Reach.\n')
    await home.run()
    expect(home.read('workspace/files/got.txt')).toBe(network === 'allow' ? 'reached' : 'refused')
  })

test('a program is shown where it is installed; what it misses beside that is named, with the setting', async () => {
  const user = realpathSync(mkdtempSync(join(tmpdir(), 'neo-user-')))
  onTestFinished(() => rmSync(user, { recursive: true, force: true }))
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(user, path)), { recursive: true })
    writeFileSync(join(user, path), text, { mode: 0o755 })
  }
  // As a program that keeps its versions apart installs itself, with a login in a folder of its own.
  put(
    'share/tool/versions/2.0',
    `#!/bin/sh\nls ${user}/share ${user}/.login >&2\ncat ${user}/.login/key && echo done\n`,
  )
  put('share/other/secret', 'x')
  put('.login/key', 'subscribed\n')
  mkdirSync(join(user, 'bin'))
  symlinkSync('../share/tool/versions/2.0', join(user, 'bin/tool'))
  const home = withTool('')
  const config = (read: string) =>
    `model: rules\nworkers: { tool: { command: [${user}/bin/tool], read: [${read}] } }\ndaemon: { settle: 0s, rescan: 1s }\n`
  home.write('neo.yaml', config(''))
  home.task('run', 'Run.\n')
  await home.run()
  expect([home.status('run'), home.neo('run', 'error')]).toEqual([
    'failed',
    `The sandbox hides ${user}/.login: add it to workers.tool.read in neo.yaml, and run neo trust`,
  ])
  home.write('neo.yaml', config(`${user}/.login`))
  home.task('run', home.text('run').replace('status: failed', 'status: pending'))
  await home.run()
  expect(home.status('run')).toBe('completed')
})

test('write: is a folder that the program may change beside its worktree, and no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'neo-own-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = withTool(
    `writeFileSync('${join(folder, 'login')}', 'kept')
    try { writeFileSync(new URL('other', import.meta.url), 'x') } catch (error) { console.log(error.code) }`,
    [`write: [${folder}]`],
  )
  home.task('keep', 'Keep.\n')
  await home.run()
  expect([home.status('keep'), home.neo('keep', 'result')]).toEqual(['completed', 'EROFS'])
  expect(readFileSync(join(folder, 'login'), 'utf8')).toBe('kept')
})

test('the program sees of the environment what env: names, and no other key', async () => {
  const home = withTool("writeFileSync('env.txt', Object.keys(process.env).sort().join('\\n'))", [
    'env: [WANTED_KEY]',
  ])
  home.write('.env', 'WANTED_KEY=wanted\nOTHER_KEY=other\nPLAIN=plain\n')
  home.task('env', 'Look.\n')
  await home.run()
  const names = home.read('workspace/files/env.txt').split('\n')
  expect(names).toContain('WANTED_KEY')
  expect(names).toContain('NEO_SESSION')
  expect(names.filter((name) => /OTHER|PLAIN|VITEST|NODE_/.test(name))).toEqual([])
})

test('where nothing confines, a person lets the program work, and it sees no more of the environment', async () => {
  const home = withTool("writeFileSync('env.txt', Object.keys(process.env).sort().join('\\n'))", [
    'env: [WANTED_KEY]',
  ])
  home.write('.env', 'WANTED_KEY=wanted\nOTHER_KEY=other\n')
  const whole = await composeWorld(home.dir)
  const sandbox = {
    available: async () => ({ wrong: 'nothing confines', next: 'Install it' }),
    wrap: (argv: readonly [string, ...string[]]) => argv,
  }
  const world = whole.agent === undefined ? whole : { ...whole, agent: { ...whole.agent, sandbox } }
  const daemon = home.watch({ world })
  home.task('env', 'Look.\n')
  const asks = () => home.git('ls-files', 'rooms/shop/asks').split('\n').filter(Boolean)
  await until(() => asks().length === 1)
  const [path = ''] = asks()
  expect(home.read(path)).toMatch(
    /run_unconfined[\s\S]*the worker without a sandbox[\s\S]*"commit": "[0-9a-f]{40}"/,
  )
  expect(home.has('workspace/files/env.txt')).toBe(false)
  home.write(path, home.read(path).replace('decision: pending', 'decision: approved'))
  await until(() => home.status('env') === 'completed')
  await daemon.stop()
  const names = home.read('workspace/files/env.txt').split('\n')
  expect(names).toContain('WANTED_KEY')
  expect(names.filter((name) => /OTHER|VITEST|NODE_/.test(name))).toEqual([])
})
