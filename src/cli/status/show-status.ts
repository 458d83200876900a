/**
 * `neo status`: what needs a person, what runs, what waits and for what, and the health. Changes nothing.
 */
import { onceAFile, type Problem, whereOf } from '../../domain/home/problem.ts'
import { type HealthRow, troubleRow } from '../../domain/plan/needs.ts'
import { type Cell, dim, type Style } from '../output.ts'
import { spanText } from '../shown-text.ts'
import type { Call } from '../spec.ts'
import { labelOf } from '../task/task-paths.ts'
import { whyNotTrusted } from '../trust/trust-store.ts'
import { withHub } from '../with-hub.ts'
import type { Opened } from '../with-world.ts'
import type { Gathered, Item } from './gather.ts'

export async function status(call: Call): Promise<number> {
  const gathered = (await withHub(call, (hub) => hub.read<Gathered>('status'))) ?? (await ofFiles(call))
  call.out.data('status', gathered)
  if (call.out.mode === 'text') say(call, gathered, Date.now())
  return 0
}

async function ofFiles(call: Call): Promise<Gathered> {
  const [{ withWorld }, { lookOnce }, { gather }, { problemsOfDaemon }] = await Promise.all([
    import('../with-world.ts'),
    import('../../engine/look-once.ts'),
    import('./gather.ts'),
    import('./daemon-state.ts'),
  ])
  return withWorld(call, async (opened) => {
    const seen = await lookOnce(opened.world, opened.home, call.around.version)
    const gathered = gather(opened, seen, await problemsOfDaemon(opened))
    return { ...gathered, health: [...gathered.health, ...trustRows(call, opened)] }
  })
}

/** Nothing runs in an untrusted home; without this row its tasks would only seem to wait. */
function trustRows(call: Call, { home, world }: Opened): readonly HealthRow[] {
  if (call.around.env['NEO_TRUST'] === '1') return []
  const why = whyNotTrusted(call, { home, gitDir: world.git.gitDir, files: world.files })
  if (why === null) return []
  return [troubleRow('trust', `${why}: neo trust --show, then neo trust`, 'person')]
}

/** Longer lists end with a count of the rest. */
const SHOWN = 30

function say(call: Call, gathered: Gathered, now: number): void {
  const { out } = call
  sayNeeds(call, gathered)
  section(
    call,
    'Running',
    runRows(
      gathered.runs.filter(({ waitsForYou }) => !waitsForYou),
      now,
    ),
  )
  const held = gathered.runs.filter(({ waitsForYou }) => waitsForYou)
  if (held.length > 0) section(call, 'Waiting for you', runRows(held, now))
  const starter = isWatched(gathered) ? 'starts in a moment' : 'start it with neo watch or neo run'
  const starts = gathered.starts.map((path): Cell[] => [labelOf(path), dim(starter)])
  if (starts.length > 0) section(call, isWatched(gathered) ? 'Starting' : 'Ready to start', starts)
  section(
    call,
    'Waiting',
    gathered.waits
      .filter(({ path }) => !held.some((one) => one.path === path))
      .map(({ path, on }): Cell[] => [labelOf(path), `for ${on}`]),
  )
  out.line('')
  out.heading('Health')
  out.table(
    gathered.health
      .filter(({ needs }) => needs === undefined)
      .map(({ part, state, says }): Cell[] => [dim(part), { text: state, style: HEALTH[state] }, says]),
  )
}

function runRows(runs: Gathered['runs'], now: number): Cell[][] {
  return runs.map(({ session, path, step, progress, startedAt, ask }): Cell[] => [
    session,
    labelOf(path),
    progress === null ? '' : `${progress} %`,
    step,
    since(startedAt, now),
    ask === null ? '' : dim(`neo ask show ${ask}`),
  ])
}

/** True if a daemon runs, which starts tasks by itself. */
function isWatched({ health }: Gathered): boolean {
  return health.some(({ part, state }) => part === 'daemon' && state === 'ok')
}

const HEALTH: Readonly<Record<HealthRow['state'], Style>> = { ok: 'green', off: 'dim', trouble: 'red' }

/** What stops the home comes first, then failures and broken files; these are never cut, other lists are. */
function sayNeeds(call: Call, { needsYou, health }: Gathered): void {
  const { out } = call
  out.heading('Needs you')
  const stopped = health.filter(({ needs }) => needs === 'person')
  for (const { part, says } of stopped) out.line(styled(part, 'red'), says)
  const errors = needsYou.problems.filter(({ severity }) => severity === 'error')
  const warnings = needsYou.problems.filter(({ severity }) => severity !== 'error')
  for (const one of errors) out.line(...problemLine(one))
  out.table(
    itemRows(needsYou.failed, styled('failed', 'red'), (id) => `neo task retry ${id}`),
    2,
  )
  const asks = needsYou.asks.map(({ id, says }): Cell[] => [
    styled('request', 'yellow'),
    id,
    says,
    dim(`neo ask show ${id}`),
  ])
  const blocked = needsYou.blocked.map((one): Cell[] => [
    styled('blocked', 'yellow'),
    labelOf(one.path),
    one.says,
    dim(one.next),
  ])
  limited(call, asks)
  limited(
    call,
    itemRows(needsYou.reviews, styled('review', 'magenta'), (id) => `neo review diff ${id}`),
  )
  limited(
    call,
    itemRows(needsYou.yours, styled('yours', 'blue'), (id) => `neo task done ${id}`),
  )
  limited(call, blocked)
  const files = onceAFile(warnings)
  for (const one of files.slice(0, SHOWN)) out.line(...problemLine(one))
  sayMore(call, files.length)
  const items = [stopped, needsYou.failed, asks, needsYou.reviews, needsYou.yours, blocked, needsYou.problems]
  if (items.every((list) => list.length === 0)) out.line('nothing')
}

function problemLine({ severity, message, hint, ...at }: Problem): Cell[] {
  const style = severity === 'error' ? 'red' : 'yellow'
  const where = whereOf({ ...at, severity, message, hint })
  return [styled('problem', style), where, ended(message, hint), dim(hint)]
}

function ended(message: string, hint: string): string {
  return hint === '' ? message : `${message}.`
}

function itemRows(items: readonly Item[], kind: Cell, next: (id: string) => string): Cell[][] {
  return items.map(({ id, path, says }) => [kind, labelOf(path), says, dim(next(id))])
}

function section(call: Call, name: string, rows: readonly (readonly Cell[])[]): void {
  call.out.line('')
  call.out.heading(name)
  limited(call, rows)
  if (rows.length === 0) call.out.line('nothing')
}

function limited(call: Call, rows: readonly (readonly Cell[])[]): void {
  call.out.table(rows.slice(0, SHOWN), 2)
  sayMore(call, rows.length)
}

function sayMore({ out }: Call, count: number): void {
  if (count > SHOWN) out.line(dim(`${count - SHOWN} more; --json shows all`))
}

function styled(text: string, style: Style): Cell {
  return { text, style }
}

function since(at: string, now: number): string {
  return `for ${spanText(now - Date.parse(at))}`
}
