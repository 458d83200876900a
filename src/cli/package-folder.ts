/**
 * The folder of this package, from whichever file of it this code runs: a source, a compiled file or a part of the bundle.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Throws `Error` if no folder above holds a package.json: the package is broken. */
export function packageFolder(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); dir !== dirname(dir); dir = dirname(dir))
    if (existsSync(join(dir, 'package.json'))) return dir
  throw new Error('Cannot find the package of this program: no folder above it holds package.json')
}
