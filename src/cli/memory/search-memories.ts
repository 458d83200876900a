/**
 * `neo search`, `neo memory search`: memories that match, best first, with file and line.
 */
import { durationMs } from '../../files/values/duration.ts'
import type { ParamsOf } from '../../hub/method-table.ts'
import { usage } from '../cli-failure.ts'
import { paramsOf } from '../option-values.ts'
import { withHub } from '../rpc/with-hub.ts'
import { type Call, firstOf } from '../spec.ts'

export async function searchMemories(call: Call): Promise<number> {
  const params = searchParams(call, Date.now())
  const { note, ...found } = await withHub(call, (hub) =>
    hub.call('memory.search', params, 'neo memory search --help'),
  )
  call.out.data('memory.search', found)
  call.out.table(
    found.results.map(({ memoryId, source, snippet, score }) => [
      memoryId,
      { text: score.toFixed(2), style: 'dim' },
      { text: source, style: 'cyan' },
      plain(snippet),
    ]),
    3,
  )
  const { results, total } = found
  if (total > results.length) call.out.note(`${total - results.length} more: --limit ${total}`)
  if (total === 0) call.out.note('No memory matches.')
  if (note !== '') call.out.note(note)
  return 0
}

/** Without the marks that transcripts put around messages. */
function plain(snippet: string): string {
  return snippet.replaceAll(/<\/?(?:message|data)(?:\s[^<>]*)?>\s*/g, '')
}

function searchParams(call: Call, now: number): ParamsOf<'memory.search'> {
  const [from, to] = [timeOf(call, 'since', now), timeOf(call, 'until', now)]
  return {
    query: firstOf(call),
    ...paramsOf(call),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
  }
}

/** A date or time unchanged; a duration as the time that long ago. */
function timeOf(call: Call, option: 'since' | 'until', now: number): string | null {
  const text = call.text(option)
  if (text === null || /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?$/.test(text)) return text
  const ms = durationMs(text)
  if (ms === null)
    throw usage(
      `Cannot take --${option} "${text}": want a date such as 2026-03-01, or a duration such as 7d`,
      `--${option} 7d`,
    )
  return new Date(now - ms).toISOString()
}
