/**
 * `neo plan`: what would run now and after that, with worker, model and cost, and what waits.
 */
import type { Estimate } from '../../domain/budget/usage-sum.ts'
import type { Cell } from '../output.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'
import { labelOf } from '../task/task-paths.ts'
import { countText } from '../usage/chart.ts'
import type { PlanData, PlannedRow } from './plan-data.ts'

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
      then.map((row) => [{ text: `${row.step}.`, style: 'dim' }, ...cellsOf(row)]),
      6,
    )
  }
  if (end === 'bound') call.out.line({ text: 'More follows; neo plan shows about 100 rows.', style: 'dim' })
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
  const [{ withWorld }, { lookAhead }, { planData }, { problemsOfDaemon }] = await Promise.all([
    import('../with-world.ts'),
    import('../../engine/look-once.ts'),
    import('./plan-data.ts'),
    import('./daemon-problems.ts'),
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
