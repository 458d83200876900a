import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeHome } from '../home.ts'
import { watchHome } from '../neo.ts'
import { canWeigh, idleShare, type Resident, startResident } from '../resident.ts'
import { besideLine, type Line, ratioLine, type Row } from '../row.ts'
import { inTurn, pause, processTime } from '../time.ts'

/** What a start leaves to do (the first full look, freed memory) is over by then. */
const CALM_MS = 5000
/** A daemon writes down what it has read a second after it is ready. */
const KEEP_MS = 2500
const MOST_MB = 150
const MOST_SHARE = 1

export const daemonRow: Row = {
  name: 'daemon',
  measures: 'a daemon on 10,000 tasks: from start to ready, and at rest',
  async run({ quick }) {
    const { dir } = makeHome({ tasks: quick ? 1000 : 10_000, rooms: 10, kind: 'settled' })
    const times = await inTurn(
      {
        read: () => processTime(['node', 'bench/floors/list.mjs', dir]),
        neo: () => startTime(dir),
        bare: () => {
          rmSync(join(dir, '.neo/cache'), { recursive: true, force: true })
          return startTime(dir)
        },
      },
      quick ? 2 : 7,
    )
    const floor = { name: 'read + parse all', ms: times.read.p50 }
    const ready = [
      ratioLine({ work: 'daemon: start → ready', most: 4, floor, ms: times.neo.p50 }),
      besideLine('daemon: the same without what .neo/ keeps', floor.ms, times.bare.p50),
    ]
    return canWeigh() ? [...ready, ...(await atRest(dir, quick ? 5000 : 65_000))] : ready
  },
}

/** It ends a while after it is ready: by then it has written down what the next start is spared. */
async function startTime(home: string): Promise<number> {
  const daemon = await watchHome(home)
  await pause(KEEP_MS)
  await daemon.end()
  return daemon.readyMs
}

/** The time is longer than two rescans, so that these are in it. */
async function atRest(home: string, ms: number): Promise<readonly Line[]> {
  const bare = await startResident(['node', 'bench/floors/daemon.mjs', home], /ready/)
  const neo = await watchHome(home)
  try {
    await pause(CALM_MS)
    const shares = await Promise.all([idleShare(bare, ms), idleShare(neo, ms)])
    return [memoryLine(bare, neo), shareLine(shares)]
  } finally {
    await Promise.all([bare.end(), neo.end()])
  }
}

function memoryLine(bare: Resident, neo: Resident): Line {
  const mb = neo.memory()
  const verdict = mb <= MOST_MB ? 'ok' : 'over'
  const [floor, measured] = [bare.memory(), mb].map((size) => `${size.toFixed(0)} MB`)
  return {
    work: 'daemon: memory at rest, with children',
    goal: `≤ ${MOST_MB} MB`,
    floor: floor ?? '',
    measured: measured ?? '',
    verdict,
  }
}

function shareLine([bare, neo]: readonly [number, number]): Line {
  return {
    work: 'daemon: processor at rest',
    goal: `≤ ${MOST_SHARE} % of a core`,
    floor: `${bare.toFixed(2)} %`,
    measured: `${neo.toFixed(2)} %`,
    verdict: neo <= MOST_SHARE ? 'ok' : 'over',
  }
}
