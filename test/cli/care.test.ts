/** neo session, log, doctor, prime, completion: looking back, and looking after. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { COMMANDS } from './commands.ts'
import { dataOf, type Home, makeHome, neo, start, until } from './program.ts'

let home: Home
beforeAll(async () => {
  home = makeHome({ 'rooms/shop/tasks/a.md': '```sh name=greet\necho hello; printf "\\033[31mred"\n```\n' })
  await home.neo('run')
})

describe('neo session', () => {
  test('list and show find it by its id and by its task', async () => {
    const [session] = dataOf(await home.neo('session', 'list', '--json')) as { id: string; status: string }[]
    expect(session?.status).toBe('completed')
    expect((await home.neo('session', 'show', session?.id ?? '')).out).toBe(
      (await home.neo('session', 'show', 'shop/a')).out,
    )
    expect((await home.neo('session', 'list', '--status', 'failed')).out).toBe('')
  })

  test('tail prints the last entries with their output, without escapes of its own', async () => {
    const { out } = await home.neo('session', 'tail', 'a')
    expect(out).toMatch(/tool_call +greet: echo hello[\s\S]*exit code 0[\s\S]* {4}hello[\s\S]*end/)
    expect(out).not.toContain('\u001b')
    expect((await home.neo('session', 'tail', 'a', '-n', '1')).out).toMatch(/^\S+ end .*\n$/)
  })

  test('tail -f follows a session to its end', async () => {
    const slow = makeHome({
      'rooms/shop/tasks/a.md': '```sh\nwhile [ ! -e "$HOME/go" ]; do sleep 0.05; done; echo went\n```\n',
    })
    const child = start(['run', '--home', slow.dir], { env: { HOME: slow.dir } })
    const ended = new Promise((resolve) => child.on('close', resolve))
    await until(async () => (await slow.neo('session', 'list', '--status', 'running')).out !== '')
    const following = slow.neo('session', 'tail', 'a', '-f')
    slow.put('go', '')
    expect(await following).toMatchObject({ code: 0, out: expect.stringMatching(/went[\s\S]* end /) })
    expect(await ended).toBe(0)
  })
})

describe('neo log', () => {
  interface Page {
    readonly events: readonly {
      at: string
      source: string
      says: string
      file: string | null
      kind: string
    }[]
    readonly cursor: string | null
  }
  const page = async (...args: string[]) => dataOf(await home.neo('log', '--json', ...args)) as Page

  test('puts commits and transcripts of a task in one order', async () => {
    const { events } = await page('shop/a')
    const kinds = events.map(({ source, kind }) => `${source} ${kind}`)
    const order = ['git adopt', 'git start', 'transcript start', 'transcript tool_call', 'git complete']
    expect(kinds.filter((kind) => order.includes(kind))).toEqual(order)
    expect(events.find(({ kind }) => kind === 'tool_call')?.file).toMatch(/transcripts\/s-\w+\.jsonl:\d+$/)
  })

  test('shows a room, the home, and commits alone', async () => {
    expect((await home.neo('log', 'shop')).out).toContain('start a')
    expect((await home.neo('log', '--commits', '-n', '1')).out.trim().split('\n')).toHaveLength(1)
  })

  test('filters, and goes back page by page', async () => {
    const calls = await page('shop', '--kind', 'tool_call,tool_result')
    expect(calls.events.map(({ kind }) => kind)).toEqual(['tool_call', 'tool_result'])
    const last = await page('shop', '-n', '2')
    const before = await page('shop', '-n', '2', '--cursor', last.cursor ?? '')
    const four = await page('shop', '-n', '4')
    expect([...before.events, ...last.events]).toEqual(four.events)
    expect((await page('shop', '--until', '2001-01-01')).events).toEqual([])
  })
})

describe('neo doctor', () => {
  test('finds a healthy home healthy', async () => {
    const { code, out } = await makeHome({
      '.gitattributes':
        'rooms/*/transcripts/*.jsonl merge=union linguist-generated\nworkspace/scopes/**/*.jsonl merge=union linguist-generated\n',
    }).neo('doctor')
    expect({ code, wrong: /\bwrong\b|would/.test(out) }).toEqual({ code: 0, wrong: false })
  })

  test('shows what --fix would do, does it, and then has nothing left to do', async () => {
    const broken = makeHome()
    broken.put('.neo/daemon.json', '{}')
    rmSync(join(broken.dir, '.gitignore'))
    expect((await broken.neo('doctor', '--fix', '--dry-run')).out).toMatch(/would remove \.neo\/daemon\.json/)
    expect(existsSync(join(broken.dir, '.neo/daemon.json'))).toBe(true)
    await broken.neo('doctor', '--fix')
    expect(existsSync(join(broken.dir, '.neo/daemon.json'))).toBe(false)
    expect(broken.text('.gitignore')).toBe('.neo/\n.env\n')
    expect((await broken.neo('doctor', '--fix')).out).not.toMatch(/remove|add the lines/)
  })

  test('names broken files and clashing ids, and ends with 1', async () => {
    const task = '---\nneo: { id: t-aaaaaa }\n---\nx\n'
    const { code, out } = await makeHome({
      'rooms/shop/tasks/a.md': task,
      'rooms/shop/tasks/b.md': task,
      'rooms/shop/tasks/c.md': '---\ntitle: a: b\n---\n',
    }).neo('doctor')
    expect(code).toBe(1)
    expect(out).toMatch(/ids +note +rooms\/shop\/tasks\/a\.md duplicate id t-aaaaaa/)
    expect(out).toMatch(/files +wrong +rooms\/shop\/tasks\/c\.md:2:8/)
  })

  test('says why a worktree is kept', async () => {
    const kept = makeHome({ 'rooms/shop/tasks/a.md': '---\nreview: branch\n---\n```sh\necho x > x\n```\n' })
    await kept.neo('run')
    expect((await kept.neo('doctor')).out).toMatch(
      /worktree +note +s-\w+ is kept: neo\/shop\/a-1 has 1 commit that main does not have/,
    )
  })
})

test('neo prime names the rooms and the rules', async () => {
  expect((await home.neo('prime')).out).toMatch(
    /- shop: The web shop\n[\s\S]*Never write into a `neo:` block/,
  )
})

test.each(['bash', 'zsh', 'fish'])('neo completion %s knows every command', async (shell) => {
  const { code, out } = await neo(['completion', shell])
  expect(code).toBe(0)
  for (const command of COMMANDS) expect(out).toContain(command.split(' ').at(-1))
})

test('the script of neo completion bash completes commands and options', async () => {
  const { out } = await neo(['completion', 'bash'])
  const complete = (...words: string[]) => {
    const script = `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _neo; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim()
  }
  expect(spawnSync('bash', ['-n'], { input: out }).status).toBe(0)
  expect(complete('neo', 'doc')).toBe('doctor')
  expect(complete('neo', 'task', 'ret')).toBe('retry')
  expect(complete('neo', 'task', 'list', '--rea')).toBe('--ready')
})
