/** A home in one file and back: everything as it was, nothing private or secret without being asked for, nothing foreign. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Home, makeHome, neo, temporary } from './program.ts'

const PASSPHRASE = { NEO_PASSPHRASE: 'four words of mine' }
const MARK = 'the-private-marker-7f3a'

let home: Home
let dir: string

/** All files below a folder with their bytes, links and modes; `.git` and `.neo` left out. */
function pictureOf(root: string, at = ''): Record<string, string> {
  const all: Record<string, string> = {}
  for (const entry of readdirSync(join(root, at), { withFileTypes: true })) {
    const path = at === '' ? entry.name : `${at}/${entry.name}`
    if (['.git', '.neo', '.env'].includes(entry.name)) continue
    if (entry.isDirectory()) Object.assign(all, pictureOf(root, path))
    else if (entry.isSymbolicLink()) all[path] = `link ${readlinkSync(join(root, path))}`
    else
      all[path] =
        `${lstatSync(join(root, path)).mode & 0o100} ${readFileSync(join(root, path)).toString('hex')}`
  }
  return all
}

function gitIn(at: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: at, encoding: 'utf8', stdio: 'pipe' }).trimEnd()
}

beforeAll(async () => {
  dir = temporary()
  home = makeHome({ 'rooms/shop/memories/m.md': 'Prices are in euros\n' })
  home.git('tag', 'first')
  home.put('workspace/files/bytes.bin', '\0\u0001 not text\r\n')
  home.put('workspace/files/run.sh', 'echo hi\n')
  chmodSync(join(home.dir, 'workspace/files/run.sh'), 0o755)
  symlinkSync('../../neo.yaml', join(home.dir, 'workspace/files/link'))
  home.git('add', '-A')
  home.git('commit', '-q', '-m', 'more')
  home.git('branch', 'side', 'first')
  home.put('rooms/shop/tasks/unsaved.md', '---\nstatus: draft\n---\nnot committed yet\n')
  home.put('.env', 'TOKEN=do-not-export\n')
  home.put('rooms/shop/.env.local', 'TOKEN=do-not-export\n')
  expect((await home.neo('memory', 'add', 'shop', 'audited')).code).toBe(0)
  const scope = join(home.dir, '.git/neo/scopes/telegram-m1')
  mkdirSync(scope, { recursive: true })
  writeFileSync(join(scope, 'MEMORY.md'), `- ${MARK}\n`)
  mkdirSync(join(home.dir, '.git/neo/queues'), { recursive: true })
  writeFileSync(join(home.dir, '.git/neo/queues/in.jsonl'), `${MARK}\n`)
  writeFileSync(join(home.dir, '.git/neo/journal.jsonl'), '')
})

describe('a round trip', () => {
  test('gives the same files, history, tags, branches and audit log, and the same state of git', async () => {
    const file = join(dir, 'home.neo')
    const made = await home.neo('export', file, '--json')
    expect(made).toMatchObject({ code: 0 })
    expect(dataOf(made)).toMatchObject({ sealed: 0 })
    expect(made.err).toMatch(/Left out: private conversations \(use --private/)
    const to = join(dir, 'again')
    const back = await neo(['import', file, to])
    expect([back.code, back.err.includes('chain')]).toEqual([0, false])
    expect(pictureOf(to)).toEqual(withoutSecrets(pictureOf(home.dir)))
    const log = ['log', '--all', '--format=%H %an %ae %at %cn %ct %D %B', '--stat']
    expect(gitIn(to, ...log)).toBe(gitIn(home.dir, ...log))
    expect(gitIn(to, 'for-each-ref')).toBe(gitIn(home.dir, 'for-each-ref'))
    expect(gitIn(to, 'status', '--porcelain', '--branch')).toBe(
      gitIn(home.dir, 'status', '--porcelain', '--branch').replace(/\n.*\.env\.local/, ''),
    )
    const audit = '.git/neo/audit.jsonl'
    expect(readFileSync(join(to, audit))).toEqual(readFileSync(join(home.dir, audit)))
    expect((lstatSync(join(to, '.git/neo')).mode & 0o777).toString(8)).toBe('700')
    expect((await neo(['config', 'check', '--home', to])).code).toBe(0)
    expect(gitIn(to, 'fsck', '--strict')).toBe('')
  })

  test('without --private nothing private, no queue and no secret is in the file', async () => {
    const file = join(dir, 'open.neo')
    await home.neo('export', file)
    const bytes = readFileSync(file)
    expect([bytes.includes(MARK), bytes.includes('do-not-export')]).toEqual([false, false])
    expect((lstatSync(file).mode & 0o077).toString(8)).toBe('0')
    await neo(['import', file, join(dir, 'open')])
    expect(existsSync(join(dir, 'open/.git/neo/scopes'))).toBe(false)
  })

  test('with --private it is sealed, and comes back with the passphrase alone', async () => {
    const file = join(dir, 'sealed.neo')
    expect((await neo(['export', file, '--private', '--home', home.dir], { env: PASSPHRASE })).code).toBe(0)
    const bytes = readFileSync(file)
    expect([bytes.includes(MARK), bytes.includes('telegram-m1')]).toEqual([false, false])
    const to = join(dir, 'sealed')
    expect((await neo(['import', file, to], { env: PASSPHRASE })).code).toBe(0)
    const scope = join(to, '.git/neo/scopes/telegram-m1/MEMORY.md')
    expect(readFileSync(scope, 'utf8')).toBe(`- ${MARK}\n`)
    expect((lstatSync(scope).mode & 0o777).toString(8)).toBe('600')
    const wrong = await neo(['import', file, join(dir, 'wrong')], { env: { NEO_PASSPHRASE: 'another one' } })
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('passphrase is wrong')])
    const none = await neo(['import', file, join(dir, 'wrong')])
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('NEO_PASSPHRASE')])
    expect((await neo(['import', file, join(dir, 'rest'), '--without-private'])).code).toBe(0)
    expect(existsSync(join(dir, 'rest/.git/neo/scopes'))).toBe(false)
    expect(readdirSync(dir).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('a short passphrase, a file that is there and a folder that is there are refused', async () => {
    const short = await neo(['export', join(dir, 'x.neo'), '--private', '--home', home.dir], {
      env: { NEO_PASSPHRASE: 'short' },
    })
    expect([short.code, existsSync(join(dir, 'x.neo'))]).toEqual([2, false])
    const file = join(dir, 'there.neo')
    writeFileSync(file, 'mine')
    expect((await home.neo('export', file)).code).toBe(2)
    expect(readFileSync(file, 'utf8')).toBe('mine')
    const open = join(dir, 'there2.neo')
    await home.neo('export', open)
    mkdirSync(join(dir, 'empty'))
    expect((await neo(['import', open, join(dir, 'empty')])).code).toBe(2)
    expect((await neo(['import', open, home.dir])).err).toContain('already exists')
    const none = await neo(['import', join(dir, 'none.neo'), join(dir, 'new')])
    expect([none.code, none.err]).toEqual([4, expect.stringMatching(/no such file\n[\s\S]*next: neo import/)])
  })
})

describe('a file that is not as it was written', () => {
  let whole: Buffer
  const importing = async (bytes: Buffer) => {
    const folder = temporary()
    writeFileSync(join(folder, 'x.neo'), bytes)
    const ended = await neo(['import', join(folder, 'x.neo'), join(folder, 'home')])
    expect(readdirSync(folder)).toEqual(['x.neo'])
    return ended
  }

  beforeAll(async () => {
    const small = makeHome()
    await small.neo('export', join(dir, 'small.neo'))
    whole = readFileSync(join(dir, 'small.neo'))
  })

  test('cut anywhere it is refused whole, in words', async () => {
    const lengths = [0, 5, 13, 40, 200, 700, Math.floor(whole.length / 2), whole.length - 1]
    for (const length of lengths) {
      const { code, err } = await importing(whole.subarray(0, length))
      expect([length, code, /incomplete|missing|not a file/.test(err)]).toEqual([length, 1, true])
    }
  })

  test('with a byte that is another, and with bytes behind its end, it is refused', async () => {
    for (let at = 20; at < whole.length; at += Math.ceil(whole.length / 7)) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 1
      const { code, err } = await importing(changed)
      expect([at, code, err.includes('Cannot import')]).toEqual([at, 1, true])
    }
    expect((await importing(Buffer.concat([whole, Buffer.from('x')]))).err).toContain('after its end')
  })

  test('foreign files and newer ones are refused', async () => {
    expect((await importing(Buffer.from('PK\u0003\u0004 a zip of something'))).err).toContain(
      'not a file from neo export',
    )
    const newer = Buffer.from(`NEO-EXPORT 2\n${whole.toString('latin1').slice(13)}`, 'latin1')
    expect((await importing(newer)).err).toContain('a newer version')
    expect((await neo(['import', join(dir, 'none.neo'), join(dir, 'none')])).code).toBe(4)
  })

  test.each([
    ['file', '../out.md', 'points outside'],
    ['file', '/etc/out.md', 'absolute'],
    ['file', '.git/hooks/post-checkout', "git's own"],
    ['file', 'NEO.yaml', 'clashes'],
    ['file', 'neo.yaml/x', 'duplicated'],
    ['link', 'rooms/out', 'points outside'],
    ['state', 'journal.jsonl', 'not allowed in this place'],
    ['state', 'scopes/x/MEMORY.md', 'not allowed in this place'],
    ['state', '../config', 'not allowed in this place'],
    ['device', 'x', 'kind'],
  ])('a crafted one with a %s %j is refused, and nothing is written', async (kind, path, why) => {
    const { code, err } = await importing(crafted(whole, { kind, path, text: '../../out' }))
    expect([code, err]).toEqual([1, expect.stringContaining(why)])
  })
})

test('a .env in history stops the export, and says what to do', async () => {
  const bad = makeHome()
  bad.put('.env', 'TOKEN=x\n')
  bad.git('add', '-f', '.env')
  bad.git('commit', '-q', '-m', 'oops')
  const ended = await bad.neo('export', join(dir, 'bad.neo'))
  expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('its git history contains a .env')])
})

test('--format gives transcripts as other programs write them', async () => {
  const at = makeHome()
  const entry = {
    v: 1,
    parent: null,
    ts: '2026-03-01T09:00:00Z',
    session: 's-aaaaaa',
    room: 'shop',
    task: 't-1',
  }
  const call = { kind: 'call', id: 'c1', name: 'grep', input: { pattern: 'x' } }
  const lines = [
    { ...entry, id: '1', type: 'user', text: 'Do it' },
    {
      ...entry,
      id: '2',
      type: 'assistant',
      model: 'fake/one',
      stop: 'calls',
      parts: [{ kind: 'text', text: 'I look' }, call],
    },
    { ...entry, id: '3', type: 'tool_call', call: 'c1', tool: 'grep', input: {} },
    {
      ...entry,
      id: '4',
      type: 'tool_result',
      call: 'c1',
      result: { kind: 'result', call: 'c1', name: 'grep', text: 'found', isError: 'no' },
    },
  ]
  at.put('rooms/shop/transcripts/s-aaaaaa.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const read = async (format: string) => {
    const to = join(dir, format)
    expect((await at.neo('export', to, '--format', format)).code).toBe(0)
    const text = readFileSync(join(to, 'shop/s-aaaaaa.jsonl'), 'utf8')
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }
  const claude = await read('claude-code')
  expect(claude.map(({ type }) => type)).toEqual(['user', 'assistant', 'user'])
  expect(claude[1]).toMatchObject({ parentUuid: claude[0]?.['uuid'], message: { stop_reason: 'tool_use' } })
  const pi = await read('pi')
  expect(pi[0]).toMatchObject({ type: 'session', version: 3 })
  expect(pi[3]).toMatchObject({ parentId: pi[2]?.['id'], message: { role: 'toolResult', toolCallId: 'c1' } })
  const otel = await read('otel')
  expect(otel.map(({ name }) => name)).toEqual(['chat one', 'execute_tool grep'])
})

function withoutSecrets(picture: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(picture).filter(([path]) => !path.includes('.env')))
}

/** The export with one entry more before its end, every hash right: only whoever checks paths refuses it. */
function crafted(whole: Buffer, of: { kind: string; path: string; text: string }): Buffer {
  const text = whole.toString('latin1').trimEnd()
  const at = text.lastIndexOf('\n') + 1
  const end = JSON.parse(text.slice(at)) as { entries: number }
  const head = JSON.stringify({ kind: of.kind, path: of.path, size: of.text.length })
  const hash = createHash('sha256').update(of.text).digest('hex')
  const before = Buffer.concat([
    whole.subarray(0, at),
    Buffer.from(`${head}\n${of.text}\n${JSON.stringify({ sha256: hash })}\n`),
  ])
  const sha256 = createHash('sha256').update(before).digest('hex')
  const last = JSON.stringify({ kind: 'end', entries: end.entries + 1, sha256 })
  return Buffer.concat([before, Buffer.from(`${last}\n`)])
}
