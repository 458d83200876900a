/**
 * The promises of safety at their full figures, which the tests of every day hold at smaller ones: kills, crashes, updates.
 *
 *   node scripts/torture.mjs [--list] [PROMISE…]
 *
 * Each promise is some test files with the counts that they take from the environment, or a script. They run one after
 * the other. Property tests and random instants get a new seed in each run; `NEO_SEED=N` repeats one. Exit code 1 when any
 * promise does not hold.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'

const PROMISES = [
  { name: 'kills', says: '500 kills -9 over runbooks', files: ['test/path/kills.test.ts'], env: { NEO_KILLS: '500' } },
  {
    name: 'crashes',
    says: 'a death after every line of the journal',
    files: ['test/path/crash.test.ts', 'test/engine/commit/journal.test.ts'],
    env: { NEO_CRASHES: '1' },
  },
  {
    name: 'human-git',
    says: 'a person uses git at the same time; 50 turns of checkouts, 100 of commits, amends and pulls',
    files: ['test/path/human-git.test.ts', 'test/path/human-commits.test.ts', 'test/path/away.test.ts'],
    env: { NEO_TURNS: '50', NEO_COMMITS: '100' },
  },
  { name: 'faults', says: 'the n-th call of the disk fails', files: ['test/adapters/disk/faults.test.ts'] },
  { name: 'bad-files', says: 'bad files harm only themselves', files: ['test/path/bad-files.test.ts', 'test/files'] },
  {
    name: 'editors',
    says: 'save styles and stale buffers',
    files: ['test/path/editors.test.ts', 'test/path/stale.test.ts'],
    env: { NEO_EDITS: '20' },
  },
  { name: 'bursts', says: '10,000 files change at once', files: ['test/adapters/watcher'] },
  {
    name: 'models',
    says: '13 faults at the first, a middle and the last step',
    files: ['test/path/model-trouble.test.ts', 'test/adapters/models'],
  },
  {
    name: 'agent-kills',
    says: 'agents killed and resumed',
    files: ['test/path/agent-kills.test.ts', 'test/path/hostile-agent.test.ts'],
    env: { NEO_CUTS: 'all' },
  },
  {
    name: 'distilling',
    says: 'distilling killed after everything that it writes',
    files: ['test/memory/by-model-kills.test.ts'],
    env: { NEO_KILL_STEP: '1' },
  },
  {
    name: 'telegram',
    says: '1,000 updates in a storm, 50 kills -9',
    files: ['test/channels/telegram'],
    env: { NEO_TELEGRAM_UPDATES: '1000', NEO_TELEGRAM_KILLS: '50', NEO_TELEGRAM_BACKLOG: '1000' },
  },
  { name: 'clock', says: 'zones, clock changes, sleeps, restarts', files: ['test/domain/schedule', 'test/path/schedule.test.ts'] },
  { name: 'escapes', says: 'nothing leaves its worktree', files: ['test/adapters/sandbox', 'test/agent/tools'] },
  { name: 'doors', says: 'every route without the right to it', files: ['test/servers'] },
  {
    name: 'approvals',
    says: 'what was approved is what runs; obedient models break no policy',
    files: ['test/path/approvals.test.ts', 'test/path/injection.test.ts', 'test/path/injection-neo.test.ts'],
  },
  { name: 'properties', says: 'property tests with another seed', files: ['test/domain', 'test/files', 'test/engine', 'test/hub'] },
  {
    name: 'soak',
    says: 'memory and descriptors of a daemon stay flat over 10,000 events',
    script: ['node', 'scripts/soak.mjs'],
  },
]

const SEED = process.env.NEO_SEED ?? String(randomInt(2 ** 31))

const words = process.argv.slice(2)
if (words.includes('--list')) {
  for (const { name, says } of PROMISES) console.log(`${name.padEnd(12)} ${says}`)
} else {
  const unknown = words.filter((word) => !PROMISES.some(({ name }) => name === word))
  if (unknown.length > 0) {
    console.error(`torture: unknown promise: ${unknown.join(', ')}; see --list`)
    process.exit(2)
  }
  console.log(`seed ${SEED}; NEO_SEED=${SEED} repeats this run`)
  const wanted = words.length === 0 ? PROMISES : PROMISES.filter(({ name }) => words.includes(name))
  const failed = wanted.filter((promise) => !holds(promise)).map(({ name }) => name)
  console.log(failed.length === 0 ? 'All passed' : `Failed: ${failed.join(', ')}`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

function holds({ name, says, files = [], script, env = {} }) {
  const started = performance.now()
  const vitest = ['node_modules/.bin/vitest', 'run', '--testTimeout=3600000', '--reporter=default', ...files]
  const [program, ...argv] = script ?? vitest
  const run = spawnSync(program, argv, {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, NEO_SEED: SEED, NEO_RUNS: '1', ...env },
  })
  const seconds = Math.round((performance.now() - started) / 1000)
  const good = run.status === 0
  console.log(`${good ? 'ok     ' : 'failed '} ${name.padEnd(12)} ${says} (${seconds} s)`)
  if (script !== undefined || !good) console.log(run.error ? String(run.error) : `${run.stdout}${run.stderr}`.trimEnd())
  return good
}
