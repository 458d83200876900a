/**
 * `neo memory distill`: makes facts and notes of what was said since the last time, one line a room.
 */
import { asked } from '../rpc/failure.ts'
import { withHub } from '../rpc/with-hub.ts'
import type { Call } from '../spec.ts'

export function distillMemories(call: Call): Promise<number> {
  return withHub(call, async (at) => {
    const room = call.text('room')
    const params = room === null ? {} : { roomId: room.replace(/^rooms\//, '') }
    const reports = await asked('neo room list', () => at.call('memory.distill', params))
    call.out.data('memory.distill', reports)
    call.out.table(
      reports.map(({ room: name, kind, facts, notes, results, summarised }) => [
        { text: name, style: 'cyan' },
        kind === 'waits' ? { text: 'waits: a file is being edited', style: 'yellow' } : kind,
        `${facts} facts, ${notes} notes, ${results} results${summarised > 0 ? `, ${summarised} messages summarised` : ''}`,
      ]),
      2,
    )
    const refused = reports.flatMap((one) => one.refused)
    if (refused.length > 0) call.out.note(`Not kept, because it looks like a secret: ${refused.join('; ')}`)
    const troubles = reports.filter(({ trouble }) => trouble !== '')
    for (const { room: name, trouble } of troubles) call.out.note(`${name}: not summarised: ${trouble}`)
    return troubles.length > 0 || reports.some(({ kind }) => kind === 'waits') ? 1 : 0
  })
}
