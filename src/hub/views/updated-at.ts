/**
 * When a file was last committed. Invariant 1: asked once for a commit of the home, as it costs a process: rooms are
 * looked at in each turn of a conversation.
 */
import type { Snapshot } from '../../domain/plan/snapshot.ts'
import type { Git } from '../../ports/git-port.ts'
import type { HubEnv } from '../env.ts'

interface Known {
  readonly commit: string
  readonly at: string | null
}

const MOST = 1_000
const known = new WeakMap<Git, Map<string, Known>>()

/** Null if no commit has it. */
export async function updatedAt(env: HubEnv, { git }: Snapshot, path: string): Promise<string | null> {
  const { git: history } = env.context.world
  const ask = async (): Promise<string | null> =>
    (await history.log({ paths: [path], limit: 1 }))[0]?.at ?? null
  // Elsewhere than on the home's branch nobody knows which commit counts.
  if (git.kind !== 'home') return ask()
  const times = known.get(history) ?? new Map<string, Known>()
  known.set(history, times)
  const before = times.get(path)
  if (before?.commit === git.commit) return before.at
  const at = await ask()
  if (times.size >= MOST) times.clear()
  times.set(path, { commit: git.commit, at })
  return at
}
