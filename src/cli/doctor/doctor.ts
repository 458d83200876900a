/**
 * `neo doctor`: is everything as it should be, and if not, what to do. Mends with `--fix` only what cannot lose
 * anything. Invariant 1: without `--fix`, and with `--dry-run`, nothing is changed.
 */
import { join } from 'node:path'
import { lookOnce } from '../../engine/look-once.ts'
import { readHomeConfig } from '../config/read-config-file.ts'
import type { Cell, Style } from '../output.ts'
import type { Call } from '../spec.ts'
import { whyNotTrusted } from '../trust/trust-check.ts'
import { type Opened, withWorld } from '../with-world.ts'
import { checkConfig, checkDisk, checkFiles, checkGit, checkLock } from './checks.ts'
import { checkPulls, checkSandbox, checkSearch, checkSkills } from './doctor-means.ts'
import { checkFilters } from './filter-command.ts'
import { checkModels, checkWorkers } from './doctor-models.ts'
import { checkJournal, checkLeftovers, checkLists } from './leftovers.ts'
import type { Finding } from './finding.ts'
import { checkWorktrees } from './worktrees.ts'
import { memoryRows } from '../../memory/health-rows.ts'

async function checkIndex({ home, world }: Opened): Promise<readonly Finding[]> {
  const { index } = world
  if (index === undefined) return []
  const path = join(home, '.neo', 'index.db')
  const trouble = await index.trouble(path)
  if (trouble === null) return [{ part: 'index', state: 'ok', says: saysOf({ home, world }) }]
  const { wrong, next } = trouble
  if (!wrong.startsWith('the index is damaged'))
    return [{ part: 'index', state: 'note', says: `memory is searched by words alone: ${wrong}`, next }]
  const run = () => {
    index.remove(path)
    return 'removed; the next search or neo watch makes it again'
  }
  return [{ part: 'index', state: 'note', says: wrong, next, fix: { says: 'remove the damaged index', run } }]
}

/** As the daemon has written it down, its own words of trouble too. */
function saysOf({ home, world }: Pick<Opened, 'home' | 'world'>): string {
  const rows = memoryRows(world.files.readJson(join(home, '.neo', 'memory.json')))
  const says = rows.filter(({ part }) => part === 'memory').map((row) => row.says)
  return says.length === 0 ? 'can be used; neo watch keeps it' : says.join('; ')
}

const STYLES: Readonly<Record<Finding['state'], Style>> = { ok: 'green', note: 'yellow', wrong: 'red' }

export function doctor(call: Call): Promise<number> {
  return withWorld(call, async (opened) => {
    const { env } = call.around
    const findings = [
      ...(await checkGit(opened, env)),
      ...checkConfig(opened, env),
      ...checkFiles(opened, env),
      ...(await forAgents(call, opened)),
      ...checkLock(opened),
      ...(await checkIndex(opened)),
      ...checkJournal(opened),
      ...(await checkWorktrees(opened)),
      ...checkDisk(opened, env),
      ...checkLists(opened),
      ...(await checkLeftovers(opened)),
    ]
    const fixed = await mend(call, findings)
    call.out.data(
      'doctor',
      findings.map(({ fix, ...rest }) => ({
        ...rest,
        fix: fix?.says ?? null,
        fixed: fixed.get(rest.says) ?? null,
      })),
    )
    return findings.some(({ state, says }) => state === 'wrong' && !fixed.has(says)) ? 1 : 0
  })
}

/** What sessions of agents stand on. Without a configuration that reads, nobody knows what they are to be. */
async function forAgents(call: Call, opened: Opened): Promise<readonly Finding[]> {
  const { env } = call.around
  const means = [...(await checkSandbox(opened)), ...(await checkSearch(opened))]
  if (readHomeConfig(opened.home, opened.world.files, env).kind !== 'ok') return means
  const { snapshot } = await lookOnce(opened.world, opened.home)
  const untrusted = whyNotTrusted(call, {
    home: opened.home,
    gitDir: opened.world.git.gitDir,
    files: opened.world.files,
  })
  if (untrusted !== null) {
    const says = `${untrusted}: models, workers and forges were not asked`
    return [...means, { part: 'trust', state: 'wrong', says, next: 'neo trust --show, then neo trust' }]
  }
  call.out.progress('asking models and forges…')
  const all = call.isSet('models') ? 'yes' : 'no'
  const findings = [
    ...(await checkModels(opened, { snapshot, env, all })),
    ...(await checkWorkers(opened, snapshot, env)),
    ...means,
    ...(await checkSkills(opened, snapshot)),
    ...(await checkPulls(opened, snapshot, env)),
    ...(await checkFilters(opened, snapshot)),
  ]
  call.out.progress(null)
  return findings
}

/** Shows all first, then mends. Gives what came of each fix, by finding. */
async function mend(call: Call, findings: readonly Finding[]): Promise<ReadonlyMap<string, string>> {
  const { out } = call
  out.table(findings.map(row), 2)
  for (const { says, next } of findings)
    if (next !== undefined)
      out.line({ text: `next: ${next}`, style: 'dim' }, { text: `(${says})`, style: 'dim' })
  const fixable = findings.flatMap(({ says, fix }) => (fix === undefined ? [] : [{ says, fix }]))
  const done = new Map<string, string>()
  if (fixable.length === 0) return done
  out.line('')
  const acts = call.isSet('fix') && !call.isSet('dryRun')
  for (const { says, fix } of fixable) {
    if (!acts) {
      out.line(call.isSet('fix') ? 'would' : '--fix would', fix.says)
      continue
    }
    const came = await fix.run()
    done.set(says, came)
    out.line(fix.says, { text: came, style: 'green' })
  }
  return done
}

function row({ part, state, says }: Finding): Cell[] {
  return [{ text: part, style: 'dim' }, { text: state, style: STYLES[state] }, says]
}
