/** Twelve ways in which editors save: one reaction for each real change, none for what is no change. */
import {
  appendFileSync,
  closeSync,
  copyFileSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { type Home, makeHome, runbook, until } from './home.ts'

type Save = (path: string, text: string) => void

function beside(path: string, name: string): string {
  return join(dirname(path), name)
}

const STYLES: Readonly<Record<string, Save>> = {
  'write in place': (path, text) => writeFileSync(path, text),
  'truncate, then write': (path, text) => {
    const file = openSync(path, 'a')
    ftruncateSync(file, 0)
    writeSync(file, text)
    closeSync(file)
  },
  'write in two pieces': (path, text) => {
    writeFileSync(path, text.slice(0, text.length / 2))
    appendFileSync(path, text.slice(text.length / 2))
  },
  'rename over': (path, text) => {
    writeFileSync(beside(path, '.saved.tmp'), text)
    renameSync(beside(path, '.saved.tmp'), path)
  },
  'temp file with a tilde, renamed over': (path, text) => {
    writeFileSync(`${path}~`, text)
    renameSync(`${path}~`, path)
  },
  'backup, then rename over': (path, text) => {
    copyFileSync(path, `${path}.bak`)
    writeFileSync(beside(path, '.new'), text)
    renameSync(beside(path, '.new'), path)
    rmSync(`${path}.bak`)
  },
  'vim with its test file': (path, text) => {
    writeFileSync(beside(path, '4913'), '')
    rmSync(beside(path, '4913'))
    renameSync(path, `${path}~`)
    writeFileSync(path, text)
    rmSync(`${path}~`)
  },
  'vim with a swap file': (path, text) => {
    const swap = beside(path, `.${basename(path)}.swp`)
    writeFileSync(swap, 'b0VIM')
    writeFileSync(path, text)
    rmSync(swap)
  },
  'emacs with lock and autosave': (path, text) => {
    const auto = beside(path, `#${basename(path)}#`)
    writeFileSync(auto, text)
    writeFileSync(beside(path, `.#${basename(path)}`), '')
    writeFileSync(path, text)
    rmSync(auto)
    rmSync(beside(path, `.#${basename(path)}`))
  },
  'gedit with an output stream': (path, text) => {
    const temp = beside(path, '.goutputstream-ABC123')
    writeFileSync(temp, text)
    renameSync(path, `${path}~`)
    renameSync(temp, path)
    rmSync(`${path}~`)
  },
  'a safe write with old and new name': (path, text) => {
    writeFileSync(`${path}___jb_tmp___`, text)
    renameSync(path, `${path}___jb_old___`)
    renameSync(`${path}___jb_tmp___`, path)
    rmSync(`${path}___jb_old___`)
  },
  'delete, then write': (path, text) => {
    rmSync(path)
    writeFileSync(path, text)
  },
}

async function atRest(home: Home, runs: number): Promise<void> {
  const ran = () => home.read('.git/ran').split('\n').length - 1
  await until(() => ran() === runs && home.status('a') === 'completed')
  await until(() => home.git('status', '--porcelain') === '')
}

const COUNTS = runbook(['echo x >> "$NEO_HOME/.git/ran"'])
const ROUNDS = 3

test.each(Object.entries(STYLES))('watch runs a task once for each save: %s', async (_name, save) => {
  const home = makeHome({ 'neo.yaml': 'daemon: { settle: 50ms, rescan: 1s }\n' })
  home.task('a', COUNTS)
  const daemon = home.watch()
  await atRest(home, 1)
  for (let round = 2; round <= ROUNDS; round++) {
    save(join(home.dir, 'rooms/shop/tasks/a.md'), home.text('a').replace('completed', 'pending'))
    await atRest(home, round)
  }
  const { events } = await daemon.stop()
  expect(events.filter(({ kind }) => kind === 'start')).toHaveLength(ROUNDS)
  expect(events.filter(({ kind }) => ['problem', 'notice', 'trouble', 'adopt'].includes(kind))).toHaveLength(
    2,
  )
  expect(home.neo('a', 'attempt')).toBe(String(ROUNDS))
})

test('watch makes no commit for touch and identical saves in any style', async () => {
  const home = makeHome({ 'neo.yaml': 'daemon: { settle: 50ms, rescan: 1s }\n' })
  home.task('a', COUNTS)
  const daemon = home.watch()
  await atRest(home, 1)
  const [head, path] = [home.git('rev-parse', 'HEAD'), join(home.dir, 'rooms/shop/tasks/a.md')]
  for (const save of Object.values(STYLES)) {
    utimesSync(path, new Date(), new Date())
    save(path, home.text('a'))
  }
  home.task('last', '---\nstatus: draft\n---\n')
  await until(() => home.neo('last', 'id') !== undefined && home.git('status', '--porcelain') === '')
  await daemon.stop()
  expect(home.git('log', '--format=%s', `${head}..`)).toBe('neo(shop): adopt last')
})
