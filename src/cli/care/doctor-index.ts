/**
 * The index of memory, for `neo doctor`: can it be used, is it whole, and how has it gone.
 * Takes a home; gives findings. Leaves to memory/: making it again.
 */
import { join } from 'node:path'
import { memoryRows } from '../../memory/health-rows.ts'
import type { Opened } from '../with-world.ts'
import type { Finding } from './finding.ts'

export async function checkIndex({ home, world }: Opened): Promise<readonly Finding[]> {
  const { index } = world
  if (index === undefined) return []
  const path = join(home, '.neo', 'index.db')
  const trouble = await index.trouble(path)
  if (trouble === null) return [{ part: 'index', state: 'ok', says: saysOf({ home, world }) }]
  const { wrong, next } = trouble
  if (!wrong.startsWith('the index is damaged'))
    return [{ part: 'index', state: 'note', says: `memory is searched by words alone: ${wrong}`, next }]
  const run = () => {
    index.remove(path)
    return 'removed; the next search or neo watch makes it again'
  }
  return [{ part: 'index', state: 'note', says: wrong, next, fix: { says: 'remove the damaged index', run } }]
}

/** As the daemon has written it down, its own words of trouble too. */
function saysOf({ home, world }: Pick<Opened, 'home' | 'world'>): string {
  const rows = memoryRows(world.files.readJson(join(home, '.neo', 'memory.json')))
  const says = rows.filter(({ part }) => part === 'memory').map((row) => row.says)
  return says.length === 0 ? 'can be used; neo watch keeps it' : says.join('; ')
}
