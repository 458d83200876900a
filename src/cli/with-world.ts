/** The home and its World, for commands that need git. */
import { composeFiles, composeWorld } from '../compose.ts'
import type { World } from '../ports/world.ts'
import { findHome } from './find-home.ts'
import type { Call } from './spec.ts'
import { ensureTrusted } from './trust/trust-store.ts'

export interface Opened {
  readonly home: string
  readonly world: World
  /** `<git dir>/neo` */
  readonly dir: string
}

/** Throws NeoError `missing` without a home, `git` if it is not a repository. */
export async function withWorld<T>(
  call: Call,
  act: (opened: Opened) => Promise<T>,
  open = openWorld,
): Promise<T> {
  const opened = await open(call)
  try {
    return await act(opened)
  } finally {
    await opened.world.git.close()
  }
}

/** The caller closes `world.git`. Throws as `withWorld`. */
export async function openWorld(call: Call): Promise<Opened> {
  const home = findHome(call, composeFiles())
  const world = await composeWorld(home)
  return { home, world, dir: `${world.git.gitDir}/neo` }
}

/** As `openWorld`, for commands that act on the files of the home. Throws NeoError `refused` if it is not trusted. */
export async function openTrusted(call: Call): Promise<Opened> {
  const opened = await openWorld(call)
  try {
    const { home, world } = opened
    ensureTrusted(call, { home, gitDir: world.git.gitDir, files: world.files })
    return opened
  } catch (error) {
    await opened.world.git.close()
    throw error
  }
}

/** As `withWorld`, in a home that this user trusts. Throws NeoError `refused` if it is not trusted. */
export function withTrusted<T>(call: Call, act: (opened: Opened) => Promise<T>): Promise<T> {
  return withWorld(call, act, openTrusted)
}
