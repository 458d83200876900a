/**
 * `neo doctor`: checks everything that Neo needs. `--fix` repairs only what can't lose data. Invariant 1: without
 * `--fix`, and with `--dry-run`, nothing is changed.
 */
import { join } from 'node:path'
import { lockOwner } from '../../engine/lock.ts'
import { lookOnce } from '../../engine/look-once.ts'
import { memoryRows } from '../../memory/health-rows.ts'
import { checkFilters } from '../commands/filter-command.ts'
import { readHomeConfig } from '../config/read-config-file.ts'
import { problemsInFile, problemsOfDaemon } from '../status/daemon-state.ts'
import { type Cell, dim, type Style } from '../output.ts'
import type { Call } from '../spec.ts'
import { whyNotTrusted } from '../trust/trust-store.ts'
import { type Opened, withWorld } from '../with-world.ts'
import { checkConfig, checkDisk, checkFiles, checkGit, checkLock } from './checks.ts'
import { checkModels } from './doctor-models.ts'
import { checkWorkers } from './doctor-workers.ts'
import { checkPulls, checkSandbox, checkSearch, checkSkills } from './external-tools.ts'
import { type Finding, note, ok, wrong } from './finding.ts'
import { checkJournal, checkLeftovers, checkLists } from './leftovers.ts'
import { checkWorktrees } from './worktrees.ts'

async function checkIndex({ home, world }: Opened): Promise<readonly Finding[]> {
  const { index } = world
  if (index === undefined) return []
  const path = join(home, '.neo', 'index.db')
  const trouble = await index.trouble(path)
  if (trouble === null) return [ok('index', saysOf({ home, world }))]
  const { wrong: why, next } = trouble
  if (!why.startsWith('the index is damaged'))
    return [note('index', `memory is searched by words only: ${why}`, next)]
  const run = () => {
    index.remove(path)
    return 'removed; the next search or neo watch creates it again'
  }
  return [{ ...note('index', why, next), fix: { says: 'remove the damaged index', run } }]
}

/** What the daemon last reported about the index. */
function saysOf({ home, world }: Pick<Opened, 'home' | 'world'>): string {
  const rows = memoryRows(world.files.readJson(join(home, '.neo', 'memory.json')))
  const says = rows.filter(({ part }) => part === 'memory').map((row) => row.says)
  return says.length === 0 ? 'neo watch keeps it up to date' : says.join('; ')
}

/** What the running daemon reports, which no check here can know. */
async function checkReports({ home, world }: Opened): Promise<readonly Finding[]> {
  if (lockOwner(world.git.gitDir, world) === null) return []
  const problems = (await problemsOfDaemon({ home, world })) ?? problemsInFile(world.files, home)
  return problems.filter(({ part }) => !OWN.has(part)).map(({ part, why }) => wrong(part, why))
}

/** Parts that have a check of their own. */
const OWN: ReadonlySet<string> = new Set(['disk', 'signing'])

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
      ...(await checkReports(opened)),
      ...(await checkIndex(opened)),
      ...checkJournal(opened),
      ...(await checkWorktrees(opened)),
      ...checkDisk(opened, env),
      ...checkLists(opened),
      ...(await checkLeftovers(opened)),
    ]
    const fixed = await repair(call, findings)
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

/** What sessions of agents need. Without a valid configuration only sandbox and search can be checked. */
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
    const says = `${untrusted}, so models, workers and forges were not checked`
    return [...means, wrong('trust', says, 'run neo trust --show, then neo trust')]
  }
  call.out.progress('Checking models and forges…')
  const all = call.isSet('models')
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

/** Prints all findings, then repairs. Returns the result of each fix by its finding. */
async function repair(call: Call, findings: readonly Finding[]): Promise<ReadonlyMap<string, string>> {
  const { out } = call
  out.table(findings.map(row), 2)
  for (const { says, next } of findings)
    if (next !== undefined) out.line(dim(`next: ${next}`), dim(`(${says})`))
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
  return [dim(part), { text: state, style: STYLES[state] }, says]
}
