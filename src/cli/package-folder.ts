/** The folder of this package on disk. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package, whether this code runs as source, compiled or bundled. Throws if there is no package.json. */
export function packageFolder(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); dir !== dirname(dir); dir = dirname(dir))
    if (existsSync(join(dir, 'package.json'))) return dir
  throw new Error('Cannot find the folder of the package: no folder above this file has a package.json')
}
