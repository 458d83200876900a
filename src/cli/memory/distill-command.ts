/**
 * `neo memory distill`: makes facts and notes from messages since the last time, one line a room; with `--scope`, from one
 * conversation. Invariant 1: what was not done is named, and the command ends with 1.
 */

import { counted } from '../../domain/text/counted.ts'
import { usage } from '../cli-failure.ts'
import { paramsOf } from '../option-values.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'

export function distillMemories(call: Call): Promise<number> {
  return withHub(call, async (hub) => {
    const [room, scope] = [call.text('room'), call.text('scope')]
    if (room !== null && scope !== null)
      throw usage(
        'Cannot distill: --room and --scope are both given, want one',
        'neo memory distill --scope telegram-m1',
      )
    if (scope !== null) {
      const report = await hub.call('scope.distill', { scopeId: scope }, 'neo rpc scope.list')
      call.out.data('scope.distill', report)
      return told(call, [{ ...report, name: report.scope }])
    }
    const reports = await hub.call('memory.distill', paramsOf(call), 'neo room list')
    call.out.data('memory.distill', reports)
    return told(
      call,
      reports.map((report) => ({ ...report, name: report.room })),
    )
  })
}

interface Report {
  readonly name: string
  readonly kind: string
  readonly facts: number
  readonly notes: number
  readonly results?: number
  readonly summarised: number
  readonly trouble: string
  readonly refused: readonly string[]
}

function told({ out }: Call, reports: readonly Report[]): number {
  out.table(
    reports.map(({ name, kind, facts, notes, results, summarised }) => [
      { text: name, style: 'cyan' },
      kind === 'waits' ? { text: 'waits: a file is being edited', style: 'yellow' } : kind,
      [
        `${counted(facts, 'fact')}, ${counted(notes, 'note')}`,
        ...(results === undefined ? [] : [counted(results, 'result')]),
        ...(summarised > 0 ? [`${counted(summarised, 'message')} summarised`] : []),
      ].join(', '),
    ]),
    2,
  )
  const refused = reports.flatMap((one) => one.refused)
  if (refused.length > 0) out.note(`Not stored, because it looks like a secret: ${refused.join('; ')}`)
  const troubles = reports.filter(({ trouble }) => trouble !== '')
  for (const { name, trouble } of troubles) out.note(`${name}: not summarised: ${trouble}`)
  return troubles.length > 0 || reports.some(({ kind }) => kind === 'waits') ? 1 : 0
}
