/** What clients send that is no good, on the streams of a real `neo mcp`: answered, read past, and never a crash. */
import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { type Home, makeHome, until } from '../../path/home.ts'
import { NEO_ARGV, residentMb } from './program.ts'

interface Editor {
  send(...lines: (string | object | Buffer)[]): void
  /** What came, one message a line. */
  readonly answers: readonly Answer[]
  answerTo(id: unknown): Promise<Answer>
  end(): void
  readonly ended: Promise<number | null>
  readonly pid: number
  readonly child: ReturnType<typeof spawn>
}

interface Answer {
  readonly id?: unknown
  readonly result?: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: number; readonly message: string }
}

const INIT = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const call = (id: unknown, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})

function editor({ dir }: Home): Editor {
  const [command, ...args] = NEO_ARGV
  const child = spawn(command, [...args, 'mcp', '--home', dir], { stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  child.stdin.on('error', () => {})
  const answers: Answer[] = []
  let rest = ''
  child.stdout.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) answers.push(JSON.parse(line) as Answer)
  })
  return {
    answers,
    ended,
    child,
    pid: child.pid ?? 0,
    send: (...lines) => {
      for (const line of lines)
        child.stdin.write(
          Buffer.isBuffer(line) ? line : `${typeof line === 'string' ? line : JSON.stringify(line)}\n`,
        )
    },
    async answerTo(id) {
      await until(() => answers.some((one) => one.id === id))
      return answers.find((one) => one.id === id) ?? {}
    },
    end: () => void child.stdin.end(),
  }
}

const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

test.each<[string, string | Buffer, number]>([
  ['text that is no JSON', 'hello', -32700],
  ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]), -32700],
  ['JSON that is no message', '{"hello": 1}', -32600],
  ['a batch', JSON.stringify([INIT]), -32600],
  [
    'a message that is too deep',
    `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"a":${DEEP}}}`,
    -32600,
  ],
  ['a message of 3 MiB', JSON.stringify({ ...call(9, 'neo_room_list'), pad: 'x'.repeat(3 << 20) }), -32600],
])('%s is answered with an error, and what follows is read', async (_, line, code) => {
  const { send, answerTo, end, ended } = editor(makeHome())
  send(line, INIT, { jsonrpc: '2.0', method: 'notifications/initialized' }, call(1, 'neo_room_list'))
  expect((await answerTo(null)).error?.code).toBe(code)
  expect((await answerTo(1)).result?.['isError']).toBeUndefined()
  end()
  expect(await ended).toBe(0)
})

test('an unknown method, an unknown tool and wrong arguments are told apart', async () => {
  const { send, answerTo } = editor(makeHome())
  send(
    INIT,
    { jsonrpc: '2.0', id: 1, method: 'tools/paint' },
    call(2, 'neo_paint'),
    call(3, 'neo_room_get', []),
  )
  send(call(4, 'neo_task_get', { taskId: 7 }), {
    jsonrpc: '2.0',
    id: 5,
    method: 'resources/read',
    params: {},
  })
  expect((await answerTo(1)).error?.code).toBe(-32601)
  expect((await answerTo(2)).error?.code).toBe(-32602)
  expect((await answerTo(3)).error?.code).toBe(-32602)
  expect((await answerTo(4)).result).toMatchObject({ isError: true })
  expect((await answerTo(5)).error?.message).toContain('uri')
})

test('what was asked before stdin ended is answered; then the process ends by itself', async () => {
  const home = makeHome()
  const { send, answers, end, ended } = editor(home)
  send(INIT, call(1, 'neo_memory_add', { roomId: 'shop', type: 'note', content: 'Tabs.' }))
  end()
  expect(await ended).toBe(0)
  expect(answers.map(({ id }) => id)).toEqual(['init', 1])
  expect(home.git('log', '-1', '--format=%s')).toContain('remember')
})

test('a cancelled request gets no answer, and what it changed is whole', async () => {
  const home = makeHome()
  const { send, answers, answerTo } = editor(home)
  send(INIT, call(1, 'neo_memory_add', { roomId: 'shop', type: 'note', content: 'Tabs.' }))
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none of ours' } })
  send(call(2, 'neo_memory_list', { roomId: 'shop' }))
  expect((await answerTo(2)).result?.['isError']).toBeUndefined()
  expect(answers.some(({ id }) => id === 1)).toBe(false)
  expect(home.git('status', '--porcelain')).toBe('')
})

test('a client that stops reading is not read from, and holds up no memory', async () => {
  const { child, pid, send, answerTo } = editor(makeHome())
  send(INIT)
  await answerTo('init')
  child.stdout?.pause()
  const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  for (let at = 0; at < 50_000; at++) send(line.replace('"id":1', `"id":${at}`))
  const unread = () => child.stdin?.writableLength ?? 0
  let last = { unread: Number.NaN, at: 0 }
  await until(() => {
    if (unread() !== last.unread) last = { unread: unread(), at: Date.now() }
    return Date.now() - last.at > 1_000
  })
  expect(unread()).toBeGreaterThan(1_000_000)
  expect(residentMb(pid)).toBeLessThan(250)
})

test('a client whose pipe is closed ends the process', async () => {
  const { child, send, ended } = editor(makeHome())
  send(INIT)
  child.stdout?.destroy()
  for (let at = 0; at < 50; at++) send(call(at, 'neo_room_list'))
  expect(await ended).toBe(0)
})
