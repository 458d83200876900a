/**
 * A home whose daemon runs in this process and serves its hub, as `neo watch` does.
 * Takes files to begin with; gives the home, where it is served and what the daemon said.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openMind } from '../../src/compose-orchestrator.ts'
import type { Hub } from '../../src/hub/hub.ts'
import type { World } from '../../src/ports/world.ts'
import { type BesideDaemon, openBesideDaemon } from '../../src/servers/beside-daemon.ts'
import type { RunningServers } from '../../src/servers/open-servers.ts'
import { type Home, makeHome, until, type Watching } from '../path/home.ts'

export interface ServedHome {
  readonly home: Home
  readonly watching: Watching
  /** Where it is served; waits for it. */
  door(): Promise<Pick<RunningServers, 'url' | 'link'>>
  /** What `.neo/daemon.json` says. */
  said(): Said
}

export interface Said {
  readonly url: string | null
  readonly token: string | null
  readonly troubles: readonly { readonly part: string; readonly why: string }[]
}

interface Made {
  readonly home: Home
  readonly world?: World
  /** What the servers tell it. */
  readonly health?: (own: BesideDaemon['health']) => BesideDaemon['health']
}

/** @param made a home that is there already, and what its daemon is to have */
export function servedHome(files: Readonly<Record<string, string>> = {}, made?: Made): ServedHome {
  const home = made?.home ?? makeHome(files)
  let hub: Hub | null = null
  let door: Pick<RunningServers, 'url' | 'link'> | null = null
  const watching = home.watch({
    ...(made?.world === undefined ? {} : { world: made.world }),
    openOrchestrator(context, wake) {
      const mind = openMind(context, wake)
      hub = mind.clients
      return mind
    },
    serve(context, own) {
      const health = made?.health?.(own) ?? own
      if (hub === null) throw new Error('there is no hub')
      const opened = (at: Pick<RunningServers, 'url' | 'link'>) => {
        door = at
      }
      return openBesideDaemon({ context, health, hub, version: 'test', ready: Promise.resolve(), opened })
    },
  })
  return {
    home,
    watching,
    async door() {
      await until(() => door !== null)
      if (door === null) throw new Error('no door was opened')
      return door
    },
    said: () => JSON.parse(readFileSync(join(home.dir, '.neo/daemon.json'), 'utf8')) as Said,
  }
}
