/**
 * An agent's session on a bench: real files, processes and git, a model that says what a script tells it, and nothing
 * that confines. Takes the script; gives the session's outcome, requests and folders, also over several runs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../src/adapters/machine.ts'
import { openSearch } from '../../src/adapters/search/ripgrep.ts'
import { openWorktreeFiles } from '../../src/adapters/worktree-files/worktree-files.ts'
import { deliver, mailOf } from '../../src/agent/mailbox.ts'
import {
  type AssistantMessage,
  callsOf,
  type JsonObject,
  type Message,
  NO_USAGE,
  type Reply,
  type StopReason,
} from '../../src/domain/agent/model-message.ts'
import { ModelError } from '../../src/domain/agent/model-retry.ts'
import type { AgentBrief, Delivery, Outcome, SessionRecord, Want } from '../../src/domain/session/session.ts'
import type { Files } from '../../src/ports/files-port.ts'
import type { ModelRequest } from '../../src/ports/model-port.ts'
import type { AgentDeps } from '../../src/runner/deps.ts'
import { runSession } from '../../src/runner/run-session.ts'
import { type Bench, bench, benchAt } from '../runner/builders.ts'

export interface Says {
  readonly text?: string
  readonly calls?: readonly (readonly [name: string, input: JsonObject, id?: string])[]
  readonly stop?: StopReason
  readonly raw?: 'yes'
}

/** What the model answers to its n-th request, from 0; `stay` answers only when the session is stopped. */
export type Script = (n: number, request: ModelRequest) => Says | 'stay'

export const FINISH: Says = { calls: [['finish_task', { result: 'it is done' }]] }

export interface Stage {
  readonly bench: Bench
  readonly requests: ModelRequest[]
  readonly wants: () => readonly Want[]
  deliver(delivery: Delivery): void
  /** Runs the session until it ends or leaves; the same stage may be run again. */
  run(signal?: AbortSignal): Promise<Outcome | 'left'>
  /** All that lies in the session's folder and its transcript, as one text. */
  kept(): string
}

const BRIEF: AgentBrief = {
  model: 'fake/some-model',
  system: ['You work.'],
  prompt: '# Task: Build',
  body: '',
  permissions: { shell: 'allow', network: 'deny', write: [] },
  read: [],
  turns: 50,
  sandbox: 'none',
  depth: 0,
}

interface More {
  readonly brief?: Partial<AgentBrief>
  readonly record?: Partial<SessionRecord>
  readonly window?: number
  readonly agent?: Partial<AgentDeps>
  /** What the run is given instead of its files. */
  readonly files?: (own: Files) => Files
}

export function stage(script: Script, more: More = {}): Stage {
  const agent = { ...BRIEF, ...more.brief }
  const made = bench([], { agent, worker: 'agent', ...more.record })
  const requests: ModelRequest[] = []
  let asked = 0
  const { session } = made.deps.dirs
  const { files } = made.deps.world
  const clock = systemClock()
  const model = {
    ref: 'fake/some-model',
    window: more.window ?? null,
    call: async (request: ModelRequest): Promise<Reply> => {
      if (request.signal.aborted) throw new ModelError('aborted', 'stopped')
      requests.push({ ...request, messages: structuredClone(request.messages) as readonly Message[] })
      const said = script(requests.length - 1, request)
      if (said === 'stay') await aborted(request.signal)
      if (said === 'stay') throw new ModelError('aborted', 'stopped')
      return replyOf(said, asked++)
    },
  }
  const deps: AgentDeps = {
    models: { open: () => model, probe: async () => null },
    sandbox: { available: async () => ({ kind: 'a fake' }), wrap: (argv) => argv },
    tree: openWorktreeFiles(),
    web: { fetch: async () => ({ refused: 'there is no web here' }) },
    search: openSearch(),
    providers: () => [],
    budget: () => null,
    calling: () => ({ used: () => {}, nothing: () => {} }),
    used: () => {},
    wanted: () => {},
    mail: (_, signal) =>
      new Promise((resolve) => {
        const cancel = clock.after(10, resolve)
        if (signal.aborted) {
          cancel()
          resolve()
        }
      }),
    recall: async () => 'no memories about this',
    skill: async () => ({ wrong: 'there is none' }),
    ...more.agent,
  }
  return {
    bench: made,
    requests,
    wants: () => mailOf(files, session).wants,
    deliver: (delivery) => deliver(files, session, delivery),
    run(signal = new AbortController().signal) {
      const again = benchAt(made.root, made.record, signal)
      const own = again.deps.world.files
      const world = { ...again.deps.world, clock, files: more.files?.(own) ?? own }
      return runSession(made.record, { ...again.deps, world, agent: deps })
    },
    kept: () => allText(session) + transcriptText(made),
  }
}

export function transcriptOf({ repository, record }: Bench): string {
  return join(repository, '.git', 'neo', 'transcripts', `${record.id}.jsonl`)
}

function transcriptText(made: Bench): string {
  const path = transcriptOf(made)
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function allText(dir: string): string {
  const names = ['mail.jsonl', 'outcome.json', 'progress.json'].map((name) => join(dir, name))
  const folders = ['wants', 'results'].flatMap((name) => filesIn(join(dir, name)))
  return [...names, ...folders].map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')).join('\n')
}

function filesIn(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir).map((name) => join(dir, name)) : []
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve())
  })
}

function replyOf({ text, calls = [], stop, raw }: Says, n: number): Reply {
  const parts: AssistantMessage['parts'] = [
    ...(text === undefined ? [] : [{ kind: 'text' as const, text }]),
    ...calls.map(([name, input, id], at) => ({
      kind: 'call' as const,
      id: id ?? `c${n}-${at}`,
      name,
      input,
    })),
  ]
  const content = [{ type: 'thinking', thinking: 'so', signature: 'signed' }]
  const own = raw === undefined ? {} : { raw: { api: 'anthropic', model: 'fake/some-model', content } }
  const message: AssistantMessage = { role: 'assistant', parts, ...own }
  return { message, stop: stop ?? (calls.length > 0 ? 'calls' : 'end'), note: '', usage: NO_USAGE }
}

/** What a model is told of each call of the last answer: `name: text`. */
export function results(request: ModelRequest | undefined): readonly string[] {
  const last = request?.messages.at(-1)
  return last?.role === 'user'
    ? last.parts.flatMap((part) => (part.kind === 'result' ? [`${part.name}: ${part.text}`] : []))
    : []
}

/** All texts that a request holds. */
export function textIn(request: ModelRequest | undefined): string {
  return (request?.messages ?? [])
    .flatMap(({ parts }) =>
      parts.map((part) =>
        part.kind === 'call' ? JSON.stringify(part.input) : part.kind === 'image' ? part.path : part.text,
      ),
    )
    .join('\n')
}

/** What is wrong with a conversation for a server: turns that do not alternate, calls without exactly one result. */
export function flawsOf(messages: readonly Message[]): readonly string[] {
  const flaws: string[] = []
  const seen = new Set<string>()
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1]
    if (before?.role === message.role) flaws.push(`${at}: two turns of ${message.role}`)
    if (message.role === 'assistant') {
      for (const { id } of callsOf(message)) {
        if (seen.has(id)) flaws.push(`${at}: the id ${id} comes twice`)
        seen.add(id)
      }
      continue
    }
    const asked = before?.role === 'assistant' ? callsOf(before).map(({ id }) => id) : []
    const told = message.parts.flatMap((part) => (part.kind === 'result' ? [part.call] : []))
    if (JSON.stringify(asked) !== JSON.stringify(told))
      flaws.push(`${at}: asked ${asked.join()}, told ${told.join()}`)
  }
  const last = messages.at(-1)
  if (last?.role === 'assistant') flaws.push('the last turn is not the user’s')
  return flaws
}
