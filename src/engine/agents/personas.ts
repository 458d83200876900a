/** Personas: sub-agents in the format of Claude Code in `workspace/agents/`, for tasks with a label `persona:NAME`. */
import type { Context } from '../context.ts'
import { personasIn } from '../people/peer-files.ts'

const LABEL = 'persona:'

/** What the personas of a task say, and names that nobody has. */
export function personaFor(
  context: Pick<Context, 'home' | 'world'>,
  labels: readonly string[],
): { readonly texts: readonly string[]; readonly problems: readonly string[] } {
  const names = labels.filter((label) => label.startsWith(LABEL)).map((label) => label.slice(LABEL.length))
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
