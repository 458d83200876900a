/** `neo log`: the hub's timeline of a task, a room or the home, oldest first. */
import { NeoError } from '../../domain/home/error.ts'
import type { ParamsOf, ResultOf } from '../../hub/method-table.ts'
import { usage } from '../cli-failure.ts'
import { countOption, paramsOf } from '../option-values.ts'
import { type Cell, dim, type Style } from '../output.ts'
import { dateText } from '../shown-text.ts'
import type { Call } from '../spec.ts'
import { openTaskLookup } from '../task/task-lookup.ts'
import { roomNames } from '../task/task-paths.ts'
import { withHub } from '../with-hub.ts'

const DEFAULT_LIMIT = 50
const MOST = 1_000

type Asked = ParamsOf<'audit.timeline'>
type Page = ResultOf<'audit.timeline'>
type Event = Page['events'][number]

export async function log(call: Call): Promise<number> {
  const wanted: Asked = { ...(await subjectOf(call)), ...filtersOf(call), limit: limitOf(call) }
  const page = await withHub(call, (hub) => hub.call('audit.timeline', wanted, 'neo log --help'), 'any')
  call.out.data('log', page)
  call.out.table(page.events.map(row), 3)
  for (const file of page.unread) call.out.note(`Not read, because all files together are too large: ${file}`)
  if (page.events.length === 0) call.out.note('No history yet.')
  if (page.cursor !== null) call.out.note(`Older entries: neo log … --cursor ${page.cursor}`)
  return 0
}

function limitOf(call: Call): number {
  const limit = countOption(call, 'limit') ?? DEFAULT_LIMIT
  if (limit > MOST)
    throw usage(`Invalid value ${limit} for --limit: the maximum is ${MOST}`, `--limit ${MOST}`)
  return limit
}

function filtersOf(call: Call): Asked {
  const kinds = call.isSet('commits') ? ['git'] : call.text('kind')?.split(',')
  return { ...paramsOf<Asked>(call), ...(kinds === undefined ? {} : { kinds }) }
}

/** If a room and a task have the same name, the room counts. */
async function subjectOf(call: Call): Promise<Asked> {
  const [typed] = call.args
  if (typed === undefined) return {}
  const lookup = await openTaskLookup(call)
  if (roomNames(lookup.home, lookup.files).includes(typed)) return { roomId: typed }
  if (/^t-[a-z0-9]+$/.test(typed)) return { taskId: typed }
  if (/^s-[a-z0-9]+$/.test(typed)) return { sessionId: typed }
  const path = await lookup.find(typed).catch((error: unknown) => {
    if (error instanceof NeoError && error.code === 'missing')
      throw new NeoError('missing', `Cannot find "${typed}": no task and no room has this name`, {
        next: 'neo room list, or neo task list',
      })
    throw error
  })
  return { taskId: path }
}

const STYLES: Readonly<Record<Event['source'], Style>> = {
  git: 'yellow',
  audit: 'magenta',
  transcript: 'blue',
}

function row({ at, source, kind, actor, name, says, file, commit }: Event): Cell[] {
  const ref = commit === null ? (file ?? '') : commit.slice(0, 10)
  const what = source === 'git' ? says : `${kind} ${says}`.trim()
  return [
    dim(dateText(at)),
    { text: ref, style: STYLES[source] },
    dim(actor === 'human' && name !== null ? name : actor),
    source === 'git' ? what : dim(what),
  ]
}
