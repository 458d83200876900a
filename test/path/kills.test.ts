/** kill -9 at any instant: every effect exactly once, every task ended, the repository whole. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ended, engine } from './engine.ts'
import { fillHome, type Home, runbook } from './home.ts'

/** How many kills; `npm run torture -- kills` does 500. They are shared by lanes, each with homes of its own. */
const KILLS = Number(process.env['NEO_KILLS'] ?? 14)
const SEED = Number(process.env['NEO_SEED'] ?? 1)
const LANES = 2
const TASKS = 25
/** From the moment the engine begins to work, so that no kill meets a process that is only loading. */
const LONGEST_MS = 350
const NAMES = Array.from({ length: TASKS }, (_, index) => `t${index}`)

function fresh(): Home {
  const dir = mkdtempSync(join(tmpdir(), 'neo-path-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  const home = fillHome(dir, { 'neo.yaml': 'daemon: { concurrency: 4 }\n' })
  for (const name of NAMES) {
    const effect = `echo line ${name} >> ${name}.txt; echo line ${name} >> "$NEO_HOME/.git/ran"`
    home.task(name, runbook([effect]))
  }
  return home
}

/** The same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Kills engines of this home until so many were killed or one came to its end. */
async function killed(
  home: Home,
  of: { kills: number; random: () => number },
): Promise<{ kills: number; said: string[] }> {
  const said: string[] = []
  for (let kills = 0; kills < of.kills; kills++) {
    const running = engine(home.dir)
    let timer: NodeJS.Timeout | undefined
    running.child.stdout?.once('data', () => {
      timer = setTimeout(() => running.child.kill('SIGKILL'), of.random() * LONGEST_MS)
    })
    const end = await ended(running)
    clearTimeout(timer)
    said.push(`--- ${kills}`, end.said)
    if (!end.died) return { kills, said }
  }
  return { kills: of.kills, said }
}

function problems(home: Home): Readonly<Record<string, unknown>> {
  const ran = readFileSync(join(home.dir, '.git/ran'), 'utf8').trim().split('\n').sort()
  const wrong = NAMES.filter(
    (name) =>
      home.status(name) !== 'completed' ||
      !home.has(`workspace/files/${name}.txt`) ||
      home.read(`workspace/files/${name}.txt`) !== `line ${name}\n`,
  )
  return {
    wrong: wrong.map((name) => `${name} ${home.status(name)} ${home.neo(name, 'error')}`),
    twice: ran.filter((line, at) => ran[at - 1] === line),
    missing: NAMES.filter((name) => !ran.includes(`line ${name}`)),
    status: home.git('status', '--porcelain'),
    fsck: home.git('fsck', '--strict', '--no-dangling'),
    worktrees: home.git('worktree', 'list').split('\n').length - 1,
    branches: home.git('branch', '--list', 'neo/*'),
  }
}

const NONE = { wrong: [], twice: [], missing: [], status: '', fsck: '', worktrees: 0, branches: '' }

/** One home after the other until so many kills are done. */
async function lane(kills: number, seed: number): Promise<void> {
  const random = seeded(seed)
  for (let left = kills; left > 0; ) {
    const home = fresh()
    const { kills: done, said } = await killed(home, { kills: left, random })
    const last = await ended(engine(home.dir))
    left -= Math.max(1, done)
    expect(problems(home), [...said, '--- last', last.said].join('\n')).toEqual(NONE)
  }
}

test(`engines killed ${KILLS} times do each effect once and end every task`, async () => {
  await Promise.all(Array.from({ length: LANES }, (_, at) => lane(KILLS / LANES, SEED + at)))
})
