/**
 * The rows that one call needs. A process that runs a single command would load and build 100 methods for one of them.
 */
import type { Method } from './env.ts'

/** By the noun before the dot, the files with the methods that commands call most. */
const FILES: Readonly<Record<string, () => readonly Promise<object>[]>> = {
  task: () => [import('./methods/task-methods.ts'), import('./methods/task-status.ts')],
  room: () => [import('./methods/room-methods.ts')],
  memory: () => [import('./methods/memory/memory-methods.ts')],
  session: () => [import('./methods/session-methods.ts')],
  status: () => [import('./methods/overview.ts')],
  plan: () => [import('./methods/home-methods.ts')],
  usage: () => [import('./methods/home-methods.ts')],
  audit: () => [import('./methods/audit-methods.ts')],
}

/** The method and others beside it; all methods if it is elsewhere or unknown. */
export async function methodsWith(name: string): Promise<ReadonlyMap<string, Method>> {
  const files = await Promise.all(FILES[name.split('.')[0] ?? '']?.() ?? [])
  const rows = files.flatMap((file) => Object.values(file).filter(isMethod))
  const some = new Map(rows.map((row) => [row.name, row]))
  return some.has(name) ? some : (await import('./method-table.ts')).TABLE
}

function isMethod(value: unknown): value is Method {
  return typeof value === 'object' && value !== null && 'run' in value && 'params' in value
}
