/** neo.yaml while it is being saved: an editor empties the file before it writes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from '../../../src/adapters/disk/disk-files.ts'
import { openConfig, openHomeEnv } from '../../../src/engine/snapshot/config-keeper.ts'

const OLD = 'agent: { id: ana }\n'
const NEW = 'agent: { id: ben }\n'

/** `trusted` sees the file as it is on disk, as the program's does. */
function keeper(trusted: () => string | null) {
  const dir = mkdtempSync(join(tmpdir(), 'neo-config-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const save = (text: string) => writeFileSync(join(dir, 'neo.yaml'), text)
  save(OLD)
  const files = openFiles()
  const config = openConfig(dir, files, {
    env: openHomeEnv(dir, files, { own: {}, tracked: false }),
    trusted,
  })
  return { save, config, id: () => config.current().agent?.id }
}

test('a file that waits for trust counts once it is trusted, and never while half of it is there', () => {
  let why: string | null = 'changed'
  const { save, config, id } = keeper(() => why)
  save(NEW)
  config.read()
  expect([id(), config.problems()[0]?.code]).toEqual(['ana', 'untrusted'])
  // Nothing of an empty file needs trust.
  why = null
  save('')
  config.readEnv()
  expect(id()).toBe('ana')
  save(NEW)
  config.readEnv()
  expect([id(), config.problems()]).toEqual(['ben', []])
})

test('what was found trusted is what counts, also if the file changes in between', () => {
  let swap = () => {}
  const { save, config, id } = keeper(() => {
    swap()
    return null
  })
  save(NEW)
  swap = () => save(OLD)
  config.read()
  expect([id(), config.problems()[0]?.code]).toEqual(['ana', 'untrusted'])
})
