/** `neo plan`: what would run now and after that, with worker, model and estimated cost, and what waits. */
import { priceOf } from '../../domain/budget/price.ts'
import {
  amountText,
  type Estimate,
  estimateOf,
  historyOf,
  type UsageCall,
} from '../../domain/budget/usage-sum.ts'
import { type Decision, startsWork } from '../../domain/plan/decision.ts'
import { isWorthARow } from '../../domain/plan/foresee.ts'
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import { mayDecide } from '../../domain/room/host.ts'
import { needsModel, workerText } from '../../domain/task/task.ts'
import { settingsOf } from '../../domain/task/task-settings.ts'
import { openUsage } from '../../engine/agents/usage-ledger.ts'
import type { SeenAhead } from '../../engine/look-once.ts'
import { PRICES } from '../../files/config/prices.ts'
import { type Cell, dim } from '../output.ts'
import { countText } from '../shown-text.ts'
import type { Call } from '../spec.ts'
import { labelOf } from '../task/task-paths.ts'
import { withHub } from '../with-hub.ts'
import type { Opened } from '../with-world.ts'
import type { DaemonProblem } from './daemon-state.ts'

export async function showPlan(call: Call): Promise<number> {
  const data = (await withHub(call, (hub) => hub.read<PlanData>('plan'))) ?? (await ofFiles(call))
  const { git, decisions, then, end, waitingThen: waiting, held } = data
  call.out.data('plan', data)
  if (git.kind !== 'home') call.out.line({ text: `Nothing can run: ${git.why}`, style: 'yellow' })
  else if (decisions.length === 0) call.out.line('Nothing to do now.')
  call.out.table(decisions.map(cellsOf), 5)
  if (then.length > 0) {
    call.out.line('')
    call.out.heading('Then, if each task succeeds and nothing else changes')
    call.out.table(
      then.map((row) => [dim(`${row.step}.`), ...cellsOf(row)]),
      6,
    )
  }
  if (end === 'bound') call.out.line(dim('More follows; neo plan shows about 100 rows.'))
  if (waiting.length + held.length > 0) {
    call.out.line('')
    call.out.heading(then.length === 0 ? 'Waiting' : 'Still waiting after that')
    call.out.table([
      ...waiting.map(({ path, on }) => [labelOf(path), on]),
      ...held.map(({ part, why }) => [part, why]),
    ])
  }
  return 0
}

async function ofFiles(call: Call): Promise<PlanData> {
  const [{ withWorld }, { lookAhead }, { problemsOfDaemon }] = await Promise.all([
    import('../with-world.ts'),
    import('../../engine/look-once.ts'),
    import('./daemon-state.ts'),
  ])
  return withWorld(call, async (opened) => {
    const seen = await lookAhead(opened.world, opened.home, call.around.version)
    return planData(opened, seen, await problemsOfDaemon(opened))
  })
}

function cellsOf(row: PlannedRow): Cell[] {
  return [
    { text: ACTIONS[row.action] ?? row.action, style: 'cyan' },
    row.subject,
    row.worker ?? '',
    row.model ?? '',
    row.cost ?? '',
    [row.says, estimateText(row.estimate)].filter((text) => text !== '').join('; '),
  ]
}

function estimateText(estimate: Estimate | null): string {
  if (estimate === null) return ''
  return estimate.tokens === null ? estimate.from : `${countText(estimate.tokens)} tokens by ${estimate.from}`
}

/** Kinds that are no plain words. */
const ACTIONS: Readonly<Partial<Record<PlannedRow['action'], string>>> = {
  'adopt-room': 'adopt room',
  'adopt-schedule': 'adopt schedule',
  reconcile: 'merge edits',
  record: 'commit status',
  'record-schedule': 'commit schedule',
  fire: 'run schedule',
  forget: 'commit deletion',
  'hand-over': 'assign to human',
  requeue: 'queue again',
  'open-ask': 'request approval',
  'close-ask': 'close request',
  halt: 'end',
  discard: 'clean up',
  wake: 'ask Neo',
  turned: 'mark handled',
  tell: 'send edit',
  want: 'handle request',
  settle: 'mark answered',
  publish: 'push',
  published: 'record pull request',
  merged: 'complete',
  lost: 'fail',
}

export interface PlanData {
  readonly git: Snapshot['git']
  readonly decisions: readonly PlannedRow[]
  /** What follows if each task succeeds and nothing else changes, step by step. */
  readonly then: readonly (PlannedRow & { readonly step: number })[]
  /** `bound`: more follows than is shown. */
  readonly end: SeenAhead['ahead']['end']
  readonly waiting: SeenAhead['plan']['waiting']
  /** What still waits after all that. */
  readonly waitingThen: SeenAhead['plan']['waiting']
  /** Rooms whose Neo waits, for instance for a rate limit, and until when. */
  readonly held: readonly DaemonProblem[]
}

/** @param reported what the daemon reports; null: no daemon runs */
export function planData(
  { world, dir }: Pick<Opened, 'world' | 'dir'>,
  { snapshot, facts, plan, ahead }: SeenAhead,
  reported: readonly DaemonProblem[] | null,
): PlanData {
  const past = openUsage(world.files, dir).calls({ since: world.clock.now() - HISTORY_MS })
  const row = (decision: Decision) => planned(decision, snapshot, past)
  const decisions = ahead.now.filter(isWorthARow).map(row)
  const then = ahead.then.flatMap((step, at) => step.map((one) => ({ ...row(one), step: at + 1 })))
  const others = plan.decisions.flatMap((one) =>
    mayDecide(one, snapshot, facts) || !('path' in one)
      ? []
      : [{ path: one.path, on: `${facts.elsewhere} (that host does it)` }],
  )
  const held = (reported ?? []).filter(({ part }) => part.startsWith('neo '))
  return {
    git: snapshot.git,
    decisions,
    then,
    end: ahead.end,
    waiting: [...plan.waiting, ...others],
    waitingThen: [...ahead.waiting, ...others],
    held,
  }
}

/** Older sessions say little about what a task needs today. */
const HISTORY_MS = 90 * 86_400_000

export interface PlannedRow {
  readonly action: Decision['kind']
  readonly subject: string
  readonly says: string
  readonly worker: string | null
  /** Null if no model is used. */
  readonly model: string | null
  /** `0 USD` without a model, `about 0.42 USD` by what earlier sessions used, or `unknown`. */
  readonly cost: string | null
  /** For agents: how the cost is estimated. */
  readonly estimate: Estimate | null
}

/** @param past what models used so far */
export function planned(decision: Decision, snapshot: Snapshot, past: readonly UsageCall[]): PlannedRow {
  const action = decision.kind
  const subject =
    'path' in decision && decision.kind !== 'adopt-room' ? labelOf(decision.path) : subjectOf(decision)
  const row = { action, subject, says: saysOf(decision), ...NO_WORK }
  const file = startsWork(decision) && 'path' in decision ? snapshot.tasks.get(decision.path) : undefined
  if (file === undefined) return row
  const { config } = snapshot
  const { worker: kind, model } = settingsOf(file.task, snapshot.rooms.get(file.room)?.room ?? null, config)
  const worker = workerText(kind)
  if (kind.kind === 'agent') {
    const prices = { prices: config.prices, table: PRICES }
    const history = historyOf(past, { room: file.room, model })
    const estimate = estimateOf(history, (inputTokens) => priceOf(model, prices, inputTokens))
    return { ...row, worker, model, cost: costText(estimate), estimate }
  }
  return { ...row, worker, cost: needsModel(kind.kind) ? 'unknown' : '0 USD' }
}

const NO_WORK = { worker: null, model: null, cost: null, estimate: null }

function costText({ usd }: Estimate): string {
  if (usd === null) return 'unknown'
  return usd === 0 ? '0 USD' : `about ${amountText(usd)}`
}

function subjectOf(decision: Decision): string {
  if (decision.kind === 'adopt-room' || decision.kind === 'wake' || decision.kind === 'turned')
    return decision.room
  return 'session' in decision ? decision.session : ''
}

function saysOf(decision: Decision): string {
  switch (decision.kind) {
    case 'adopt':
      // A file with an id was made by a command, or moved.
      return decision.id === 'new' ? 'is committed, with a new neo: block' : 'is committed as it is'
    case 'record':
      return `your status ${decision.status} is committed`
    case 'start':
    case 'hand-over':
      return decision.attempt === 1 ? '' : `attempt ${decision.attempt}`
    case 'requeue':
    case 'stop':
    case 'discard':
      return decision.why
    case 'block':
    case 'lost':
      return decision.error
    case 'open-ask':
      return ASKED[decision.about]
    case 'close-ask':
      return decision.verdict
    case 'finish':
      return `its session ended: ${decision.outcome.kind}`
    case 'wake':
      return `Neo answers: ${decision.triggers.map((one) => one.text).join('; ')}`
    case 'fire':
      return firedText(decision)
    case 'published':
      return decision.error ?? SAYS.published
    default:
      return SAYS[decision.kind]
  }
}

function firedText({ slots, missed }: Extract<Decision, { kind: 'fire' }>): string {
  const runs = slots.map((slot) => new Date(slot).toISOString().slice(0, 16).replace('T', ' '))
  const passed = missed === 0 ? '' : `${missed} skipped`
  return [runs.length === 0 ? '' : `due since ${runs.join(', ')} UTC`, passed].filter(Boolean).join('; ')
}

const ASKED = {
  start: 'asks for approval to start',
  interrupted: 'asks what to do after an interruption',
  push: 'asks for approval to push its branch',
} as const

/** Decisions that are always described by the same words. */
const SAYS = {
  'adopt-room': 'is committed, with its neo: block',
  'adopt-schedule': 'is committed, with a new neo: block',
  'record-schedule': 'your change is committed',
  reconcile: 'an older version was saved; it is merged',
  forget: 'its deletion is committed',
  unblock: 'is no longer blocked',
  resume: 'its session continues',
  turned: 'the messages to Neo are marked as handled',
  halt: 'ends, because its parent session ends',
  tell: 'its agent gets your edit',
  want: 'a request of its session is handled',
  answer: 'your answer goes to its session',
  settle: 'its session already has the answer',
  withdraw: 'is withdrawn: no session waits for it',
  report: 'its result goes to the session that started it',
  publish: 'its branch is pushed and a pull request opened',
  published: 'its pull request is open',
  merge: 'its merge is retried',
  merged: 'its branch was merged',
} as const
