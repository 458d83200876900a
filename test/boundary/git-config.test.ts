/** Git state of a person's own repository, its configuration above all: what it names does not run, whatever its name is. */
import { appendFileSync, existsSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { commitSession, gitIn, openSession, placeIn, put } from '../adapters/git/repo.ts'
import { armed, bareFiles, everythingElse, FOLDER, type GitGround, openGitGround } from './git-ground.ts'

let ground: GitGround
beforeEach(async () => {
  ground = await openGitGround()
})
afterEach(() => ground.bench.close())

const NAMES = ['e\u2028v', 'a b', 'x.y', 'q\\"q', 'é'] as const

test.each(NAMES)('a driver with the name %j in the repository itself does not run', async (name) => {
  const { bench, marker, trap } = ground
  const place = placeIn(bench, FOLDER)
  appendFileSync(join(bench.home, '.git/config'), armed(ground, name))
  writeFileSync(
    join(bench.root, 'more'),
    `[core]\n\tfsmonitor = ${trap}\n[filter "${name}"]\n\tclean = ${trap}\n`,
  )
  const dir = await openSession(bench, place)
  put(dir, `${FOLDER}/.gitattributes`, `*.txt diff=${name} merge=${name}\n`)
  put(dir, `${FOLDER}/ok.txt`, 'ok\n')
  expect((await commitSession(bench, { dir, place })).kind).toBe('ok')
  await everythingElse(ground, dir)
  expect(existsSync(marker)).toBe(false)
})

test('a workspace in which a session left the files of a bare repository is the folder that it was', async () => {
  const { bench, marker } = ground
  const ws = join(bench.root, 'ws')
  put(ws, 'sub/a.txt', 'a\n')
  gitIn(ws, 'init', '-q', '-b', 'main')
  bareFiles(ground, join(ws, 'sub'))
  gitIn(ws, 'add', '-A')
  gitIn(ws, 'commit', '-qm', 'i')
  const place = await bench.git.place(join(ws, 'sub'), null)
  expect(place).toMatchObject({ repository: ws, folder: 'sub', base: 'main' })
  expect(existsSync(marker)).toBe(false)
})

test.each(['index', 'objects'])('a repository whose %s is a link is refused', async (name) => {
  const { bench } = ground
  const ws = join(bench.root, 'ws')
  put(ws, 'a.txt', 'a\n')
  gitIn(ws, 'init', '-q', '-b', 'main')
  gitIn(ws, 'add', '-A')
  gitIn(ws, 'commit', '-qm', 'i')
  renameSync(join(ws, '.git', name), join(bench.root, name))
  symlinkSync(join(bench.root, name), join(ws, '.git', name))
  expect(await bench.git.place(ws, null)).toMatchObject({ wrong: expect.stringContaining('symbolic link') })
})
