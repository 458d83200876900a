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
  test('merges commits and transcripts of a task by time', async () => {
    const lines = dataOf(await home.neo('log', 'shop/a', '--json')) as {
      at: string
      source: string
      what: string
    }[]
    const times = lines.map(({ at }) => Date.parse(at))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(new Set(lines.map(({ source }) => source))).toEqual(new Set(['git', 'transcript']))
    expect(lines.map(({ what }) => what).join('\n')).toMatch(/neo\(shop\): adopt a\n[\s\S]*tool_call greet/)
  })

  test('shows a room, the home, and commits alone', async () => {
    expect((await home.neo('log', 'shop')).out).toContain('start a')
    expect((await home.neo('log', '--commits', '-n', '1')).out.trim().split('\n')).toHaveLength(1)
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
    expect((await broken.neo('doctor', '--fix')).out).not.toMatch(/remove|add them/)
  })

  test('names broken files and clashing ids, and ends with 1', async () => {
    const task = '---\nneo: { id: t-aaaaaa }\n---\nx\n'
    const { code, out } = await makeHome({
      'rooms/shop/tasks/a.md': task,
      'rooms/shop/tasks/b.md': task,
      'rooms/shop/tasks/c.md': '---\ntitle: a: b\n---\n',
    }).neo('doctor')
    expect(code).toBe(1)
    expect(out).toMatch(/ids +note +rooms\/shop\/tasks\/a\.md id t-aaaaaa/)
    expect(out).toMatch(/files +wrong +rooms\/shop\/tasks\/c\.md:2:8/)
  })

  test('says why a worktree is kept', async () => {
    const kept = makeHome({ 'rooms/shop/tasks/a.md': '---\nreview: branch\n---\n```sh\necho x > x\n```\n' })
    await kept.neo('run')
    expect((await kept.neo('doctor')).out).toMatch(
      /worktree +note +s-\w+ is kept: neo\/shop\/a-1 has 1 commits that main lacks/,
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
