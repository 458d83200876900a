/**
 * The time zone of a home. Most homes set none, and parsing neo.yaml costs more than the rest of a short command, so it
 * is only parsed if the word `timezone` is in it.
 */
import { join } from 'node:path'
import type { Files } from '../ports/files-port.ts'
import type { Env } from './spec.ts'

const MAX_BYTES = 256 * 1024

export async function zoneOf(home: string, files: Files, env: Env): Promise<string> {
  const read = files.read(join(home, 'neo.yaml'), MAX_BYTES)
  const bytes = read.kind === 'file' ? read.bytes : null
  const isSet =
    (bytes !== null && /^\W*timezone\b/m.test(bytes.toString('latin1'))) || env['NEO_TIMEZONE'] !== undefined
  if (!isSet) return env['TZ'] === undefined ? 'UTC' : await configured(null, env)
  return configured(bytes, env)
}

async function configured(bytes: Buffer | null, env: Env): Promise<string> {
  const { readConfig } = await import('../files/config/read-config.ts')
  const config = readConfig('neo.yaml', bytes, env)
  return config.kind === 'ok' ? config.value.timezone : 'UTC'
}
