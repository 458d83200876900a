/**
 * Memory and descriptors of a real daemon over many events:
 *
 *   node scripts/soak.mjs            10,000 events; NEO_SOAK=N sets another number, NEO_SOAK_LANES how many at a time
 *
 * Events are what a home sees all day: runbooks that run and merge, edits in an editor, calls over HTTP, messages that a
 * model answers. The number of files stays the same, so that all growth is the daemon's own. Memory is measured after
 * garbage collection, 12 times; exit code 1 when the last quarter holds over 20 % more than the first after the warm-up.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const EVENTS = Number(process.env.NEO_SOAK ?? 10_000)
const TASKS = Number(process.env.NEO_SOAK_TASKS ?? 400)
/** Events at the same time: more of them make the run quicker, the daemon does the same work. */
const LANES = Number(process.env.NEO_SOAK_LANES ?? 8)
const SAMPLES = 12
/** What is not there after this has gone wrong. */
const LIMIT_MS = 300_000
const MOST_GROWTH = 0.2

const root = mkdtempSync(join(tmpdir(), 'neo-soak-'))
const home = join(root, 'home')
const sampleFile = join(root, 'sample.json')
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
process.once('exit', () => process.env.NEO_SOAK_HEAP || rmSync(root, { recursive: true, force: true, maxRetries: 5 }))

const model = await startModel()
makeHome()
const daemon = startDaemon()
try {
  await until('the daemon is ready', () => hub() !== null)
  const samples = await soak()
  process.exitCode = report(samples) ? 0 : 1
} finally {
  daemon.kill('SIGTERM')
  await new Promise((done) => (daemon.exitCode === null ? daemon.once('exit', done) : done()))
  model.close()
}

function makeHome() {
  put('neo.yaml', `model: fake/m
providers: { fake: { api: openai, api_key: k, base_url: "http://127.0.0.1:${model.address().port}/v1" } }
prices: { date: 2026-11-01, fake/m: { input: 1, output: 1 } }
daemon: { branch: main, settle: 0s, concurrency: 4 }
http: { port: 0 }
`)
  put('.gitignore', '.neo/\n.env\n')
  put('workspace/files/.gitkeep', '')
  put('rooms/lobby/ROOM.md', '---\nname: Lobby\nworker: human\nkeep: 20\n---\n')
  put('rooms/shop/ROOM.md', '---\nname: Shop\nworker: shell\nreview: none\nkeep: 20\norchestrator: off\n---\n')
  for (let n = 0; n < TASKS; n++) put(path(n), `---\nstatus: draft\n---\n# Task ${n}\n\n\`\`\`sh\ndate +%s%N > out-${n}.txt\n\`\`\`\n`)
  for (const args of [['init', '-q', '-b', 'main'], ['config', 'user.name', 'Ana'], ['config', 'user.email', 'ana@localhost'], ['add', '-A'], ['commit', '-q', '-m', 'A home']])
    execFileSync('git', args, { cwd: home })
}

function startDaemon() {
  const sampler = resolve('scripts/soak-sampler.cjs')
  const argv = ['--expose-gc', '--require', sampler, 'dist/main.js', 'watch', '--home', home]
  const child = spawn(process.execPath, argv, {
    env: { ...process.env, NEO_TRUST: '1', NEO_SOAK_SAMPLE: sampleFile },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  return child
}

/** All events, in lanes of their own files; gives the samples. */
async function soak() {
  const samples = []
  let next = 0
  let due = 0
  const lane = async (own) => {
    for (let event = next++; event < EVENTS; event = next++) {
      const n = own + LANES * (Math.floor(event / LANES) % Math.floor(TASKS / LANES))
      await happen(event, n)
      if (next < due) continue
      due += EVENTS / SAMPLES
      samples.push({ events: next, ...(await sample()) })
      process.stderr.write(`${lineOf(samples.at(-1))}\n`)
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, own) => lane(own)))
  samples.push({ events: EVENTS, ...(await sample()) })
  process.stderr.write(`${lineOf(samples.at(-1))}\n`)
  return samples
}

async function happen(event, n) {
  switch (event % 5) {
    case 0:
      return await runs(n)
    case 1:
    case 2:
      return await edited(n, event)
    case 3:
      await until(`${path(n)} is adopted`, () => idOf(n) !== undefined)
      return void (await rpc('task.update', { taskId: idOf(n), updates: { priority: event % 2 ? 'high' : 'low' } }))
    default:
      return event % 50 === 4 ? await answered(event) : void (await rpc('task.list', { roomId: 'shop', limit: 50 }))
  }
}

/** A person sets a runbook to pending; it runs, and its change is merged. */
async function runs(n) {
  const before = text(n)
  const attempt = Number(/attempt: (\d+)/.exec(before)?.[1] ?? 0)
  save(n, before.replace(/^status: \w+$/m, 'status: pending'))
  await until(`${path(n)} is completed again`, () => {
    const now = text(n)
    return /^status: completed$/m.test(now) && Number(/attempt: (\d+)/.exec(now)?.[1] ?? 0) > attempt
  })
}

/** A person replaces the last line; the daemon sees it at its next look. */
async function edited(n, event) {
  await until(`${path(n)} is adopted`, () => idOf(n) !== undefined)
  save(n, `${text(n).replace(/Note \d+\n$/, '')}Note ${event}\n`)
}

async function answered(event) {
  put(`rooms/lobby/inbox/m${event}.md`, `Message ${event}\n`)
  // Wakes within an hour are limited, so that the answer may come much later: it is not waited for.
}

async function rpc(method, params) {
  const { url, token } = hub()
  const answer = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  await answer.text()
}

async function sample() {
  const before = seen()?.count ?? 0
  daemon.kill('SIGUSR2')
  await until('a sample', () => (seen()?.count ?? 0) > before)
  return seen()
}

function report(samples) {
  // Modules, caches and compiled code fill in the first quarter.
  const warm = samples.slice(Math.ceil(samples.length / 4))
  const quarter = Math.max(1, Math.floor(warm.length / 4))
  const held = (part, key) => part.map((one) => one[key]).toSorted((a, b) => a - b)[Math.floor(part.length / 2)]
  let good = true
  for (const key of ['rss', 'heapUsed', 'descriptors']) {
    const [from, to] = [held(warm.slice(0, quarter), key), held(warm.slice(-quarter), key)]
    const growth = to / from - 1
    const over = growth > MOST_GROWTH
    good &&= !over
    const shown = key === 'descriptors' ? [from, to] : [mb(from), mb(to)]
    console.log(`${over ? 'over' : 'ok  '} ${key.padEnd(11)} ${shown.join(' -> ')} (${(100 * growth).toFixed(1)} %)`)
  }
  return good
}

function lineOf({ events, rss, heapUsed, descriptors }) {
  return `${String(events).padStart(6)} events: ${mb(rss)} resident, ${mb(heapUsed)} heap, ${descriptors} descriptors`
}

function mb(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

function hub() {
  const said = json(join(home, '.neo/daemon.json'))
  return typeof said?.url === 'string' && typeof said.token === 'string' ? said : null
}

function seen() {
  return json(sampleFile)
}

function json(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

async function until(what, holds) {
  const end = Date.now() + LIMIT_MS
  while (!holds()) {
    if (daemon.exitCode !== null) throw new Error(`The daemon ended with ${daemon.exitCode}`)
    if (Date.now() > end) throw new Error(`Not within ${LIMIT_MS} ms: ${what}`)
    await new Promise((done) => setTimeout(done, 20))
  }
}

function path(n) {
  return `rooms/shop/tasks/t${n}.md`
}

function text(n) {
  return readFileSync(join(home, path(n)), 'utf8')
}

function idOf(n) {
  return /^ {2}id: (t-\w+)/m.exec(text(n))?.[1]
}

/** As an editor saves: a new file in the place of the old one. */
function save(n, content) {
  const file = join(home, path(n))
  writeFileSync(`${file}~`, content)
  renameSync(`${file}~`, file)
}

function put(name, content) {
  const file = join(home, name)
  mkdirSync(dirname(file), { recursive: true })
  if (!existsSync(file)) writeFileSync(file, content)
}

/** An endpoint of the OpenAI protocol that answers at once. */
async function startModel() {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const choice = (delta, reason) => ({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })
      for (const one of [choice({ role: 'assistant', content: 'Noted.' }, null), { ...choice({}, 'stop'), usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } }])
        response.write(`data: ${JSON.stringify(one)}\n\n`)
      response.end('data: [DONE]\n\n')
    })
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return server
}
