/**
 * What an agent session costs beside its model and its tools: a step of the loop with its durable lines, and the memory
 * of opening a long transcript. The model is a function that answers at once; the tool reads a small file.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { composeWorld } from '../../src/compose.ts'
import { type Reply, NO_USAGE } from '../../src/domain/agent/model-message.ts'
import type { AgentBrief, SessionRecord } from '../../src/domain/session/session.ts'
import type { AgentDeps } from '../../src/runner/deps.ts'
import { openAgent, runAgent } from '../../src/agent/agent.ts'
import type { Run } from '../../src/runner/run-step.ts'
import { inMs, type Line, type Row } from '../row.ts'

const MOST_MS = 5
const MOST_MB = 150
const STEPS = 200
const LONG_BYTES = 80 * 1024 * 1024

export const sessionRow: Row = {
  name: 'session',
  measures: 'the loop of an agent: own time a step, memory of a transcript of 80 MB',
  async run({ quick }) {
    const dir = mkdtempSync(join(tmpdir(), 'neo-bench-'))
    try {
      return [await stepLine(dir, quick ? 20 : STEPS), memoryLine(dir, quick ? LONG_BYTES / 8 : LONG_BYTES)]
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  },
}

async function stepLine(dir: string, steps: number): Promise<Line> {
  const run = await makeRun(dir, steps)
  const agent = await openAgent(run, run.record.agent as AgentBrief)
  if ('wrong' in agent) throw new Error(agent.wrong)
  const started = performance.now()
  const end = await runAgent(agent, null)
  const ms = (performance.now() - started) / steps
  await run.deps.world.git.close()
  if (end.kind !== 'passed') throw new Error(`the session ended otherwise: ${JSON.stringify(end)}`)
  const verdict = ms <= MOST_MS ? 'ok' : 'over'
  const work = `a step of a session of ${steps}, model and tool at once`
  return { work, goal: `≤ ${MOST_MS} ms`, floor: '', measured: inMs(ms), verdict }
}

async function makeRun(dir: string, steps: number): Promise<Run> {
  const git = (...args: string[]) => execFileSync('git', ['-C', dir, ...args])
  execFileSync('git', ['init', '-q', dir])
  writeFileSync(join(dir, 'a.txt'), 'one\n'.repeat(50))
  git('-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-q', '--allow-empty', '-m', 'begin')
  const world = await composeWorld(dir)
  const session = join(dir, '.git', 'neo', 'sessions', 's-aaaaaa')
  mkdirSync(session, { recursive: true })
  const { agent } = world
  if (agent === undefined) throw new Error('no models')
  const deps = { ...agent, models: { ...agent.models, open: () => scripted(steps) }, ...SILENT }
  const record = recordOf(dir, steps)
  return {
    record,
    deps: {
      world,
      dirs: { session, worktree: dir, home: dir },
      env: process.env,
      on: { progress: () => {} },
      signal: new AbortController().signal,
      agent: deps,
    },
    transcript: { add: () => {} },
    place: { from: '', copies: [], git: {}, cwd: dir, roots: { workspace: dir, worktree: dir } },
    deadline: Date.now() + 3_600_000,
    warnings: [],
    git: {},
  } as unknown as Run
}

const SILENT: Omit<AgentDeps, 'models' | 'sandbox' | 'tree' | 'web' | 'search'> = {
  providers: () => [],
  budget: () => null,
  calling: () => ({ used: () => {}, nothing: () => {} }),
  used: () => {},
  wanted: () => {},
  mail: async () => {},
  recall: async () => '',
  skill: async () => ({ wrong: 'none' }),
}

function recordOf(dir: string, turns: number): SessionRecord {
  const permissions = { shell: 'deny', network: 'deny', write: [] } as const
  const brief = { model: 'a/b', system: ['Be brief.'], prompt: 'Read.', body: '', permissions }
  const agent: AgentBrief = { ...brief, read: [], turns: turns + 5, sandbox: 'none', depth: 0 }
  const place = { repository: dir, folder: '', base: 'main' }
  return {
    v: 1,
    id: 's-aaaaaa',
    taskId: 't-a',
    room: 'shop',
    place,
    env: [],
    agent,
  } as unknown as SessionRecord
}

/** Reads the file so many times, then says that it is finished. */
function scripted(steps: number): ReturnType<AgentDeps['models']['open']> {
  let turn = 0
  const call = async (): Promise<Reply> => {
    turn++
    const name = turn < steps ? 'read_file' : 'finish_task'
    const input = turn < steps ? { path: 'a.txt' } : { result: 'read' }
    const message = { role: 'assistant', parts: [{ kind: 'call', id: `c${turn}`, name, input }] } as const
    return { message, stop: 'calls', note: '', usage: NO_USAGE }
  }
  return { ref: 'a/b', window: 1_000_000, call }
}

function memoryLine(dir: string, bytes: number): Line {
  const session = join(dir, 'long', 'sessions', 's-bbbbbb')
  mkdirSync(session, { recursive: true })
  mkdirSync(join(dir, 'long', 'transcripts'))
  writeLong(join(dir, 'long', 'transcripts', 's-bbbbbb.jsonl'), bytes)
  const script = join(import.meta.dirname, '..', 'session-memory.mjs')
  const said = execFileSync(process.execPath, [script, session, 's-bbbbbb'], { encoding: 'utf8' })
  const { mb } = JSON.parse(said) as { mb: number }
  const verdict = mb <= MOST_MB ? 'ok' : 'over'
  const work = `memory of a session with a transcript of ${Math.round(bytes / 1024 / 1024)} MB`
  return { work, goal: `≤ ${MOST_MB} MB`, floor: '', measured: `${mb.toFixed(0)} MB`, verdict }
}

/** Turns with results of 20 kB, folded whenever the window of a model would be full. */
function writeLong(path: string, bytes: number): void {
  const entry = (type: string, key: string, more: object) =>
    `${JSON.stringify({ v: 1, id: key, parent: null, ts: '2026-03-01T09:00:00.000Z', session: 's', room: 'r', task: 't', type, key, ...more })}\n`
  writeFileSync(path, entry('user', 'u-0', { text: 'Read.', told: [] }))
  const text = 'x'.repeat(20_000)
  for (let turn = 1, written = 0; written < bytes; turn++) {
    const parts = [{ kind: 'call', id: `c${turn}`, name: 'read_file', input: { path: 'a.txt' } }]
    const result = { kind: 'result', call: `c${turn}`, name: 'read_file', text, isError: 'no' }
    const lines = [
      entry('assistant', `a-${turn}`, { parts }),
      entry('tool_call', `call-${turn}`, { call: `c${turn}` }),
      entry('tool_result', `result-${turn}`, { call: `c${turn}`, result }),
      ...(turn % 100 === 0
        ? [entry('compaction', `fold-${turn}`, { summary: 'It was read.', kept: 5 })]
        : []),
    ].join('')
    appendFileSync(path, lines)
    written += lines.length
  }
}
