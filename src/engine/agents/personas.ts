/** Personas: sub-agents in the format of Claude Code in `workspace/agents/`, for tasks with `persona: NAME`, or a label `persona:NAME`. */
import type { Context } from '../context.ts'
import type { Task } from '../../domain/task/task.ts'
import { harmless } from '../../domain/agent/neo-data.ts'
import { personasIn } from '../people/peer-files.ts'

const LABEL = 'persona:'

/** What the personas of a task say, and names that nobody has. */
export function personaFor(
  context: Pick<Context, 'home' | 'world'>,
  { persona: own, labels }: Pick<Task, 'persona' | 'labels'>,
): { readonly texts: readonly string[]; readonly problems: readonly string[] } {
  const labelled = labels.filter((label) => label.startsWith(LABEL)).map((label) => label.slice(LABEL.length))
  const names = [...new Set([...(own === undefined ? [] : [own]), ...labelled])]
  if (names.length === 0) return { texts: [], problems: [] }
  const known = personasIn(context)
  const found = names.map((name) => ({ name, persona: known.find((one) => one.name === name) }))
  return {
    texts: found.flatMap(({ persona }) => (persona === undefined ? [] : [persona.body])),
    problems: found.flatMap(({ name, persona }) =>
      persona === undefined ? [`persona "${name}" not found in workspace/agents/`] : [],
    ),
  }
}

/** For agents that may start others; nothing without personas. */
export function personaList(context: Pick<Context, 'home' | 'world'>): readonly string[] {
  const all = personasIn(context).map(
    ({ name, description }) => `- ${harmless(name)}: ${harmless(description)}`,
  )
  return all.length === 0 ? [] : [`Personas (name one in spawn_subagent):\n${all.join('\n')}`]
}
