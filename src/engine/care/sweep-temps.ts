/**
 * Removes temp files that a kill left, when a daemon starts and when nothing runs. Only folders that Neo writes to are
 * searched, never worktrees or the user's own.
 */
import { isWantedFolder } from '../../domain/home/home-paths.ts'
import type { Context } from '../context.ts'

export function sweepTemps({ world, home, dir }: Pick<Context, 'world' | 'home' | 'dir'>): void {
  world.files.sweep(home, mayHoldTemps)
  world.files.sweep(dir)
}

/** Includes folders that Neo writes without looking at them: session files, transcripts, memory. */
function mayHoldTemps(folder: string): boolean {
  return (
    isWantedFolder(folder) ||
    /^(rooms\/[^/]+\/(sessions|transcripts|inbox\/archive)|workspace\/(memory|scopes\/.+))$/.test(folder) ||
    /^\.neo(\/cache(\/.+)?)?$/.test(folder)
  )
}
