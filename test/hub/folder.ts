/** A folder for one test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export function makeFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-hub-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
