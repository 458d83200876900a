/**
 * Which workers can work, which budgets are spent, and what a running session gets. Invariants: 1. a provider's key goes
 * into a request and nowhere else; 2. a call is in the usage ledger before it is made.
 */

import type { CountedCall } from '../../agent/runtime/ask-model.ts'
import type { Reply, Usage } from '../../domain/agent/model-message.ts'
import { ModelError } from '../../domain/agent/model-retry.ts'
import {
  type BudgetAnswer,
  breachText,
  checkBudget,
  limitsOf,
  NOTHING_SPENT,
  spentOf,
} from '../../domain/budget/budget.ts'
import {
  costOf,
  dearestOutput,
  estimateOf,
  mayHaveUsed,
  priceOf,
  wholeInput,
} from '../../domain/budget/price.ts'
import type { UsageCall } from '../../domain/budget/usage-sum.ts'
import type { Facts, Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { SessionRecord } from '../../domain/session/session.ts'
import { missingProgram } from '../../domain/task/worker-kinds.ts'
import { openTasks } from '../../domain/task/readiness.ts'
import { needsModel, type Worker } from '../../domain/task/task.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { hasSteps } from '../../files/body/runbook.ts'
import { PRICES } from '../../files/config/prices.ts'
import type { Model, ModelRequest } from '../../ports/model-port.ts'
import type { AgentWorld, World } from '../../ports/world.ts'
import type { AgentDeps } from '../../runner/deps.ts'
import { pause } from '../bell.ts'
import type { Looker } from '../snapshot/look.ts'
import { filesFrom, recallWithFiles } from './recall-answers.ts'
import { skillNamed } from './skills.ts'
import { personasIn } from '../people/peer-files.ts'
import { peerHindrance } from './peer-work.ts'
import type { UsageLedger } from './usage-ledger.ts'

export const NO_MODEL = 'no model is configured: set ANTHROPIC_API_KEY or model: in neo.yaml'
const AS_RUNBOOK = '; or worker: shell to run its sh blocks'
const NO_AGENTS = 'this build has no model support'

export interface AgentsOptions {
  readonly home: string
  readonly world: World
  readonly look: Looker
  readonly usage: UsageLedger
  /** Something changed that a round has to see. */
  readonly changed: () => void
}

export class Agents {
  private readonly options: AgentsOptions
  private snapshot: Snapshot | null = null
  private readonly waiting = new Map<string, Set<() => void>>()
  /** Null in a build without models. */
  readonly deps: AgentDeps | null

  constructor(options: AgentsOptions) {
    this.options = options
    const { agent } = options.world
    this.deps = agent === undefined ? null : this.build(agent)
  }

  /** What can work now; budgets use this snapshot until the next. */
  facts(snapshot: Snapshot): Pick<Facts, 'agent' | 'cannot' | 'budgets'> {
    this.snapshot = snapshot
    const why = new Map<string, string | null>()
    const cannot = new Map<string, string | null>()
    const budgets = new Map<string, { error: string; at: number | null }>()
    for (const file of openTasks(snapshot)) {
      const { id } = file.task.neo
      const { status } = file.task
      if (id === undefined || (status !== 'pending' && status !== 'blocked')) continue
      const settings = settingsOf(file.task, snapshot.rooms.get(file.room)?.room ?? null, snapshot.config)
      const { worker, model } = settings
      if (!needsModel(worker.kind)) continue
      cannot.set(id, this.blockedReason(snapshot, { file, worker, model, known: why }))
      const budget = this.check(snapshot, { file, model, room: file.room })
      if (!budget.ok) budgets.set(id, { error: breachText(budget), at: resetOf(budget) })
    }
    const own = this.modelTrouble(snapshot.config.model, why)
    return { agent: own === null ? { kind: 'ready' } : { kind: 'none', error: own }, cannot, budgets }
  }

  /** Wakes a session that waits for its mailbox. */
  delivered(session: string): void {
    for (const wake of this.waiting.get(session) ?? []) wake()
    this.waiting.delete(session)
  }

  /** Whether Neo may make another model call in a room; `retryAt` epoch ms, null if a person has to raise the budget. */
  neoBudget(room: string): { ok: true } | { ok: false; why: string; retryAt: number | null } {
    if (this.snapshot === null) return { ok: true }
    const answer = this.check(this.snapshot, { file: null, model: this.snapshot.config.model, room })
    return answer.ok ? { ok: true } : { ok: false, why: breachText(answer), retryAt: resetOf(answer) }
  }

  /** Counts a call of Neo before it is made. */
  neoCalls({ estimate, model, room }: { estimate: Usage; model: string; room: string }): CountedCall {
    return this.begin(`neo:${room}:${this.options.world.random.id('s')}`, estimate, neoCall(room, model))
  }

  /** One call in a room's name. Rejects as the model does. */
  async askOnce(room: string, model: Model, request: ModelRequest): Promise<Reply> {
    const counted = this.neoCalls({ estimate: estimateOf(request), model: model.ref, room })
    try {
      const reply = await model.call(request)
      counted.used(reply.usage)
      return reply
    } catch (error) {
      if (error instanceof ModelError && !mayHaveUsed(error.kind)) counted.nothing()
      throw error
    }
  }

  private begin(key: string, estimate: Usage, of: Omit<UsageCall, 'at' | 'usage' | 'usd'>): CountedCall {
    const call = { ...of, at: this.now(), ...this.priced(of.model, estimate) }
    const begun = this.options.usage.begin(key, call)
    return { used: (tokens) => begun.used(this.priced(of.model, tokens)), nothing: () => begun.nothing() }
  }

  private priced(model: string, tokens: Usage): Pick<UsageCall, 'usage' | 'usd'> {
    const { prices } = this.options.look.config()
    const price = priceOf(model, { prices, table: PRICES }, wholeInput(tokens))
    return { usage: tokens, usd: costOf(tokens, price) }
  }

  private now(): string {
    return new Date(this.options.world.clock.now()).toISOString()
  }

  private blockedReason(
    snapshot: Snapshot,
    of: { file: TaskFile; worker: Worker; model: string; known: Map<string, string | null> },
  ): string | null {
    const { worker, file } = of
    if (worker.kind === 'peer') return peerHindrance(this.options.world, worker.name)
    if (worker.kind !== 'agent') {
      const room = snapshot.rooms.get(file.room)?.room ?? null
      const missing = missingProgram(worker, { config: snapshot.config, room, roomName: file.room })
      return missing ?? (this.deps === null ? NO_AGENTS : null)
    }
    const trouble = this.modelTrouble(of.model, of.known)
    // It may have been meant as a runbook.
    return trouble !== null && hasSteps(file.task.body) ? `${trouble}${AS_RUNBOOK}` : trouble
  }

  private modelTrouble(ref: string, known: Map<string, string | null>): string | null {
    const before = known.get(ref)
    if (before !== undefined) return before
    const why = this.openModel(ref)
    known.set(ref, why)
    return why
  }

  private openModel(ref: string): string | null {
    if (ref === 'rules') return NO_MODEL
    const { agent } = this.options.world
    if (agent === undefined) return NO_AGENTS
    const model = agent.models.open(ref, this.options.look.config().providers)
    return 'wrong' in model ? model.wrong : null
  }

  private check(
    snapshot: Snapshot,
    { file, model, room }: { file: TaskFile | null; model: string; room: string },
  ): BudgetAnswer {
    const { usage, world } = this.options
    const { config } = snapshot
    const at = world.clock.now()
    const limits = limitsOf(file?.task ?? null, snapshot.rooms.get(room)?.room ?? null, config)
    const wanted = limits.filter(({ what }) => what !== 'time')
    if (wanted.length === 0) return { ok: true, note: null }
    const prices = { prices: config.prices, table: PRICES }
    const priced = model === '' || priceOf(model, prices, 0) !== null
    return checkBudget({
      limits: wanted,
      spent: {
        task: file === null ? NOTHING_SPENT : spentOf(usage.ofTask(file.task.neo.id ?? '')),
        room: spentOf(usage.spentToday(config.timezone, at, { room })),
        home: spentOf(usage.spentToday(config.timezone, at)),
      },
      at,
      timezone: config.timezone,
      dearest: dearestOutput(config.prices, PRICES),
      ...(priced ? {} : { unpriced: model }),
    })
  }

  private build(agent: AgentWorld): AgentDeps {
    const { home, world, look, changed } = this.options
    return {
      models: agent.models,
      sandbox: agent.sandbox,
      tree: agent.tree,
      web: agent.web,
      search: agent.search,
      ...(agent.mcp === undefined ? {} : { mcp: agent.mcp }),
      providers: () => look.config().providers,
      budget: (record) => this.budgetOf(record),
      calling: (record, { key, model, estimate }) =>
        this.begin(key, estimate, { ...sessionCall(record), model }),
      used: (record, of) => this.used(record, of),
      wanted: changed,
      mail: (session, signal) => this.mail(session, signal),
      recall: async (room, query, limit) => recallWithFiles({ home, world }, { room, query, limit }),
      files: async (room, query, limit) => filesFrom(world, { room, query, limit }),
      personas: () => personasIn({ home, world }).map(({ name }) => name),
      skill: async (wanted) => await skillNamed({ home, world }, wanted),
    }
  }

  private budgetOf(record: SessionRecord): { error: string; retryAt?: string } | null {
    const { snapshot } = this
    if (snapshot === null) return null
    const file = [...snapshot.tasks.values()].find(({ task }) => task.neo.id === record.taskId) ?? null
    const answer = this.check(snapshot, { file, model: record.agent?.model ?? '', room: record.room })
    if (answer.ok) return null
    return { error: breachText(answer), ...(answer.resetsAt === null ? {} : { retryAt: answer.resetsAt }) }
  }

  private used(record: SessionRecord, of: Parameters<AgentDeps['used']>[1]): void {
    const priced = this.priced(of.model, of.usage)
    this.options.usage.add(of.key, {
      at: this.now(),
      ...sessionCall(record),
      model: of.model === '' ? record.worker : of.model,
      ...priced,
      usd: of.usd ?? priced.usd,
    })
  }

  /** Ends at a delivery, or after a moment: other processes deliver to the same mailbox. */
  private mail(session: string, signal: AbortSignal): Promise<void> {
    const wakes = this.waiting.get(session) ?? new Set()
    this.waiting.set(session, wakes)
    let forget = () => {}
    const onWake = (wake: () => void) => {
      wakes.add(wake)
      forget = () => void wakes.delete(wake)
    }
    return pause(this.options.world.clock, MAIL_LOOK_MS, { signal, onWake }).then(() => forget())
  }
}

/** How long a waiting session may miss a message of another process. */
const MAIL_LOOK_MS = 1_000

function resetOf({ resetsAt }: { readonly resetsAt: string | null }): number | null {
  return resetsAt === null ? null : Date.parse(resetsAt)
}

function neoCall(room: string, model: string): Omit<UsageCall, 'at' | 'usage' | 'usd'> {
  return { room, task: null, session: null, kind: 'neo', model }
}

function sessionCall(record: SessionRecord): Omit<UsageCall, 'at' | 'usage' | 'usd' | 'model'> {
  const kind = record.worker === 'agent' ? 'session' : 'exec'
  return { room: record.room, task: record.taskId, session: record.id, kind }
}
