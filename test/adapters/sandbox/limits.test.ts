/** What a confined command may use, and what is said when it uses more. Limits are small here, so that nothing suffers. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  accessSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openSandbox } from '../../../src/adapters/sandbox/bubblewrap.ts'
import { sizeText } from '../../../src/adapters/sandbox/launcher.ts'
import type { Confinement } from '../../../src/ports/sandbox-port.ts'
import { whyNot } from './grounds.ts'

const missing = await whyNot()
const sandbox = openSandbox()
const available = await sandbox.available()
const MB = 1_000_000
const LIMITS = { processes: 30, memory: 150 * MB, disk: 40 * MB }
const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' }

function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'neo-limits-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function run(line: string, more: Partial<Confinement> = {}) {
  const dir = folder()
  const usual = { write: [dir], read: [], network: 'deny', cwd: dir, env, limits: LIMITS } as const
  const [program, ...args] = sandbox.wrap(['bash', '-c', line], { ...usual, ...more })
  const ran = spawnSync(program, args, { env, encoding: 'utf8', timeout: 30_000, maxBuffer: 1e8 })
  return { code: ran.status ?? ran.signal, said: `${ran.stdout}${ran.stderr}` }
}

const EXCESS: readonly (readonly [string, string, RegExp])[] = [
  [
    'a fork bomb',
    'f() { f | f & }; f; sleep 20',
    /stopped this command: more than 30 processes \(sandbox\.processes/,
  ],
  ['many sleepers', 'for i in $(seq 60); do sleep 20 & done; wait', /more than 30 processes/],
  [
    'processes that leave their group',
    'for i in $(seq 60); do setsid -f sleep 20; done; sleep 20',
    /more than 30 processes/,
  ],
  [
    'one large process',
    'perl -e \'$x = "a" x 400_000_000; sleep 20\'',
    /more than 150 MB of memory \(sandbox\.memory/,
  ],
  [
    'many that are large together',
    'for i in $(seq 6); do perl -e \'$x = "a" x 60_000_000; sleep 20\' & done; wait',
    /150 MB of memory/,
  ],
  [
    'memory that processes share',
    `python3.11 -c 'import mmap,time; m = mmap.mmap(-1, 400_000_000); m.write(b"x" * 400_000_000); time.sleep(20)'`,
    /more than 150 MB of memory/,
  ],
  [
    'files in memory that nothing maps',
    `python3.11 -c 'import os,time; [os.write(os.memfd_create("x"), b"x" * 30_000_000) for i in range(10)]; time.sleep(20)'`,
    /more than 150 MB of memory/,
  ],
  [
    'a large file',
    'head -c 100000000 /dev/zero > big; echo code $?; ls -l big',
    /code (153|1)\n[\s\S]* 40000000 |File size limit|File too large/,
  ],
  [
    'many files',
    'for i in $(seq 40); do head -c 5000000 /dev/zero > f$i; sync; sleep 0.2; done',
    /its folder is larger than 40 MB \(sandbox\.disk/,
  ],
  [
    'a full temporary folder',
    'head -c 90000000 /dev/zero > /tmp/x; head -c 90000000 /dev/zero > /dev/shm/x; ls -l /tmp/x /dev/shm/x',
    /No space left[\s\S]*No space left/,
  ],
]

test.skipIf(missing !== null).each(EXCESS)('a command ends, and says why: %s', (_, line, says) => {
  expect(run(line).said).toMatch(says)
})

test.skipIf(missing !== null)('a command within its limits keeps its input, output and exit code', () => {
  const line = 'for i in 1 2 3; do sleep 0.2 & done; wait; cat; echo out; echo err >&2; kill -TERM $$'
  const ran = run(line)
  expect([ran.code, ran.said]).toEqual([143, 'out\nerr\n'])
})

test.skipIf(missing !== null)('memory that processes share counts once', () => {
  const script = `import os,time
x = b"x" * 100_000_000
for i in range(5):
  if os.fork() == 0:
    time.sleep(1); os._exit(0)
for i in range(5): os.wait()
print("all")`
  expect(run(`python3.11 -c '${script}'`)).toEqual({ code: 0, said: 'all\n' })
})

test.skipIf(missing !== null)('nothing of a command that was stopped is left', () => {
  const mark = `neo-left-${process.pid}`
  run(`for i in $(seq 60); do setsid -f bash -c "exec -a ${mark} sleep 20"; done; sleep 20`)
  expect(spawnSync('pgrep', ['-f', `^${mark}`]).status).toBe(1)
})

/** Where root may make control groups that limit processes; null elsewhere. */
function groupsFolder(): string | null {
  const own = existsSync('/proc/self/cgroup') ? readFileSync('/proc/self/cgroup', 'utf8') : ''
  const version1 = /^\d+:pids:(.*)$/m.exec(own)?.[1]
  const version2 = `/sys/fs/cgroup${/^0::(.*)$/m.exec(own)?.[1] ?? ''}`
  if (version1 === undefined && !existsSync(`${version2}/pids.max`)) return null
  const folder = version1 === undefined ? dirname(version2) : join('/sys/fs/cgroup/pids', version1)
  return isWritable(join(folder, 'cgroup.procs')) ? folder : null
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const isRoot = process.getuid?.() === 0
const groups = groupsFolder()
const THREADS = `import os, threading
started = 0
wait = threading.Event()
try:
  while started < 400:
    threading.Thread(target=wait.wait, daemon=True).start()
    started += 1
except RuntimeError: pass
print(started, flush=True)
os._exit(0)`

test.skipIf(missing !== null || (isRoot && groups === null))(
  'the kernel limits threads, for root as well',
  () => {
    const { said } = run(`python3.11 -c '${THREADS}'`)
    expect(Number(said)).toBeGreaterThan(200)
    expect(Number(said)).toBeLessThan(LIMITS.processes * 8)
  },
)

test.skipIf(missing !== null || !isRoot || groups === null)(
  'control groups go with their command',
  async () => {
    const old = join(groups ?? '', 'neo-command-999999999')
    mkdirSync(old, { recursive: true })
    expect(run('echo done').said).toBe('done\n')
    expect(existsSync(old)).toBe(false)
    const ended = () =>
      readdirSync(groups ?? '')
        .filter((name) => name.startsWith('neo-command-'))
        .filter((name) => !existsSync(name.replace('neo-command-', '/proc/')))
    await expect.poll(ended).toEqual([])
  },
)

const NOBODY = 65534
test.skipIf(missing !== null || !isRoot)('limits hold for a user without rights, by the kernel too', () => {
  const dir = folder()
  chownSync(dir, NOBODY, NOBODY)
  const env = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' }
  const own = openSandbox({ home: '/nonexistent', env, uid: NOBODY })
  const asNobody = (line: string) => {
    const usual = { write: [dir], read: [], network: 'deny', cwd: dir, env, limits: LIMITS } as const
    const [program, ...args] = own.wrap(['bash', '-c', line], usual)
    return spawnSync(program, args, {
      env,
      encoding: 'utf8',
      uid: NOBODY,
      gid: NOBODY,
      cwd: '/',
      timeout: 30_000,
    })
  }
  expect(asNobody('ulimit -u; echo x > f; cat f').stdout).toBe('240\nx\n')
  expect(asNobody('for i in $(seq 60); do sleep 20 & done; wait').stderr).toContain('more than 30 processes')
})

/** A kernel before 6.12 cannot close them off: then doctor says so. */
const scoped = 'kind' in available && (available.lacks ?? []).every((what) => !what.includes('abstract'))

test.skipIf(missing !== null || !scoped)(
  'with network: allow, abstract sockets of the machine are out of reach',
  async () => {
    const name = `\0neo-abstract-${process.pid}`
    let hits = 0
    const server = createServer((socket) => {
      hits += 1
      socket.end()
    })
    await new Promise<void>((done) => server.listen(name, done))
    onTestFinished(() => void server.close())
    const to = `\\0neo-abstract-${process.pid}`
    const script = `const net = require('net'); const own = net.createServer((s) => s.end('own')).listen('\\0neo-own', () => {
    net.connect('\\0neo-own').on('data', (d) => console.log(String(d))).on('close', () => {
      net.connect('${to}').on('connect', () => console.log('reached')).on('error', (e) => console.log(e.code)).on('close', () => process.exit())
    })
  })`
    expect(
      run(`node -e "${script.replaceAll('"', '\\"').replaceAll('\n', ' ')}"`, { network: 'allow' }).said,
    ).toBe('own\nEPERM\n')
    expect(hits).toBe(0)
  },
)

test('sizes are told as neo.yaml has them', () => {
  expect([10_000_000_000, 1_500_000_000, 40_000_000].map(sizeText)).toEqual(['10 GB', '1.5 GB', '40 MB'])
})

test.skipIf(missing !== null)('available() names the limits that hold', () => {
  expect(available).toMatchObject({ holds: ['disk', 'processes', 'memory'] })
  expect(existsSync('/proc/self/fd') && execFileSync('bwrap', ['--version']).length > 0).toBe(true)
})
