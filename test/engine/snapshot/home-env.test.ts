/** The environment of a home: what is in `.env` now, under what the process was started with. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { composeFiles, composeWorld } from '../../../src/compose.ts'
import { lookOnce } from '../../../src/engine/look-once.ts'
import { openHomeEnv } from '../../../src/engine/snapshot/config-keeper.ts'
import { makeHome, runbook, until } from '../../path/home.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'neo-env-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

test('the same object says what .env says now, under what the process has', () => {
  const dir = folder()
  const env = openHomeEnv(dir, composeFiles(), { own: { KEY: 'own' }, tracked: false })
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

test('a .env that git tracks is not read, also where a pull brings it, and is named', async () => {
  const home = makeHome({ 'rooms/shop/ROOM.md': '---\nworker: shell\nenv: [SHOP_NAME]\n---\n' })
  home.write('.env', 'SHOP_NAME=mine\n')
  const say = (name: string) =>
    home.task(name, runbook([`echo "$SHOP_NAME" > ${name}.txt`], ['review: none']))
  say('one')
  await home.run()
  home.git('add', '-f', '.env')
  home.git('commit', '-q', '-m', 'pulled')
  say('two')
  const watching = home.watch()
  await until(() => home.status('two') === 'completed')
  const world = await composeWorld(home.dir)
  const { snapshot } = await lookOnce(world, home.dir)
  await world.git.close()
  await watching.stop()
  const said = (name: string) => home.read(`workspace/files/${name}.txt`).trim()
  expect([said('one'), said('two')]).toEqual(['mine', ''])
  expect(snapshot.problems.filter(({ file }) => file === '.env')).toHaveLength(1)
})
