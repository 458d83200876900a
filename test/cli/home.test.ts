/** The home is found, and the process behaves in a shell: pipes, signals, folders, help. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dataOf, MAIN, makeHome, neo, start, temporary, until } from './program.ts'

describe('the home', () => {
  const home = makeHome({ 'rooms/shop/tasks/a.md': '# A\n' })
  const elsewhere = temporary()

  test.each([
    ['named by --home', { args: ['--home', home.dir] }],
    ['named by --home before the command', { before: ['--home', home.dir] }],
    ['named by --home with a path from here', { args: ['--home', relative(elsewhere, home.dir)] }],
    ['named by NEO_HOME', { env: { NEO_HOME: home.dir } }],
    ['above the folder that we are in', { cwd: join(home.dir, 'rooms/shop/tasks') }],
    ['in ./home', { cwd: dirname(home.dir) }],
  ])(
    'is found when it is %s',
    async (_, {
      args = [],
      before = [],
      env = {},
      cwd = elsewhere,
    }: { args?: string[]; before?: string[]; env?: Record<string, string>; cwd?: string }) => {
      expect((await neo([...before, 'task', 'list', ...args], { cwd, env })).out).toContain('shop/a')
    },
  )

  test('--home goes before NEO_HOME, and NEO_HOME before the folder that we are in', async () => {
    const other = makeHome({ 'rooms/shop/tasks/b.md': '# B\n' })
    expect((await neo(['task', 'list'], { cwd: home.dir, env: { NEO_HOME: other.dir } })).out).toContain(
      'shop/b',
    )
    expect((await neo(['task', 'list', '--home', home.dir], { env: { NEO_HOME: other.dir } })).out).toContain(
      'shop/a',
    )
  })

  test.each([
    ['--home', {}],
    ['NEO_HOME', { NEO_HOME: elsewhere }],
  ])('ends with 4 when %s names a folder that is none', async (by, env) => {
    const { code, err } = await neo(['task', 'list', ...(by === '--home' ? ['--home', elsewhere] : [])], {
      env,
    })
    expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining(`next: neo init ${elsewhere}`) })
  })

  test('a folder in advice is one word of a shell', async () => {
    const { err } = await neo(['task', 'list', '--home', '/nowhere/my home'])
    expect(err).toContain("next: neo init '/nowhere/my home'")
  })

  test('a home that is no repository is told so by commands that need git, and others do without', async () => {
    const bare = makeHome({ 'rooms/shop/tasks/a.md': '# A\n' })
    rmSync(join(bare.dir, '.git'), { recursive: true })
    expect(await bare.neo('status')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^neo: .*\n(?:why: .*\n)?next: .*neo init/),
    })
    expect((await bare.neo('task', 'list')).code).toBe(0)
    expect((await bare.neo('config', 'check')).code).toBe(0)
  })
})

describe('the process', () => {
  test('neo --version prints the version alone', async () => {
    expect(await neo(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      err: '',
    })
  })

  test.each([
    [[], 'Run:'],
    [['help'], 'Run:'],
    [['help', 'task'], 'retry'],
    [['task', 'help'], 'retry'],
    [['-h'], 'Run:'],
  ])('neo %j prints help', async (args, word) => {
    expect(await neo(args)).toMatchObject({ code: 0, out: expect.stringContaining(word), err: '' })
  })

  test('a closed pipe ends a long list quietly', () => {
    const home = makeHome()
    for (let n = 0; n < 3000; n++) home.put(`rooms/shop/tasks/task-${n}.md`, `# ${'x'.repeat(100)}\n`)
    const script = `"${process.execPath}" "${MAIN}" task list --home "${home.dir}" | head -1; echo "\${PIPESTATUS[0]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
    expect(stdout).toMatch(/^shop\/task-0 .*\n0\n$/)
    expect(stderr).toBe('')
  })

  test('a deleted folder is said', () => {
    const gone = join(temporary(), 'gone')
    mkdirSync(gone)
    const { stdout, stderr } = spawnSync(
      'bash',
      ['-c', `cd "${gone}"; rmdir "${gone}"; "${process.execPath}" "${MAIN}" task list; echo $?`],
      { encoding: 'utf8' },
    )
    expect({ stdout, said: /^neo: Cannot start/.test(stderr) }).toEqual({ stdout: '4\n', said: true })
  })

  test('a terminal gets colours and cut titles, and none with --no-color or NO_COLOR', () => {
    const home = makeHome({ 'rooms/shop/tasks/a.md': `# ${'long '.repeat(60)}\n` })
    const onTerminal = (more: string, env = {}) => {
      const command = `stty cols 60; '${process.execPath}' '${MAIN}' task list --home '${home.dir}' ${more}`
      const own = { PATH: process.env['PATH'], TERM: 'xterm', ...env }
      return spawnSync('bash', ['-c', `script -qec "${command}" /dev/null`], { encoding: 'utf8', env: own })
        .stdout
    }
    expect(onTerminal('')).toContain('\x1b[36mpending\x1b[39m')
    expect(onTerminal('')).toMatch(/…\r\n$/)
    expect(onTerminal('--no-color')).not.toContain('\x1b')
    expect(onTerminal('', { NO_COLOR: '1' })).not.toContain('\x1b')
  })

  test('neo task edit opens $EDITOR on a terminal, and shows what came of it', () => {
    const home = makeHome({ 'rooms/shop/tasks/a.md': '---\ntitle: Old\n---\n' })
    const command = `script -qec "'${process.execPath}' '${MAIN}' task edit a --home '${home.dir}'" /dev/null`
    const env = { PATH: process.env['PATH'], TERM: 'xterm', EDITOR: 'sed -i s/Old/New/' }
    const { stdout, status } = spawnSync('bash', ['-c', command], { encoding: 'utf8', env })
    expect({ status, stdout, text: home.text('rooms/shop/tasks/a.md') }).toEqual({
      status: 0,
      stdout: expect.stringContaining('New'),
      text: '---\ntitle: New\n---\n',
    })
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    'neo watch ends in order at %s, and not at signals for debuggers',
    async (signal) => {
      const home = makeHome()
      const child = start(['watch', '--home', home.dir])
      let out = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk))
      const ended = new Promise((resolve) => child.on('close', resolve))
      await until(() => out.includes('Page: http'))
      for (const one of ['SIGUSR1', 'SIGUSR2', signal] as const) child.kill(one)
      expect(await ended).toBe(0)
      expect(home.names('.neo')).not.toContain('daemon.json')
      expect(out).not.toContain('Debugger')
    },
  )

  test('neo watch goes on if nobody reads its output any more', async () => {
    const home = makeHome()
    const child = start(['watch', '--home', home.dir])
    const ended = new Promise((resolve) => child.on('close', resolve))
    let out = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    await until(() => out.includes('on branch main'))
    child.stdout.destroy()
    child.stderr.destroy()
    home.put('rooms/shop/tasks/a.md', '```sh\ntrue\n```\n')
    await until(() => home.git('log', '--format=%s').includes('complete a'))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('neo watch ends at once at the second signal', async () => {
    const home = makeHome({ 'rooms/shop/tasks/a.md': '```sh\nsleep 30\n```\n' })
    const child = start(['watch', '--home', home.dir])
    let out = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    const ended = new Promise((resolve) => child.on('close', resolve))
    await until(() => out.includes('step 1 of 1'))
    child.kill('SIGINT')
    child.kill('SIGINT')
    child.kill('SIGTERM')
    expect([0, 130]).toContain(await ended)
    expect((await home.neo('stop', '--all')).code).toBe(0)
  })
})

test('names with line ends, quotes and dashes are shown on one line, and found', async () => {
  const home = makeHome({
    'rooms/shop/tasks/na\nme.md': '# A\n',
    'rooms/shop/tasks/"q" \'s.md': '# B\n',
    'rooms/shop/tasks/-dash.md': '# C\n',
  })
  expect((await home.neo('task', 'list')).out.split('\n')).toHaveLength(4)
  for (const name of ['na\nme', '"q" \'s', 'shop/-dash'])
    expect((await home.neo('task', 'cancel', name)).code).toBe(0)
  expect(dataOf(await neo(['task', 'show', '--json', '--home', home.dir, '--', '-dash']))).toMatchObject({
    name: '-dash',
    status: 'cancelled',
  })
})
