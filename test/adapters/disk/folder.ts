/** A real folder for a test; removed after it. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function tempFolder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'neo-disk-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** The blob id of `before`. */
export const OLD = 'before\n'
export const OLD_ID = '90be1f3056c4f471f977a28497b8d4b392c55a02'
