/** Tasks that go to an agent of another home, as the engine sees them; src/aoi/ does the talking. */
import { type AgentConfig, contextNamed } from '../../domain/peer/peer.ts'
import type { TaskFile } from '../../domain/plan/snapshot.ts'
import type { PeerBrief } from '../../domain/session/session.ts'
import type { PeerWork } from '../../runner/deps.ts'
import type { World } from '../../ports/world.ts'

/** By World: one home is open over it. */
const attached = new WeakMap<World, PeerWork>()

/** From now on tasks with `worker: peer:ID` can start. */
export function attachPeerWork(world: World, work: PeerWork): void {
  attached.set(world, work)
}

/** Null before it is attached, and without the agent protocol. */
export function peerWorkOf(world: World): PeerWork | null {
  return attached.get(world) ?? null
}

/** Why this agent can't get tasks now; null if it can. */
export function peerHindrance(world: World, agentId: string): string | null {
  const work = attached.get(world)
  return work === undefined ? 'the agent protocol is off: set agent.id in neo.yaml' : work.hindrance(agentId)
}

/** The template that takes a title and a description. */
const DELEGATED = 'delegated'

/**
 * What another home is asked for. A task's `params` may name the template there as `task_type`, and the context as
 * `context`, such as `repository:acme/webapp`; what else they hold goes to the template. Without a context, it is that of
 * the room in neo.yaml.
 */
export function peerBrief(
  { task, room }: Pick<TaskFile, 'task' | 'room'>,
  agentId: string,
  agent: Pick<AgentConfig, 'contexts'> | null,
): PeerBrief {
  const { task_type: taskType = DELEGATED, context, ...params } = task.params ?? {}
  const own = (agent?.contexts ?? []).filter((one) => one.room === room)
  const scope =
    context === undefined
      ? own.slice(0, 1).map(({ type, identifier }) => ({ type, identifier }))
      : [contextNamed(context)]
  const said = taskType === DELEGATED ? { title: task.title, description: task.body.trim() } : {}
  return { agentId, taskType, taskParams: { ...said, ...params }, scope }
}
