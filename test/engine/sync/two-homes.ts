/** Two homes that share a bare remote, for tests of what keeps them in step. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openHomeRemote } from '../../../src/adapters/git/remote/home-remote.ts'
import { composeWorld } from '../../../src/compose.ts'
import { type Synced, syncOnce } from '../../../src/engine/sync/sync.ts'
import type { World } from '../../../src/ports/world.ts'
import { fillHome, type Home, openHome as homeAt } from '../../path/home.ts'
import { cloneShared, shareRepository } from '../../repository.ts'

export interface Shared {
  readonly root: string
  readonly home: Home
  readonly world: World
  readonly sync: () => Promise<Synced>
}

/** Two homes, `one` and `two`, clones of one bare repository. */
export async function twoHomes(files: Readonly<Record<string, string>> = {}): Promise<[Shared, Shared]> {
  const root = mkdtempSync(join(tmpdir(), 'neo-sync-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }))
  const bare = join(root, 'bare.git')
  mkdirSync(join(root, 'one'))
  const one = fillHome(join(root, 'one'), files)
  shareRepository(one.dir, bare)
  const second = '[user]\n\tname = Second\n\temail = second@localhost\n'
  cloneShared({ dir: one.dir, bare }, join(root, 'two'), second)
  const two = homeAt(join(root, 'two'))
  return [await shared(root, one), await shared(root, two)]
}

async function shared(root: string, home: Home): Promise<Shared> {
  const world = await composeWorld(home.dir)
  const remote = openHomeRemote()
  const sync = () => syncOnce({ home: home.dir, branch: 'main', git: world.git, remote })
  return { root, home, world, sync }
}

export function commit(home: Home, file: string, text: string): void {
  home.write(file, text)
  home.git('add', '-A')
  home.git('commit', '-q', '-m', `write ${file}`)
}

export const tip = ({ home }: Shared) => home.git('rev-parse', 'main')
