/**
 * home.search: what a name or a few words may mean, as somebody types: tasks of all rooms, memories, people. Invariant 1:
 * nothing of rooms that the caller does not see; people only for the owner. Invariant 2: it waits for no index.
 */
import { z } from 'zod'
import type { Snapshot, TaskFile } from '../../domain/plan/snapshot.ts'
import type { Principal } from '../../domain/policy/policy-acts.ts'
import { ENDED, TASK_STATUSES, type Task } from '../../domain/task/task.ts'
import { fitOf, typedWords } from '../../domain/text/best-match.ts'
import { memoryOf } from '../../memory/open-memory.ts'
import { type HubEnv, look, method } from '../env.ts'
import { aboutHome } from '../views/about.ts'
import { membersOf, peopleOf } from '../rights/member-rules.ts'
import { sees } from '../views/find-in-home.ts'
import { limit } from '../views/shapes.ts'
import { partsFor } from './memory/memory-methods.ts'

const MOST_MEMORIES = 5
const MOST_PEOPLE = 5

export const homeSearch = method({
  name: 'home.search',
  summary: 'Find tasks, memories and people by name',
  details:
    'All words must be in the title, id, room or labels of a task. Work that is not finished comes first.',
  params: z.strictObject({
    text: z.string().max(300).describe('What was typed; the last word may be its beginning'),
    statuses: z
      .array(z.enum(TASK_STATUSES))
      .optional()
      .describe('Only tasks with one of these statuses; memories and people are left out then'),
    limit: limit(50, 12),
  }),
  result: z.strictObject({
    tasks: z.array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        roomId: z.string(),
        status: z.enum(TASK_STATUSES),
      }),
    ),
    memories: z.array(z.strictObject({ source: z.string(), text: z.string(), roomId: z.string() })),
    people: z.array(z.strictObject({ id: z.string(), name: z.string(), role: z.string() })),
  }),
  act: 'see',
  resource: aboutHome,
  run: async (env, { text, statuses, limit: most }, { principal }) => {
    const snapshot = await look(env)
    const words = typedWords(text)
    const tasks = tasksFor(env, snapshot, { principal, words, statuses }).slice(0, most)
    return {
      tasks: tasks.map(({ task, room, path }) => ({
        id: task.neo.id ?? path,
        title: task.title,
        roomId: room,
        status: task.status,
      })),
      memories: statuses === undefined ? await memoriesFor(env, text, principal) : [],
      people: statuses === undefined ? peopleFor(env, words, principal) : [],
    }
  },
})

/** `page 9` before `page 10`. */
const ORDER = new Intl.Collator('en', { numeric: true })

interface Wanted {
  readonly principal: Principal
  readonly words: readonly string[]
  readonly statuses: readonly Task['status'][] | undefined
}

function tasksFor(
  env: HubEnv,
  snapshot: Snapshot,
  { principal, words, statuses }: Wanted,
): readonly TaskFile[] {
  if (words.length === 0 && statuses === undefined) return []
  const members = membersOf(env)
  const seen = new Map<string, boolean>()
  const found: { readonly file: TaskFile; readonly fit: number }[] = []
  for (const file of snapshot.tasks.values()) {
    const { task, room, name } = file
    if (statuses !== undefined && !statuses.includes(task.status)) continue
    const fit =
      words.length === 0
        ? 1
        : fitOf(words, task.title, `${task.neo.id ?? ''} ${room}/${name} ${task.labels.join(' ')}`)
    if (fit === 0) continue
    const isSeen = seen.get(room) ?? sees(principal, room, members)
    seen.set(room, isSeen)
    if (isSeen) found.push({ file, fit: fit - (ENDED.has(task.status) ? 0.5 : 0) })
  }
  return found
    .toSorted((a, b) => b.fit - a.fit || ORDER.compare(a.file.task.title, b.file.task.title))
    .map(({ file }) => file)
}

async function memoriesFor(env: HubEnv, text: string, principal: Principal) {
  if (text.trim().length < 3) return []
  const parts = await partsFor(env, undefined, principal)
  const found = memoryOf(env.context).find({ query: text, parts, limit: 4 * MOST_MEMORIES })
  const hits = (found?.hits ?? []).filter(({ passage: { kind, text: whole } }) => {
    return (kind === 'memory' || kind === 'fact') && fitOf(typedWords(text), whole) > 0
  })
  return hits.slice(0, MOST_MEMORIES).map(({ passage, line, snippet }) => ({
    source: passage.kind === 'memory' ? passage.source : `${passage.source}:${line}`,
    text: snippet,
    roomId: passage.part === '' ? 'lobby' : passage.part,
  }))
}

function peopleFor(env: HubEnv, words: readonly string[], { kind }: Principal) {
  if (kind !== 'human') return []
  return peopleOf(env)
    .filter(({ id, name }) => fitOf(words, name ?? id, id) > 0)
    .slice(0, MOST_PEOPLE)
    .map(({ id, name, role }) => ({ id, name: name ?? id, role }))
}
