/** The environment of a home: what is in `.env` now, under what the process was started with. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { composeFiles } from '../../src/compose.ts'
import { openHomeEnv } from '../../src/flow/home-env.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-env-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('the same object says what .env says now, under what the process has', () => {
  const dir = folder()
  const env = openHomeEnv(dir, composeFiles(), { KEY: 'own' })
  const { all } = env
  expect({ ...all }).toEqual({ KEY: 'own' })
  writeFileSync(join(dir, '.env'), 'KEY=file\nTOKEN=one\n')
  expect([env.read(), { ...all }]).toEqual([true, { KEY: 'own', TOKEN: 'one' }])
  expect(env.read()).toBe(false)
  writeFileSync(join(dir, '.env'), 'OTHER=two\n')
  expect([env.read(), { ...all }]).toEqual([true, { KEY: 'own', OTHER: 'two' }])
  rmSync(join(dir, '.env'))
  expect([env.read(), { ...all }]).toEqual([true, { KEY: 'own' }])
})
