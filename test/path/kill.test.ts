/** The whole program is killed at seeded random instants; every effect happens exactly once and every task ends. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'

const NEO = resolve('dist', 'main.js')
const TASKS = 12
const KILLS = Number(process.env['NEO_KILLS'] ?? 10)
const SEED = Number(process.env['NEO_SEED'] ?? 7)

const homes: string[] = []
afterEach(() => {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

test('run does every effect exactly once and ends every task, when it is killed at random instants', async () => {
  const { home, effects } = makeHome()
  for (const wait of instants()) await killedAfter(home, wait)
  expect(await finished(home)).toBe(0)
  const done = readdirSync(effects).sort()
  expect(done.map((name) => [name, readFileSync(join(effects, name), 'utf8')])).toEqual(
    done.map((name) => [name, 'once\n']),
  )
  expect(done).toHaveLength(TASKS)
  expect(statuses(home)).toEqual(Array.from({ length: TASKS }, () => 'completed'))
  expect(git(home, 'status', '--porcelain')).toBe('')
  git(home, 'fsck', '--strict')
})

function makeHome(): { home: string; effects: string } {
  const top = mkdtempSync(join(tmpdir(), 'neo-kill-'))
  homes.push(top)
  const home = join(top, 'home')
  const effects = join(top, 'effects')
  mkdirSync(effects)
  execFileSync('node', [NEO, 'init', home, '--quiet'])
  mkdirSync(join(home, 'rooms', 'shop', 'tasks'), { recursive: true })
  writeFileSync(join(home, 'rooms', 'shop', 'ROOM.md'), '---\nworker: shell\n---\nShop\n')
  for (let n = 0; n < TASKS; n++) {
    const script = `echo once >> "${join(effects, `e${n}`)}"\nsleep 0.1\necho ${n} > out-${n}.txt`
    writeFileSync(
      join(home, 'rooms', 'shop', 'tasks', `t${n}.md`),
      `# Task ${n}\n\n\`\`\`sh\n${script}\n\`\`\`\n`,
    )
  }
  return { home, effects }
}

/** Milliseconds after the start, the same for the same seed. */
function instants(): number[] {
  let state = SEED
  return Array.from({ length: KILLS }, () => {
    state = (state * 1103515245 + 12345) % 2147483648
    return 250 + (state % 900)
  })
}

function killedAfter(home: string, ms: number): Promise<void> {
  const child = spawn('node', [NEO, 'run', '--home', home, '--quiet'], { stdio: 'ignore' })
  const timer = setTimeout(() => child.kill('SIGKILL'), ms)
  return new Promise((done) =>
    child.on('close', () => {
      clearTimeout(timer)
      done()
    }),
  )
}

function finished(home: string): Promise<number | null> {
  const child = spawn('node', [NEO, 'run', '--home', home, '--quiet'], { stdio: 'ignore' })
  return new Promise((done) => child.on('close', done))
}

function statuses(home: string): string[] {
  const dir = join(home, 'rooms', 'shop', 'tasks')
  return readdirSync(dir).map(
    (name) => /^status: (\w+)$/m.exec(readFileSync(join(dir, name), 'utf8'))?.[1] ?? 'none',
  )
}

function git(home: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: home, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
