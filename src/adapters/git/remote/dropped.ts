/**
 * What a rewritten history dropped (rewritten.ts) is kept for some weeks. A ref has no date of its own: the first time
 * that it is seen here counts, in `<git dir>/neo/dropped.json`. Invariant 1: a ref whose age nobody knows is young: a
 * file that is lost or broken removes nothing.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Repository } from '../git-repository.ts'
import { gitText, runGit } from '../process/run-git.ts'

export const DROPPED = 'refs/neo/dropped'
/** As long as a person may be away. */
export const DROPPED_MS = 8 * 7 * 24 * 3_600_000

export async function pruneDropped(repository: Repository, now: number): Promise<number> {
  const listed = await gitText(repository, ['for-each-ref', '--format=%(refname) %(objectname)', DROPPED])
  const file = join(repository.owner, 'neo', 'dropped.json')
  const known = read(file)
  const refs = listed.split('\n').filter((line) => line !== '')
  if (refs.length === 0 && known.size === 0) return 0
  const seen = new Map(refs.map((line) => [line, Math.min(known.get(line) ?? now, now)]))
  const old = refs.filter((line) => now - (seen.get(line) ?? now) >= DROPPED_MS)
  for (const line of old) {
    const [name = '', commit = ''] = line.split(' ')
    await runGit(repository, ['update-ref', '-d', name, commit], { ok: 'any' })
    seen.delete(line)
  }
  write(file, seen)
  return old.length
}

function read(file: string): ReadonlyMap<string, number> {
  if (!existsSync(file)) return new Map()
  try {
    const data: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const rows = Object.entries(data as Readonly<Record<string, unknown>>)
    return new Map(rows.filter((row): row is [string, number] => typeof row[1] === 'number'))
  } catch {
    return new Map()
  }
}

function write(file: string, seen: ReadonlyMap<string, number>): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temp = `${file}.${process.pid}.tmp`
  writeFileSync(temp, `${JSON.stringify(Object.fromEntries(seen))}\n`, { mode: 0o600 })
  renameSync(temp, file)
}
