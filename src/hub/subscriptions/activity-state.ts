/**
 * The channel `activity`: says that something happened, so that a timeline is read again. Invariant 1: a member learns
 * of changes in their rooms only: the commit of the home would tell of the others.
 */
import type { Snapshot } from '../../domain/plan/snapshot.ts'

type State = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** @param isSeen null: everything */
export function activityState(snapshot: Snapshot, isSeen: ((room: string) => boolean) | null): State {
  if (isSeen === null)
    return { last: { commit: snapshot.git.kind === 'home' ? snapshot.git.commit : snapshot.git.why } }
  const { tasks, rooms, asks, inbox, schedules } = snapshot
  let [count, sum] = [0, 0]
  for (const files of [tasks, asks, inbox, schedules ?? new Map()])
    for (const { room, hash } of files.values()) {
      if (!isSeen(room)) continue
      count += 1
      sum = (sum + mixed(hash)) % MODULUS
    }
  for (const { name, hash } of rooms.values()) if (isSeen(name)) sum = (sum + mixed(hash)) % MODULUS
  return { last: { files: `${count} ${sum}` } }
}

const MODULUS = 2 ** 48

/** The first 48 bits. */
function mixed(hash: string): number {
  return Number.parseInt(hash.slice(0, 12), 16)
}
