/** Neo on a temporary folder, with a scripted model, a hub that records calls, and a clock that is moved by hand. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openFiles } from '../../src/adapters/disk/disk-files.ts'
import type { HomeConfig } from '../../src/domain/home/home-config.ts'
import type { Trigger } from '../../src/domain/plan/decision.ts'
import type { Principal } from '../../src/domain/policy/policy-acts.ts'
import { HUB_CODES, type Hub, HubError } from '../../src/hub/hub.ts'
import { type Neo, openNeo } from '../../src/orchestrator/open-orchestrator.ts'
import type { BudgetState, NeoOptions } from '../../src/orchestrator/options.ts'
import type { Files } from '../../src/ports/files-port.ts'
import type { Clock } from '../../src/ports/world.ts'
import { config, NOW } from '../builders.ts'
import { type Line, ScriptedModel } from './script.ts'

type Params = Readonly<Record<string, unknown>>
export type Method = (params: Params, principal: Principal) => unknown

export interface HubCall {
  readonly method: string
  readonly params: Params
  readonly principal: Principal
}

/** A hub of the methods that a test gives it, and tasks that can be made and listed. */
export class FakeHub {
  readonly calls: HubCall[] = []
  readonly tasks: Params[] = []
  readonly methods = new Map<string, Method>()

  constructor(methods: Readonly<Record<string, Method>> = {}) {
    this.methods.set('room.overview', ({ roomId }) => ({
      room: { id: roomId, name: roomId, status: 'active', instructions: 'Be careful.' },
      sessions: [],
      tasks: { pending: this.tasks },
      asks: [],
      usage: {},
    }))
    this.methods.set('task.list', () => this.tasks)
    this.methods.set('task.create', (params) => {
      const id = `t-${String(this.tasks.length + 1).padStart(6, '0')}`
      const task = { id, name: id, status: 'pending', createdBy: 'neo', createdAt: iso(NOW), ...params }
      this.tasks.push(task)
      return task
    })
    for (const [name, method] of Object.entries(methods)) this.methods.set(name, method)
  }

  async call(principal: Principal, method: string, params: unknown): Promise<unknown> {
    this.calls.push({ method, params: params as Params, principal })
    const found = this.methods.get(method)
    if (found === undefined) throw new HubError(HUB_CODES.method, `There is no method ${method}`)
    return found(params as Params, principal)
  }

  /** Calls that change something, in order. */
  get changes(): readonly HubCall[] {
    const reading = /^(?:room\.overview|room\.list|task\.list|memory\.search|status\.global)$/
    return this.calls.filter(({ method }) => !reading.test(method))
  }
}

/** Time stands still; whoever waits is let go at once, and the wait is counted in. */
export class HandClock implements Clock {
  at = NOW

  now(): number {
    return this.at
  }

  after(ms: number, call: () => void): () => void {
    let live = true
    queueMicrotask(() => {
      if (!live) return
      this.at += ms
      call()
    })
    return () => {
      live = false
    }
  }
}

export interface Stage {
  readonly neo: Neo
  readonly model: ScriptedModel
  readonly hub: FakeHub
  readonly clock: HandClock
  readonly home: string
  readonly dir: string
  readonly statuses: string[]
  readonly said: string[]
  readonly kept: string[]
  readonly used: number[]
  /** Neo of a new process on the same files. */
  again(lines: readonly Line[], hub?: FakeHub): Stage
}

export interface StageOptions {
  readonly hub?: FakeHub
  /** Instead of the recording one. */
  readonly realHub?: Pick<Hub, 'call'>
  readonly home?: string
  readonly clock?: HandClock
  readonly config?: Partial<HomeConfig>
  readonly budget?: () => BudgetState
  readonly onText?: (room: string, delta: string) => void
  readonly files?: Files
}

export function stage(lines: readonly Line[], over: StageOptions = {}): Stage {
  const home = over.home ?? mkdtempSync(join(tmpdir(), 'neo-turn-'))
  const { hub = new FakeHub(), clock = new HandClock() } = over
  const model = new ScriptedModel(lines)
  const dir = join(home, '.git', 'neo')
  const seen = { statuses: [] as string[], said: [] as string[], kept: [] as string[], used: [] as number[] }
  const options: NeoOptions = {
    hub: over.realHub ?? hub,
    models: model,
    files: over.files ?? openFiles(),
    clock,
    dir,
    home,
    config: () => ({ ...config(), model: 'local/script', ...over.config }),
    budget: over.budget ?? (() => ({ ok: true })),
    keep: async (room, content, { from }) => void seen.kept.push(`${room} ${from}: ${content}`),
    say: async (_room, what, text) => void seen.said.push(`${what}: ${text}`),
    onCall: () => ({
      used: ({ input, output }) => void seen.used.push(input + output),
      nothing: () => {},
    }),
    onStatus: (_room, status, note) =>
      void seen.statuses.push(note === undefined ? status : `${status} (${note})`),
    ...(over.onText === undefined ? {} : { onText: over.onText }),
  }
  const neo = openNeo(options)
  const again = (next: readonly Line[], other = hub) => stage(next, { ...over, home, clock, hub: other })
  return { neo, model, hub, clock, home, dir, ...seen, again }
}

export const SIGNAL = new AbortController().signal

let keys = 0

/** A person writes. */
export function message(text: string, over: Partial<Trigger> = {}): Trigger {
  keys += 1
  return { key: `message ${keys}`, room: 'shop', kind: 'message', from: 'human', text, ...over }
}

/** Writes a file of the home. */
export function put(home: string, path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}

/** All lines of all transcripts, in order of the files' names. */
export function lines(dir: string): readonly Params[] {
  const folder = join(dir, 'transcripts')
  return readdirSync(folder)
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as Params)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
