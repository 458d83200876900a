/**
 * Temp files that a kill left: swept when a daemon starts, and when nothing runs. Invariant 1: only folders that Neo
 * writes into are looked at, never a worktree or what people keep beside.
 */
import { isWantedFolder } from '../../domain/home/home-paths.ts'
import type { Context } from '../context.ts'

export function sweepTemps({ world, home, dir }: Pick<Context, 'world' | 'home' | 'dir'>): void {
  world.files.sweep(home, mayHoldTemps)
  world.files.sweep(dir)
}

/** Session files, transcripts and what is remembered are not looked at, but written. */
function mayHoldTemps(folder: string): boolean {
  return (
    isWantedFolder(folder) ||
    /^(rooms\/[^/]+\/(sessions|transcripts|inbox\/archive)|workspace\/(memory|scopes\/.+))$/.test(folder) ||
    /^\.neo(\/cache(\/.+)?)?$/.test(folder)
  )
}
