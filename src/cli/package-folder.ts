/** Where programs are: this package, and those on PATH. */
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package, whether this code runs as source, compiled or bundled. Throws if there is no package.json. */
export function packageFolder(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); dir !== dirname(dir); dir = dirname(dir))
    if (existsSync(join(dir, 'package.json'))) return dir
  throw new Error('Cannot find the folder of the package: no folder above this file has a package.json')
}

/** The first one on PATH, as in a shell; a path stays as it is. Null if it can't be run. */
export function programOnPath(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const places = name.includes('/') ? [name] : folders.map((folder) => join(folder, name))
  return places.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
