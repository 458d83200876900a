/**
 * `neo config show`: the configuration in use, one value a line.
 */
import { composeFiles } from '../../compose.ts'
import { NeoError } from '../../domain/home/error.ts'
import { getConfigValue, showConfig } from '../../files/config/config-show.ts'
import { findHome } from '../find-home.ts'
import { type Call, firstOf } from '../spec.ts'
import { configOf } from './read-config-file.ts'

export function show(call: Call): number {
  const files = composeFiles()
  const home = findHome(call, files)
  const config = configOf(home, files, call.around.env)
  const key = firstOf(call)
  const value = key === '' ? showConfig(config) : getConfigValue(config, key)
  if (value === undefined)
    throw new NeoError('missing', `Cannot find "${key}": the configuration has no such key`, {
      next: 'neo config show',
    })
  call.out.data('config.show', value)
  const rows = flat(value, key)
  if (rows.length === 1 && rows[0]?.[0] === key) call.out.line(rows[0][1])
  else call.out.table(rows.map(([name, text]) => [{ text: name, style: 'dim' }, text]))
  return 0
}

/** Every value with its path, such as `daemon.concurrency`. */
function flat(value: unknown, path: string): (readonly [string, string])[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, inner]) => flat(inner, path === '' ? key : `${path}.${key}`))
  return [[path, typeof value === 'string' ? value : JSON.stringify(value)]]
}
