/**
 * The zone in which a home's local times are read. Most homes name none, and reading all of neo.yaml for that would
 * cost more than the rest of a command; so the file is only read through where the word stands in it.
 */
import { join } from 'node:path'
import type { Files } from '../ports/world.ts'
import type { Env } from './spec.ts'

const MAX_BYTES = 256 * 1024

export async function zoneOf(home: string, files: Files, env: Env): Promise<string> {
  const read = files.read(join(home, 'neo.yaml'), MAX_BYTES)
  const bytes = read.kind === 'file' ? read.bytes : null
  const says =
    (bytes !== null && /^\W*timezone\b/m.test(bytes.toString('latin1'))) || env['NEO_TIMEZONE'] !== undefined
  if (!says) return env['TZ'] === undefined ? 'UTC' : await configured(null, env)
  return configured(bytes, env)
}

async function configured(bytes: Buffer | null, env: Env): Promise<string> {
  const { readConfig } = await import('../files/config/read-config.ts')
  const config = readConfig('neo.yaml', bytes, env)
  return config.kind === 'ok' ? config.value.timezone : 'UTC'
}
