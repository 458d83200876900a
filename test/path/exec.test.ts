/** Command-line agents on the path: `worker: exec:<name>` runs a program of the user's, and reads what it says. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { composeWorld } from '../../src/compose.ts'
import type { Event } from '../../src/engine/context.ts'
import { ended, engine } from './engine.ts'
import { ledger, open, says, sessionFile, WAITS, withTool } from './exec-tool.ts'
import { type Home, until } from './home.ts'
import { MOMENT_MS } from '../wait.ts'

/** What such a program says at its end, and what it used. */
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'hello is written\n\nIt was easy.',
  total_cost_usd: 0.25,
  usage: {
    input_tokens: 10,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 5,
    output_tokens: 20,
  },
}

const PROMPTS = {
  stdin: "readFileSync(0, 'utf8')",
  argument: 'process.argv[2]',
  file: "readFileSync(process.argv[2], 'utf8')",
}

for (const [way, read] of Object.entries(PROMPTS))
  test(`exec gives the prompt by ${way}, and what the program wrote is merged`, async () => {
    const home = withTool(`writeFileSync('prompt.txt', ${read}); console.log('it is written')`, [
      `prompt: ${way}`,
    ])
    home.task('greet', '# Greet\n\nWrite "hello" into $HOME/`hello.txt`.\n')
    await home.run()
    expect([home.status('greet'), home.neo('greet', 'error')]).toEqual(['completed', undefined])
    const prompt = home.read('workspace/files/prompt.txt')
    expect(prompt).toContain('Write in short sentences.')
    expect(prompt).toContain('Write "hello" into $HOME/`hello.txt`.')
    expect(home.git('status', '--porcelain')).toBe('')
  })

test('exec takes the last line of plain output as the result, the whole as the report', async () => {
  const home = withTool("console.log('I look around.'); console.log('The door is blue.\\n')")
  home.task('look', 'Look.\n')
  await home.run()
  expect([home.status('look'), home.neo('look', 'result')]).toEqual(['completed', 'The door is blue.'])
  expect(sessionFile(home, 'look')).toContain('I look around.')
  expect(sessionFile(home, 'look')).toMatch(/turns: 1\nusage:/)
  expect(ledger(home)).toHaveLength(1)
})

test('exec reads streamed lines: result, tokens and cost are in the task and in the ledger', async () => {
  const told = { type: 'assistant', message: { content: [{ type: 'tool_use', name: 'Write', input: {} }] } }
  const home = withTool(
    `writeFileSync('hello.txt', 'hello\\n')\n${says({ type: 'system', model: 'big-one' }, told, RESULT)}`,
  )
  home.task('greet', 'Greet.\n')
  const { events } = await home.run()
  expect([home.status('greet'), home.neo('greet', 'result')]).toEqual(['completed', 'hello is written'])
  expect(home.text('greet')).toMatch(/usage: \{ ?input_tokens: 115, output_tokens: 20, usd: 0.25 ?\}/)
  expect(sessionFile(home, 'greet')).toContain('It was easy.')
  expect(JSON.stringify(ledger(home))).toContain('"big-one"')
  expect(events.every(({ kind }) => kind !== 'trouble')).toBe(true)
})

test('exec decides by the exit code: an error before success passes, a 429 before failure waits', async () => {
  const busy = { type: 'error', message: 'last status: 429 Too Many Requests' }
  const home = withTool(`${says(busy)}\nprocess.exit(readFileSync(0, 'utf8').includes('Fail') ? 1 : 0)`)
  home.task('pass', 'Pass.\n')
  home.task('wait', 'Fail.\n')
  const daemon = home.watch()
  await until(() => home.status('pass') === 'completed' && home.neo('wait', 'retry_at') !== undefined)
  await daemon.stop()
  expect([home.status('wait'), home.neo('wait', 'retries')]).toEqual(['pending', undefined])
})

test('exec takes exit code 75 as a rate limit: the task waits with retry_at, and no retry is burned', async () => {
  const home = withTool("writeFileSync('half.txt', 'half\\n'); process.exit(75)")
  home.task('wait', '---\nretry: { max: 2 }\n---\nWait.\n')
  const daemon = home.watch()
  await until(() => home.neo('wait', 'retry_at') !== undefined)
  await daemon.stop()
  expect([home.status('wait'), home.neo('wait', 'retries')]).toEqual(['pending', undefined])
  expect(Date.parse(home.neo('wait', 'retry_at') ?? '') - Date.now()).toBeGreaterThan(10 * 60_000)
  expect(home.neo('wait', 'error')).toContain('rate limit')
  expect(home.git('show', `${home.neo('wait', 'branch')}:workspace/files/half.txt`)).toBe('half')
})

const LIMIT_MS = 5 * 60_000

test('run says at once what it waits for and until when, and ends by its timeout', async () => {
  const home = withTool('process.exit(75)')
  home.task('wait', 'Wait.\n')
  const world = await composeWorld(home.dir)
  // The time is over as soon as it has said so.
  let aheadMs = 0
  const clock = { ...world.clock, now: () => world.clock.now() + aheadMs }
  const events: Event[] = []
  const print = (event: Event) => {
    events.push(event)
    if (event.kind === 'wait') aheadMs = LIMIT_MS
  }
  const { exitCode } = await home.run({ world: { ...world, clock }, timeoutMs: LIMIT_MS, print })
  const waits = events.filter(({ kind }) => kind === 'wait').map(({ text }) => text)
  expect(waits).toEqual([
    expect.stringMatching(/^waiting until \d{4}-\S+Z for shop\/wait \(.*rate limit\); --timeout/),
  ])
  expect([exitCode, events.at(-1)?.text]).toEqual([1, expect.stringMatching(/^timeout reached/)])
})

test('exec waits until the time that a rate limit tells', async () => {
  const at = Math.floor(Date.now() / 1000) + 7200
  const event = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: at } }
  const home = withTool(`${says(event)}\nprocess.exit(1)`)
  home.task('wait', 'Wait.\n')
  const daemon = home.watch()
  await until(() => home.neo('wait', 'retry_at') !== undefined)
  await daemon.stop()
  expect(home.status('wait')).toBe('pending')
  expect(Date.parse(home.neo('wait', 'retry_at') ?? '')).toBe(at * 1000)
})

test('exec goes on from where a rate limit cut it, once its time has come', async () => {
  const at = Math.floor(Date.now() / 1000) + 3
  const event = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: at } }
  const home = withTool(`
    let before = ''
    try { before = readFileSync('n.txt', 'utf8') } catch {}
    writeFileSync('n.txt', before + 'once\\n')
    if (before === '') { ${says(event)}\nprocess.exit(1) }`)
  home.task('wait', 'Wait.\n')
  await home.run()
  expect([home.status('wait'), home.read('workspace/files/n.txt')]).toEqual(['completed', 'once\nonce\n'])
})

test('exec is told what the checks said, and is done when they are green', async () => {
  const home = withTool(`
    const prompt = readFileSync(0, 'utf8')
    const again = prompt.includes('checks do not pass yet')
    writeFileSync('n.txt', again ? 'good\\n' : 'bad\\n')
    appendFileSync('rounds.txt', again ? 'again\\n' : 'first\\n')`)
  home.task('n', '---\nverify: [grep -q good n.txt]\n---\nWrite good into n.txt.\n')
  await home.run()
  expect([home.status('n'), home.neo('n', 'error')]).toEqual(['completed', undefined])
  expect(home.read('workspace/files/rounds.txt')).toBe('first\nagain\n')
  expect(ledger(home)).toHaveLength(2)
})

test('exec fails with what the program said last, when it ends with another code', async () => {
  const home = withTool("console.log('no such door'); process.exit(3)")
  home.task('door', 'Open.\n')
  await home.run()
  expect(home.status('door')).toBe('failed')
  expect(home.neo('door', 'error')).toBe('the worker ended with exit code 3: no such door')
})

test('a stop ends the program and all that it has started', async () => {
  const home = withTool(`
    import { spawn } from 'node:child_process'
    process.on('SIGTERM', () => {})
    const child = spawn('sh', ['-c', 'trap "" TERM; while true; do date +%s%N > beat.txt; sleep 0.1; done'], {
      detached: true, stdio: 'ignore' })
    child.unref()
    setInterval(() => writeFileSync('own.txt', String(Date.now())), 100)`)
  home.task('long', 'Work.\n')
  const daemon = home.watch()
  const beat = () => readFileSync(join(worktree(home), 'beat.txt'), 'utf8')
  await until(() => beat() !== '' && existsSync(join(worktree(home), 'own.txt')))
  const began = Date.now()
  home.write('rooms/shop/tasks/long.md', home.text('long').replace('in_progress', 'cancelled'))
  await until(() => home.git('log', '--format=%s').includes('stop long'))
  await daemon.stop()
  expect(Date.now() - began).toBeLessThan(MOMENT_MS)
  expect(living('beat.txt')).toEqual([])
  expect(living(home.tool)).toEqual([])
})

test('a program outlives the death of the daemon, and its output is read once', async () => {
  const home = withTool(`
    appendFileSync('runs.txt', 'run\\n')
    ${WAITS}
    ${says(RESULT)}`)
  home.task('long', 'Work.\n')
  const first = engine(home.dir)
  await until(() => existsSync(join(worktree(home), 'runs.txt')))
  first.child.kill('SIGKILL')
  await ended(first)
  open(home)
  await home.run()
  expect([home.status('long'), home.neo('long', 'result')]).toEqual(['completed', 'hello is written'])
  expect(home.read('workspace/files/runs.txt')).toBe('run\n')
  expect(ledger(home)).toHaveLength(1)
})

test('a budget that is spent meanwhile keeps nobody from reading what a program has done', async () => {
  const home = withTool(`${WAITS}\n${says(RESULT)}`)
  home.task('dear', '---\nbudget: { usd: 0.2 }\n---\nWork.\n')
  const first = engine(home.dir)
  await until(() => existsSync(join(stepDir(home), 'claim')))
  first.child.kill('SIGKILL')
  await ended(first)
  const at = new Date().toISOString()
  const call = { v: 1, key: 'other:1', at, room: 'shop', task: home.neo('dear', 'id'), session: 's-aaaaaa' }
  const used = { kind: 'session', model: 'm', input: 1, cache_read: 0, cache_write: 0, output: 1, usd: 9 }
  home.write(`.git/neo/usage/${at.slice(0, 7)}.jsonl`, `${JSON.stringify({ ...call, ...used })}\n`)
  open(home)
  await home.run()
  expect([home.status('dear'), home.neo('dear', 'result')]).toEqual(['completed', 'hello is written'])
})

test('a program that floods its output is ended, and the task says why', async () => {
  const home = withTool("const line = 'x'.repeat(1024 * 1024)\nfor (;;) console.log(line)")
  home.task('flood', 'Flood.\n')
  await home.run()
  expect(home.status('flood')).toBe('failed')
  expect(home.neo('flood', 'error')).toContain('output')
})

test('a prompt that is longer than an argument can be fails with what to set', async () => {
  const home = withTool('', ['prompt: argument'])
  home.task('long', `${'word '.repeat(30_000)}\n`)
  await home.run()
  expect(home.status('long')).toBe('failed')
  expect(home.neo('long', 'error')).toContain('set prompt: stdin or prompt: file')
})

test('a worker that nobody configured blocks its task with words, which starts once it is there', async () => {
  const home = withTool("console.log('done by the tool')")
  const config = home.read('neo.yaml')
  home.write('neo.yaml', config.replace('  tool:', '  other:'))
  home.task('later', 'Do it.\n')
  await home.run()
  expect([home.status('later'), home.neo('later', 'blocked')]).toEqual(['blocked', 'model'])
  expect(home.neo('later', 'error')).toContain('worker tool not found under workers: in neo.yaml')
  expect(home.neo('later', 'error')).toContain('other')
  home.write('neo.yaml', config)
  await home.run()
  expect([home.status('later'), home.neo('later', 'result')]).toEqual(['completed', 'done by the tool'])
})

test('a program that is not installed fails its task with its name', async () => {
  const home = withTool('')
  home.write('neo.yaml', home.read('neo.yaml').replace('[node,', '[no-such-program,'))
  home.task('gone', 'Do it.\n')
  await home.run()
  expect(home.status('gone')).toBe('failed')
  expect(home.neo('gone', 'error')).toContain('no-such-program')
})

function worktree(home: Home): string {
  const [line = ''] = home
    .git('worktree', 'list', '--porcelain')
    .split('\n')
    .filter((one) => one.startsWith('worktree ') && one.includes('.neo'))
  return join(line.slice('worktree '.length), 'workspace/files')
}

function stepDir(home: Home): string {
  const task = home.git('ls-files', 'rooms/shop/sessions').split('\n')[0] ?? ''
  const session = /sessions\/(.*)\.md$/.exec(task)?.[1] ?? ''
  return join(home.dir, '.git/neo/sessions', session, 'steps/exec-0')
}

/** Processes whose command line or working folder has this text in it. */
function living(text: string): readonly string[] {
  return pids().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
    } catch {
      return false
    }
  })
}

function pids(): readonly string[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
}
